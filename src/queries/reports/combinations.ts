import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import { combinationKey } from '../../domain/reports/breakdown.ts';
import type { ReportField } from '../../domain/reports/fields.ts';
import type { Separator } from '../../domain/reports/report.ts';
import {
  type Chunk,
  type CodedName,
  type ColumnName,
  codedOf,
  type IndexName,
  indexesOf,
} from '../../projections/events/packed/chunk.ts';
import { atLeast } from './array-pool.ts';
import type { ConditionSource } from './condition-source.ts';
import { Dictionary } from './dictionary.ts';
import type { Utm } from './fields.ts';
import { columnOf, type FieldStorage, knownUsersSql, storageOf, userColumnSql } from './fields.ts';
import { fieldValue, type UserColumn } from './kept-user-column.ts';
import type { Positions } from './positions.ts';
import { withConstants } from './statement.ts';

/** Combinations of separator values, numbered from 0. Not all of them need occur. */
export interface Combinations {
  readonly columns: readonly ColumnName[];
  /** Writes the number of the combination of each of the events at `positions`. */
  number(chunk: Chunk, positions: Positions, into: Uint32Array): void;
  /** The numbers by the index in a column of users or of UTM combinations, if that column alone decides; else null. */
  readonly byIndex: { readonly column: IndexName; readonly numbers: Uint32Array } | null;
  /** The values of each combination, by its number. */
  readonly values: readonly (readonly FieldValue[])[];
  /** Whether a combination has the same number in each thread of a team. */
  readonly isShared: boolean;
}

