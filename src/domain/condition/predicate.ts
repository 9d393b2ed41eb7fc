import Big from 'big.js';
import { LosslessNumber } from 'lossless-json';
import { compareText } from './compare-text.ts';
import type { Bound, Condition, Field, FieldType, Value } from './condition.ts';
import { isLike } from './pattern.ts';

/**
 * What a record has in a field: numbers as decimal text, dates as milliseconds since 1970 UTC, null where it is missing.
 * A dynamic field's value has its own type, so its numbers are LosslessNumber; of any other shape it matches nothing.
 */
export type FieldValue = string | number | boolean | LosslessNumber | object | null;

export type Predicate<R> = (record: R) => boolean;

/** How to read a field; asked once for each place where a condition names it. */
export type Reader<F extends Field, R> = (field: F) => (record: R) => FieldValue;

/**
 * A condition as a function of a record, which says what its SQL (`conditionSql`) says of the record's row: exact
 * decimals, text by code points, a missing value in no positive condition.
 */
export function predicateOf<F extends Field, R>(condition: Condition<F>, reader: Reader<F, R>): Predicate<R> {
  switch (condition.type) {
    case 'and':
    case 'or': {
      const parts = condition.conditions.map((part) => predicateOf(part, reader));
      if (condition.type === 'and') return (record) => parts.every((part) => part(record));
      return (record) => parts.some((part) => part(record));
    }
    case 'not': {
      const negated = predicateOf(condition.condition, reader);
      return (record) => !negated(record);
    }
    case 'one_of':
      return on(reader(condition.field), oneOf(condition.field.type, condition.values));
    case 'range': {
      const { from, to } = condition;
      const above = from && beyond(condition.field.type, from, 1);
      const below = to && beyond(condition.field.type, to, -1);
      return on(reader(condition.field), (value) => (above?.(value) ?? true) && (below?.(value) ?? true));
    }
    case 'like':
      return on(reader(condition.field), isLike(condition.pattern));
    case 'missing': {
      const read = reader(condition.field);
      return (record) => read(record) === null;
    }
  }
}

type Present = Exclude<FieldValue, null>;
type Test = (value: Present) => boolean;

function on<R>(read: (record: R) => FieldValue, test: Test): Predicate<R> {
  return (record) => {
    const value = read(record);
    return value !== null && test(value);
  };
}

function oneOf(type: FieldType, values: readonly Value[]): Test {
  const constants = new Set(values.map(keyOf));
  // A date names a whole second, the value is its start.
  if (type === 'date') return (value) => constants.has(`date ${Math.floor(Number(value) / 1000) * 1000}`);
  return (value) => constants.has(keyOf(typed(type, value)));
}

/** One text for equal values of one type: numbers are equal however they are written. */
function keyOf(value: Value | null): string {
  if (value === null) return '';
  return `${value.type} ${value.type === 'number' ? new Big(value.value).toFixed().replace(/^-0$/, '0') : value.value}`;
}

/** A value with its type; null where it has none that conditions know. */
function typed(type: FieldType, value: Present): Value | null {
  if (type === 'number') return { type, value: String(value) };
  if (value instanceof LosslessNumber) return { type: 'number', value: value.value };
  if (typeof value === 'string') return { type: 'string', value };
  return typeof value === 'boolean' ? { type: 'boolean', value } : null;
}

/** Whether a value lies on the bound's side: 1 above it, -1 below it. */
function beyond(type: FieldType, { value: bound, inclusive }: Bound, side: 1 | -1): Test {
  const test = (order: number) => order * side > 0 || (inclusive && order === 0);
  switch (bound.type) {
    case 'number': {
      const compare = compareWith(bound.value);
      if (type === 'number') return (value) => test(compare(String(value)));
      return (value) => value instanceof LosslessNumber && test(compare(value.value));
    }
    case 'string':
      return (value) => typeof value === 'string' && test(compareText(value, bound.value));
    case 'date':
      return (value) => test(Number(value) - bound.value);
    case 'boolean':
      throw new Error('booleans have no order');
  }
}

type NumberRange = Pick<Extract<Condition<Field>, { type: 'range' }>, 'from' | 'to'>;

/**
 * What a range of numbers says of a number by its nearest double. Rounding keeps order, so only of a number that rounds as
 * a bound does it cannot tell (undefined): its digits do.
 */
export function roundedRange({ from, to }: NumberRange): (rounded: number) => boolean | undefined {
  const low = from === null ? Number.NEGATIVE_INFINITY : Number(from.value.value);
  const high = to === null ? Number.POSITIVE_INFINITY : Number(to.value.value);
  return (rounded) => (rounded === low || rounded === high ? undefined : rounded > low && rounded < high);
}

/** Rounding to a double keeps order, so only numbers that round alike need their digits. */
function compareWith(constant: string): (value: string) => number {
  const [exact, rounded] = [new Big(constant), Number(constant)];
  return (value) => Number(value) - rounded || new Big(value).cmp(exact);
}
