import Big from 'big.js';
import type { Bound, Condition } from '../domain/condition/condition.ts';
import { type FieldValue, predicateOf } from '../domain/condition/predicate.ts';
import type { ReportField } from '../domain/reports/fields.ts';
import { atLeast } from './array-pool.ts';
import type { CodedName } from './chunk.ts';
import { scaledDecimalsOf } from './decimals.ts';
import type { Dictionary } from './dictionary.ts';
import { byCode, byKey, type EventCondition } from './event-condition.ts';
import { decimalsOf, propertyOf } from './property-codes.ts';

/** A condition on one field. */
export type Leaf = Exclude<Condition<ReportField>, { type: 'and' | 'or' | 'not' }>;

/** The coded column of a field. */
export interface CodedField {
  readonly column: CodedName;
  /** The value of the field from a value of the column. */
  readonly read: (value: string | number) => FieldValue;
}

/** Whether a value of a field fulfils a condition. */
export function holdsFor(leaf: Leaf): (value: FieldValue) => boolean {
  return predicateOf<ReportField, FieldValue>(leaf, () => (value) => value);
}

/**
 * A condition on a coded column. It runs once for each value of a chunk, or with a dictionary once for each value of all
 * chunks. A range of decimals compares numbers, for each event.
 * @param dictionaryOf gives the dictionary of a column; null: there is none
 */
export function valueCondition(
  leaf: Leaf,
  { column, read }: CodedField,
  dictionaryOf: (column: CodedName) => Dictionary | null,
): EventCondition {
  const holds = holdsFor(leaf);
  const test = (value: string | number | null) => holds(value === null ? null : read(value));
  if (isOnDecimals(leaf, column)) return onDecimals(leaf, column, onValues(column, test));
  const dictionary = isValue(column) ? null : dictionaryOf(column);
  return dictionary === null ? onValues(column, test) : onDictionary(column, test, dictionary);
}

/** Values of events have nearly as many values as there are events, so that a dictionary would not help. */
function isValue(column: CodedName): boolean {
  return column === 'value_int' || column === 'value_amount';
}

/** Whether the condition compares numbers. One of few values of a property is found faster by a posting list. */
function isOnDecimals(leaf: Leaf, column: CodedName): leaf is NumberLeaf {
  if (isValue(column)) return leaf.type === 'range' || leaf.type === 'one_of';
  return propertyOf(column) !== null && leaf.type === 'range' && (leaf.from ?? leaf.to)?.value.type === 'number';
}

type NumberLeaf = Extract<Leaf, { type: 'range' | 'one_of' }>;

type ValueTest = (value: string | number | null) => boolean;

/** Tests each value of each chunk. */
function onValues(column: CodedName, test: ValueTest): EventCondition {
  return byCode(column, ({ values }) => {
    const passes = new Uint8Array(values.length);
    // A loop, because `Uint8Array.from` with a function takes twice as long as the tests.
    for (let code = 0; code < values.length; code++) if (test(values[code]!)) passes[code] = 1;
    return passes;
  });
}

/** Tests each value once for all chunks. */
function onDictionary(column: CodedName, test: ValueTest, dictionary: Dictionary): EventCondition {
  let passesByNumber = new Uint8Array(0);
  let tested = 0;
  return byCode(column, (coded) => {
    const numbers = dictionary.numbersOf(coded);
    passesByNumber = atLeast(passesByNumber, dictionary.values.length);
    for (; tested < dictionary.values.length; tested++)
      passesByNumber[tested] = Number(test(dictionary.values[tested]!));
    const passes = new Uint8Array(numbers.length);
    for (let code = 0; code < numbers.length; code++) passes[code] = passesByNumber[numbers[code]!]!;
    return passes;
  });
}

/**
 * Compares decimals as integers. That is exact.
 * @param long the condition for chunks with decimals that are too long for it
 */