export async function combinationsOf(separators: readonly Separator[], source: ConditionSource): Promise<Combinations> {
  const groups: ColumnGroup[] = [];
  for (const members of byColumn(separators)) groups.push(await groupOf(members, source));
  const [only, another] = groups;
  // One group has all separators, in their order.
  if (only !== undefined && another === undefined) {
    const { column, values, number, byIndex } = only;
    return { columns: [column], values, number, byIndex, isShared: byIndex !== null || source.team.size === 1 };
  }
  const values: FieldValue[][] = [];
  /**
   * Join g numbers pairs: the number that groups 0 to g have together, and the number of group g + 1. The numbers of
   * the last join are those of combinations.
   */
  const joins = groups.slice(1).map(() => new Map<number, number>());

  /** The values of event i, from its numbers in each group. */
  function valuesOf(numbers: readonly Uint32Array[], i: number): FieldValue[] {
    const all = new Array<FieldValue>(separators.length);
    for (const [g, { members, values: own }] of groups.entries())
      for (const [k, { index }] of members.entries()) all[index] = own[numbers[g]![i]!]![k]!;
    return all;
  }

  const numbers = groups.map(() => new Uint32Array(0));
  return {
    columns: groups.map(({ column }) => column),
    byIndex: null,
    isShared: source.team.size === 1,
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
const MAX_NUMBERS = 2 ** 26;

interface Member {
  /** The index of the separator. */
  readonly index: number;
  readonly field: ReportField;
  readonly storage: FieldStorage;
}

/** Separators that are read from one column: together they have hardly more combinations than the column has values. */
interface ColumnGroup extends Pick<Combinations, 'byIndex'> {
  readonly column: ColumnName;
  readonly members: readonly Member[];
  /** Writes the number of the members' values for each of the events at `positions`. */
  number(chunk: Chunk, positions: Positions, into: Uint32Array): void;
  readonly values: readonly (readonly FieldValue[])[];
}

function byColumn(separators: readonly Separator[]): Member[][] {
  const groups = new Map<ColumnName, Member[]>();
  for (const [index, { field }] of separators.entries()) {
    const storage = storageOf(field);
    const column = columnOf(storage);
    groups.set(column, [...(groups.get(column) ?? []), { index, field, storage }]);
  }
  return [...groups.values()];
}

async function groupOf(members: readonly Member[], source: ConditionSource): Promise<ColumnGroup> {
  const column = columnOf(members[0]!.storage);
  if (column === 'utm_id') return { members, ...utmNumbers(members, source.utms) };
  if (column === 'user_idx') {
    const { values, numbers } = await source.team.once(() => userNumbers(members, source));
    return { members, values, ...byIndex(column, numbers) };
  }
  const name = column as CodedName;
  const dictionary = source.dictionaries.of(name) ?? new Dictionary();
  const reads = members.map(({ storage }) => {
    if (storage.type !== 'coded') throw new Error(`a separator cannot be read from the column ${column}`);
    return storage.read;
  });
  const numbering = dictionary.numbering(JSON.stringify(members.map(({ field }) => field.name)), (value) =>
    reads.map((read) => (value === null ? null : read(value))),
  );
  return {
    column,
    byIndex: null,
    members,
    values: numbering.values,
    number(chunk, positions, into) {
      const coded = codedOf(chunk, name);
      const { codes } = coded;
      const numbers = dictionary.numbersOf(coded);
      const { numberOf } = numbering;
      for (let i = 0; i < positions.length; i++) into[i] = numberOf[numbers[codes[positions[i]!]!]!]!;
    },
  };
}

interface Numbering {
  /** By number. */
  readonly values: readonly (readonly FieldValue[])[];
  /** Equal values get the same number, new values the next. */
  numberOf(values: readonly FieldValue[]): number;
}

function numbering(): Numbering {
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

type Numbered = Pick<ColumnGroup, 'column' | 'number' | 'byIndex' | 'values'>;

/** The numberings that reports used last. Reports share the labels (chunk-cache.ts), of which there may be many. */
const numberedUtms = new WeakMap<readonly Utm[], LRUCache<string, Numbered>>();
/** Three of the five parts of a UTM, in any order, would need 60 numberings. */
const MAX_NUMBERINGS = 4;

function utmNumbers(members: readonly Member[], utms: readonly Utm[]): Numbered {
  const parts = members.map(({ storage }) => (storage.type === 'utm' ? storage.part : null));
  const known = numberedUtms.get(utms) ?? new LRUCache<string, Numbered>({ max: MAX_NUMBERINGS });
  numberedUtms.set(utms, known);
  const key = parts.join();
  let numbered = known.get(key);
  if (numbered === undefined) {
    const { values, numberOf } = numbering();
    const byUtm = Uint32Array.from(utms, (utm) => numberOf(parts.map((part) => part && utm[part])));
    numbered = { values, ...byIndex('utm_id', byUtm) };
    known.set(key, numbered);
  }
  return numbered;
}

/** @param numbers by the column's index */
function byIndex(column: IndexName, numbers: Uint32Array): Pick<ColumnGroup, 'column' | 'number' | 'byIndex'> {
  return {
    column,
    byIndex: { column, numbers },
    number(chunk, positions, into) {
      const indexes = indexesOf(chunk, column);
      for (let i = 0; i < positions.length; i++) into[i] = numbers[indexes[positions[i]!]!]!;
    },
  };
}

/** The values of users, numbered, and the number of each user's, by the user's index. */
interface UserNumbers {
  readonly numbers: Uint32Array;
  readonly values: readonly (readonly FieldValue[])[];
}

async function userNumbers(members: readonly Member[], source: ConditionSource): Promise<UserNumbers> {
  const columns: UserColumn[] = [];
  for (const { field } of members) {
    const column = await source.userColumns.of(field);
    if (column === null) return userNumbersBySql(members, source);
    columns.push(column);
  }
  return columns.map((column) => column.numbered()).reduce(pairs);
}

/** Numbers the pairs of values that users have. */
function pairs(left: UserNumbers, right: UserNumbers): UserNumbers {
  const values: (readonly FieldValue[])[] = [];
  const known = new Map<number, number>();
  const numbers = new Uint32Array(left.numbers.length);
  for (let user = 0; user < numbers.length; user++) {
    const [a, b] = [left.numbers[user]!, right.numbers[user]!];
    const pair = a * MAX_NUMBERS + b;
    let number = known.get(pair);
    if (number === undefined) {
      number = values.push([...left.values[a]!, ...right.values[b]!]) - 1;
      known.set(pair, number);
    }
    numbers[user] = number;
  }
  return { numbers, values };
}

/**
 * One row for each user, because a field may have a value for each; the values come as bytes, and equal ones are made a value
 * once.
 */
async function userNumbersBySql(
  members: readonly Member[],
  { botId, tables, members: saved, copy, users }: ConditionSource,
): Promise<UserNumbers> {
  const { values: combined, numberOf } = numbering();
  const numbers = new Uint32Array(users);
  const values = members.map(({ field }) => shownSql(field, userColumnSql(field, tables, saved)));
  const known = new Map<string, number>();
  await copy(
    withConstants(sql`SELECT k.idx, ${sql.join(values)} FROM ${knownUsersSql(tables)} WHERE k.bot_id = ${botId}`),
    1 + members.length,
    (bytes, starts, lengths) => {
      const end = starts[members.length]! + Math.max(0, lengths[members.length]!);
      // The lengths of the fields are among their bytes, so that no two rows of different values have the same bytes.
      const key = bytes.toString('latin1', starts[1]! - FIELD_LENGTH, end);
      let number = known.get(key);
      if (number === undefined) {
        number = numberOf(
          members.map(({ field }, i) => {
            const [start, length] = [starts[i + 1]!, lengths[i + 1]!];
            return length < 0 ? null : fieldValue(field.type, bytes.toString('utf8', start, start + length));
          }),
        );
        known.set(key, number);
      }
      numbers[bytes.readInt32BE(starts[0]!)] = number;
    },
  );
  return { numbers, values: combined };
}

/** Bytes before each field in the binary format of COPY. */
const FIELD_LENGTH = 4;

/** A field's value as the text that answers show: values that look alike are one. A date has whole seconds in answers. */
function shownSql({ type }: ReportField, column: RawBuilder<unknown>): RawBuilder<unknown> {
  return type === 'date' ? sql`(floor(${column} / 1000.0) * 1000)::bigint::text` : sql`(${column})::text`;
}
