import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { CodedName, ColumnName } from '../../columns/chunk.ts';
import {
  type ColumnGroup,
  type Combinations,
  combinationsOf,
  MAX_NUMBERS,
  type Numbered,
  numberedIndexes,
  numberedValues,
  valueNumbers,
} from '../../columns/combinations.ts';
import { withConstants } from '../../database/statement.ts';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import type { ReportField } from '../../domain/reports/fields.ts';
import type { Separator } from '../../domain/reports/report.ts';
import type { ConditionSource } from './conditions.ts';
import { columnOf, type FieldStorage, knownUsersSql, storageOf, type Utm, userColumnSql } from './field-sql.ts';
import { fieldValue, type UserColumn } from './user-columns.ts';

export async function separatorCombinations(
  separators: readonly Separator[],
  source: ConditionSource,
): Promise<Combinations> {
  const groups: ColumnGroup[] = [];
  for (const members of byColumn(separators)) {
    const places = members.map(({ index }) => index);
    groups.push({ places, ...(await numberedBy(members, source)) });
  }
  return combinationsOf(groups);
}

interface Member {
  /** The index of the separator. */
  readonly index: number;
  readonly field: ReportField;
  readonly storage: FieldStorage;
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

async function numberedBy(members: readonly Member[], source: ConditionSource): Promise<Numbered> {
  const column = columnOf(members[0]!.storage);
  if (column === 'utm_id') return utmNumbers(members, source.utms);
  if (column === 'user_idx') {
    const { values, numbers } = await userNumbers(members, source);
    return { values, ...numberedIndexes(column, numbers) };
  }
  const name = column as CodedName;
  const reads = members.map(({ storage }) => {
    if (storage.type !== 'coded') throw new Error(`a separator cannot be read from the column ${column}`);
    return storage.read;
  });
  const key = JSON.stringify(members.map(({ field }) => field.name));
  return numberedValues(name, source.dictionaries.of(name), key, reads);
}

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
    const { values, numberOf } = valueNumbers();
    const byUtm = Uint32Array.from(utms, (utm) => numberOf(parts.map((part) => part && utm[part])));
    numbered = { values, ...numberedIndexes('utm_id', byUtm) };
    known.set(key, numbered);
  }
  return numbered;
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
  const { values: combined, numberOf } = valueNumbers();
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