function onDecimals(condition: NumberLeaf, column: CodedName, long: EventCondition): EventCondition {
  const byDecimals = new Map<number, ReturnType<typeof integerRanges>>();

  function rangesFor(decimals: number) {
    let ranges = byDecimals.get(decimals);
    if (ranges === undefined) {
      ranges = integerRanges(condition, decimals);
      byDecimals.set(decimals, ranges);
    }
    return ranges;
  }

  const bySome = byKey(column, (chunk) => {
    const coded = decimalsOf(chunk, column);
    const { integers, decimals } = scaledDecimalsOf(coded)!;
    const ranges = rangesFor(decimals);
    const holds = (integer: number) => ranges.some(({ low, high }) => integer >= low && integer <= high);
    const passes = new Uint8Array(integers.length);
    for (let code = 0; code < integers.length; code++) if (holds(integers[code]!)) passes[code] = 1;
    return { keys: coded.codes, passes };
  });
  return {
    columns: [column],
    testOf: (chunk) => (scaledDecimalsOf(decimalsOf(chunk, column)) === null ? long : bySome).testOf(chunk),
    select(chunk, positions, into) {
      const coded = decimalsOf(chunk, column);
      const scaled = scaledDecimalsOf(coded);
      if (scaled === null) return long.select(chunk, positions, into);
      const [only, another] = rangesFor(scaled.decimals);
      if (only === undefined || another !== undefined) return bySome.select(chunk, positions, into);
      const { codes } = coded;
      const { integers } = scaled;
      const { low, high } = only;
      let size = 0;
      for (let i = 0; i < positions.length; i++) {
        const at = positions[i]!;
        const integer = integers[codes[at]!]!;
        into[size] = at;
        size += Number(integer >= low) & Number(integer <= high);
      }
      return size;
    },
    count(chunk, begin, end) {
      const coded = decimalsOf(chunk, column);
      const scaled = scaledDecimalsOf(coded);
      if (scaled === null) return long.count!(chunk, begin, end);
      const [only, another] = rangesFor(scaled.decimals);
      if (only === undefined || another !== undefined) return bySome.count!(chunk, begin, end);
      const { codes } = coded;
      const { integers } = scaled;
      const { low, high } = only;
      let events = 0;
      for (let at = begin; at < end; at++) {
        const integer = integers[codes[at]!]!;
        events += Number(integer >= low) & Number(integer <= high);
      }
      return events;
    },
  };
}

/** Integers from `low` to `high`, both included. */
interface IntegerRange {
  readonly low: number;
  readonly high: number;
}

type NumberCondition = Extract<Condition<ReportField>, { readonly type: 'range' | 'one_of' }>;

/** The ranges of integers, scaled by `decimals`, that fulfil a condition on a decimal. Exact for integers that a double holds. */
export function integerRanges(condition: NumberCondition, decimals: number): IntegerRange[] {
  const scaled = (value: Bound['value']) => new Big(value.value as string).times(new Big(10).pow(decimals));
  if (condition.type === 'one_of')
    return condition.values.flatMap((value) => {
      const integer = scaled(value);
      return floor(integer).eq(integer) ? [{ low: toDouble(integer), high: toDouble(integer) }] : [];
    });
  const { from, to } = condition;
  return [
    {
      low: from === null ? Number.NEGATIVE_INFINITY : toDouble(above(scaled(from.value), from.inclusive)),
      high: to === null ? Number.POSITIVE_INFINITY : toDouble(below(scaled(to.value), to.inclusive)),
    },
  ];
}

function above(bound: Big, inclusive: boolean): Big {
  const whole = floor(bound);
  return inclusive && whole.eq(bound) ? whole : whole.plus(1);
}

function below(bound: Big, inclusive: boolean): Big {
  const whole = floor(bound);
  return inclusive || !whole.eq(bound) ? whole : whole.minus(1);
}

function floor(number: Big): Big {
  const whole = number.round(0, Big.roundDown);
  return whole.gt(number) ? whole.minus(1) : whole;
}

/** An integer that no double holds exactly is beyond all integers that one holds. */
function toDouble(integer: Big): number {
  if (integer.abs().lte(Number.MAX_SAFE_INTEGER)) return integer.toNumber();
  return integer.gt(0) ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
}
