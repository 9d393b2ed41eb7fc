import { type RawBuilder, sql } from 'kysely';
import { parse } from 'lossless-json';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import { combinationKey } from '../../domain/report/breakdown.ts';
import type { ReportField } from '../../domain/report/fields.ts';
import type { Separator } from '../../domain/report/report.ts';
import {
  type Chunk,
  type CodedName,
  type ColumnName,
  codedOf,
  type PlaceName,
  placesOf,
} from '../../projections/events/packed/chunk.ts';
import { knownUsersSql } from './columns.ts';
import { columnOf, type FieldPlace, placeOf } from './field-columns.ts';
import { type MatcherSource, userColumnSql } from './matcher.ts';

/** The combinations of the separators' values that events have, numbered as they are met. */
export interface Combinations {
  readonly columns: readonly ColumnName[];
  on(chunk: Chunk): (at: number) => number;
  /** By number, the values of each. */
  readonly values: readonly (readonly FieldValue[])[];
}

export async function combinationsOf(separators: readonly Separator[], source: MatcherSource): Promise<Combinations> {
  const groups: Group[] = [];
  for (const members of byColumn(separators)) groups.push(await groupOf(members, source));
  const [only, another] = groups;
  // All separators are of one column, in their order.
  if (only !== undefined && another === undefined) return { columns: [only.column], values: only.values, on: only.on };
  const values: FieldValue[][] = [];
  /** From the number of what comes before and the group's own to the number of both; the last are those of combinations. */
  const joins = groups.slice(1).map(() => new Map<number, number>());

  /** A combination of what its groups have. */
  function numbered(parts: readonly number[], number: number): number {
    if (values[number] === undefined) {
      const all = new Array<FieldValue>(separators.length);
      for (const [i, { members, values: own }] of groups.entries())
        for (const [k, { index }] of members.entries()) all[index] = own[parts[i]!]![k]!;
      values[number] = all;
    }
    return number;
  }

  return {
    columns: groups.map(({ column }) => column),
    values,
    on(chunk) {
      const numbersAt = groups.map((group) => group.on(chunk));
      const [first, ...others] = numbersAt;
      const parts = new Array<number>(groups.length);
      return (at) => {
        let number = first!(at);
        parts[0] = number;
        for (let i = 0; i < others.length; i++) {
          const own = others[i]!(at);
          parts[i + 1] = own;
          const key = number * MOST + own;
          const join = joins[i]!;
          const known = join.get(key);
          number = known ?? join.size;
          if (known === undefined) join.set(key, number);
        }
        return numbered(parts, number);
      };
    },
  };
}

/** More than a bot has users, or values of a field. */
const MOST = 2 ** 26;

interface Member {
  /** Of the separator. */
  readonly index: number;
  readonly field: ReportField;
  readonly place: FieldPlace;
}

/** Separators whose values come from one column, so that they have few combinations, if any more than values. */
interface Group {
  readonly column: ColumnName;
  readonly members: readonly Member[];
  /** The number of what an event has in them. */
  on(chunk: Chunk): (at: number) => number;
  readonly values: readonly (readonly FieldValue[])[];
}

function byColumn(separators: readonly Separator[]): Member[][] {
  const groups = new Map<ColumnName, Member[]>();
  for (const [index, { field }] of separators.entries()) {
    const place = placeOf(field);
    const column = columnOf(place);
    groups.set(column, [...(groups.get(column) ?? []), { index, field, place }]);
  }
  return [...groups.values()];
}

async function groupOf(members: readonly Member[], source: MatcherSource): Promise<Group> {
  const column = columnOf(members[0]!.place);
  const values: (readonly FieldValue[])[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (own: readonly FieldValue[]): number => {
    const key = combinationKey(own);
    let number = numbers.get(key);
    if (number === undefined) {
      number = values.push(own) - 1;
      numbers.set(key, number);
    }
    return number;
  };
  if (column === 'user_idx') {
    const byUser = await usersNumbers(members, numberOf, source);
    return { column, members, values, on: numbersAt('user_idx', byUser) };
  }
  if (column === 'utm_id') {
    const byUtm = Uint32Array.from(source.utms, (utm) =>
      numberOf(members.map(({ place }) => (place.type === 'utm' ? utm[place.part] : null))),
    );
    return { column, members, values, on: numbersAt('utm_id', byUtm) };
  }
  const reads = members.map(({ place }) => {
    if (place.type !== 'coded') throw new Error(`no separator stands in ${column}`);
    return place.read;
  });
  /** As chunks have them. */
  const known = new Map<string | number | null, number>();
  return {
    column,
    members,
    values,
    on(chunk) {
      const { codes, values: coded } = codedOf(chunk, column as CodedName);
      /** Found when an event has the code: the number plus one. */
      const table = new Uint32Array(coded.length);
      return (at) => {
        const code = codes[at]!;
        const number = table[code]!;
        if (number !== 0) return number - 1;
        const value = coded[code]!;
        let found = known.get(value);
        if (found === undefined) {
          found = numberOf(reads.map((read) => (value === null ? null : read(value))));
          known.set(value, found);
        }
        table[code] = found + 1;
        return found;
      };
    },
  };
}

/** @param numbers by place */
function numbersAt(column: PlaceName, numbers: Uint32Array): Group['on'] {
  return (chunk) => {
    const places = placesOf(chunk, column);
    return (at) => numbers[places[at]!]!;
  };
}

/** By the users' places, the number of what they have. */
async function usersNumbers(
  members: readonly Member[],
  numberOf: (values: readonly FieldValue[]) => number,
  { botId, tables, query, users }: MatcherSource,
): Promise<Uint32Array> {
  const numbers = new Uint32Array(users);
  const names = members.map((_, i) => sql.id(`c${i}`));
  const values = members.map(({ field }, i): RawBuilder<unknown> => {
    const column = userColumnSql(field, tables);
    return sql`${field.type === 'boolean' ? column : sql`(${column})::text`} AS ${names[i]!}`;
  });
  const found = await query(sql<UserValues>`
    SELECT ${sql.join(names)}, string_agg(int4send(idx), '') AS places
      FROM (SELECT k.idx, ${sql.join(values)} FROM ${knownUsersSql(tables)} WHERE k.bot_id = ${botId}) AS u
     GROUP BY ${sql.join(names)}`);
  for (const row of found) {
    const number = numberOf(members.map(({ field }, i) => fieldValue(field.type, row[`c${i}`] as UserValue)));
    const places = row['places'] as Buffer;
    for (let at = 0; at < places.length; at += 4) numbers[places.readInt32BE(at)] = number;
  }
  return numbers;
}

type UserValue = string | boolean | null;
type UserValues = Readonly<Record<string, UserValue | Buffer>>;

function fieldValue(type: ReportField['type'], value: UserValue): FieldValue {
  if (typeof value !== 'string') return value;
  if (type === 'date') return Number(value);
  return type === 'dynamic' ? (parse(value) as FieldValue) : value;
}
