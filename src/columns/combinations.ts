import type { FieldValue } from '../domain/condition/predicate.ts';
import { combinationKey } from '../domain/reports/breakdown.ts';
import { atLeast } from './array-pool.ts';
import { type Chunk, type CodedName, type ColumnName, codedOf, type IndexName, indexesOf } from './chunk.ts';
import { Dictionary } from './dictionary.ts';
import type { Positions } from './positions.ts';

/** Combinations of separator values, numbered from 0. Not all of them need occur. */
export interface Combinations {
  readonly columns: readonly ColumnName[];
  /** Writes the number of the combination of each of the events at `positions`. */
  number(chunk: Chunk, positions: Positions, into: Uint32Array): void;
  /** The numbers by the index in a column of users or of UTM combinations, if only that column decides; else null. */
  readonly byIndex: { readonly column: IndexName; readonly numbers: Uint32Array } | null;
  /** The values of each combination, by its number. */
  readonly values: readonly (readonly FieldValue[])[];
}

/** Separators that are read from one column: together they have hardly more combinations than the column has values. */
export interface ColumnGroup extends Pick<Combinations, 'byIndex'> {
  readonly column: ColumnName;
  /** The places of the separators among all. */
  readonly places: readonly number[];
  /** Writes the number of the separators' values for each of the events at `positions`. */
  number(chunk: Chunk, positions: Positions, into: Uint32Array): void;
  readonly values: readonly (readonly FieldValue[])[];
}

export function combinationsOf(groups: readonly ColumnGroup[]): Combinations {
  const [only, another] = groups;
  // One group has all separators, in their order.
  if (only !== undefined && another === undefined) {
    const { column, values, number, byIndex } = only;
    return { columns: [column], values, number, byIndex };
  }
  const values: FieldValue[][] = [];
  /**
   * Join g numbers pairs: the number that groups 0 to g have together, and the number of group g + 1. The numbers of
   * the last join are the numbers of combinations.
   */
  const joins = groups.slice(1).map(() => new Map<number, number>());

  /** The values of event i, from its numbers in each group. */
  function valuesOf(numbers: readonly Uint32Array[], i: number): FieldValue[] {
    const all = new Array<FieldValue>(groups.reduce((sum, { places }) => sum + places.length, 0));
    for (const [g, { places, values: own }] of groups.entries())
      for (const [k, place] of places.entries()) all[place] = own[numbers[g]![i]!]![k]!;
    return all;
  }

  const numbers = groups.map(() => new Uint32Array(0));
  return {
    columns: groups.map(({ column }) => column),
    byIndex: null,
    values,
    number(chunk, positions, into) {
      const size = positions.length;
      for (const [g, group] of groups.entries()) {
        numbers[g] = atLeast(numbers[g]!, size);
        group.number(chunk, positions, numbers[g]!);
      }
      into.set(numbers[0]!.subarray(0, size));
      for (const [g, join] of joins.entries()) {
        const own = numbers[g + 1]!;
        for (let i = 0; i < size; i++) {
          const pair = into[i]! * MAX_NUMBERS + own[i]!;
          let number = join.get(pair);
          if (number === undefined) {
            number = join.size;
            join.set(pair, number);
            if (g === joins.length - 1) values[number] = valuesOf(numbers, i);
          }
          into[i] = number;
        }
      }
    },
  };
}

/** More than a bot has users, or a field has values. */
export const MAX_NUMBERS = 2 ** 26;

/** A column group without the places of its separators. */
export type Numbered = Omit<ColumnGroup, 'places'>;

/**
 * Numbers the values of a coded column.
 * @param key names the functions
 * @param reads for each separator, its value from a value of the column
 */
export function numberedValues(
  column: CodedName,
  dictionary: Dictionary | null,
  key: string,
  reads: readonly ((value: string | number) => FieldValue)[],
): Numbered {
  const numbers = dictionary ?? new Dictionary();
  const numbering = numbers.numbering(key, (value) => reads.map((read) => (value === null ? null : read(value))));
  return {
    column,
    byIndex: null,
    values: numbering.values,
    number(chunk, positions, into) {
      const coded = codedOf(chunk, column);
      const { codes } = coded;
      const numberOfCode = numbers.numbersOf(coded);
      const { numberOf } = numbering;
      for (let i = 0; i < positions.length; i++) into[i] = numberOf[numberOfCode[codes[positions[i]!]!]!]!;
    },
  };
}

/** @param numbers by the column's index */
export function numberedIndexes(column: IndexName, numbers: Uint32Array): Omit<Numbered, 'values'> {
  return {
    column,
    byIndex: { column, numbers },
    number(chunk, positions, into) {
      const indexes = indexesOf(chunk, column);
      for (let i = 0; i < positions.length; i++) into[i] = numbers[indexes[positions[i]!]!]!;
    },
  };
}

interface ValueNumbers {
  /** By number. */
  readonly values: readonly (readonly FieldValue[])[];
  /** Equal values get the same number, new values the next. */
  numberOf(values: readonly FieldValue[]): number;
}

export function valueNumbers(): ValueNumbers {
  const values: (readonly FieldValue[])[] = [];
  const numbers = new Map<string, number>();
  return {
    values,
    numberOf(own) {
      const key = combinationKey(own);
      let number = numbers.get(key);
      if (number === undefined) {
        number = values.push(own) - 1;
        numbers.set(key, number);
      }
      return number;
    },
  };
}
