import { type RawBuilder, sql } from 'kysely';
import { parse } from 'lossless-json';
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
  type PlaceName,
  placesOf,
} from '../../projections/events/packed/chunk.ts';
import { knownUsersSql } from './columns.ts';
import { columnOf, type FieldPlace, placeOf } from './field-columns.ts';
import { type MatcherSource, type Utm, userColumnSql } from './matcher.ts';
import type { Positions } from './positions.ts';

/** The combinations of the separators' values that events have, numbered as they are met. */
export interface Combinations {
  readonly columns: readonly ColumnName[];
  /** Writes the numbers of what the events at `positions` have. */
  number(chunk: Chunk, positions: Positions, into: Uint32Array): void;
  /** Where all separators are of one column of places: the numbers by place. Else null. */
  readonly byPlace: { readonly column: PlaceName; readonly numbers: Uint32Array } | null;
  /** By number, the values of each. */
  readonly values: readonly (readonly FieldValue[])[];
}

export async function combinationsOf(separators: readonly Separator[], source: MatcherSource): Promise<Combinations> {
  const groups: Group[] = [];
  for (const members of byColumn(separators)) groups.push(await groupOf(members, source));
  const [only, another] = groups;
  // All separators are of one column, in their order.
  if (only !== undefined && another === undefined) {
    const { column, values, number, byPlace } = only;
    return { columns: [column], values, number, byPlace };
  }
  const values: FieldValue[][] = [];
  /** From the number of what comes before and the group's own to the number of both; the last are those of combinations. */
  const joins = groups.slice(1).map(() => new Map<number, number>());

  /** A combination of what its groups have. */
  function valuesOf(parts: readonly Uint32Array[], i: number): FieldValue[] {
    const all = new Array<FieldValue>(separators.length);
    for (const [g, { members, values: own }] of groups.entries())
      for (const [k, { index }] of members.entries()) all[index] = own[parts[g]![i]!]![k]!;
    return all;
  }

  const parts = groups.map(() => new Uint32Array(0));
  return {
    columns: groups.map(({ column }) => column),
    byPlace: null,
    values,
    number(chunk, positions, into) {
      const size = positions.length;
      for (const [g, group] of groups.entries()) {
        if (parts[g]!.length < size) parts[g] = new Uint32Array(2 * size);
        group.number(chunk, positions, parts[g]!);
      }
      into.set(parts[0]!.subarray(0, size));
      for (const [g, join] of joins.entries()) {
        const own = parts[g + 1]!;
        for (let i = 0; i < size; i++) {
          const key = into[i]! * MOST + own[i]!;
          let number = join.get(key);
          if (number === undefined) {
            number = join.size;
            join.set(key, number);
            if (g === joins.length - 1) values[number] = valuesOf(parts, i);
          }
          into[i] = number;
        }
      }
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
interface Group extends Pick<Combinations, 'byPlace'> {
  readonly column: ColumnName;
  readonly members: readonly Member[];
  /** Writes the numbers of what the events at `positions` have in them. */
  number(chunk: Chunk, positions: Positions, into: Uint32Array): void;
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
  if (column === 'utm_id') return { members, ...utmsNumbered(members, source.utms) };
  const { values, numberOf } = numbering();
  if (column === 'user_idx') {
    const byUser = await usersNumbers(members, numberOf, source);
    return { members, values, ...byPlace(column, byUser) };
  }
  const reads = members.map(({ place }) => {
    if (place.type !== 'coded') throw new Error(`no separator stands in ${column}`);
    return place.read;
  });
  /** As chunks have them. */
  const known = new Map<string | number | null, number>();
  return {
    column,
    byPlace: null,
    members,
    values,
    number(chunk, positions, into) {
      const { codes, values: coded } = codedOf(chunk, column as CodedName);
      /** Found when an event has the code: the number plus one. */
      const table = new Uint32Array(coded.length);
      for (let i = 0; i < positions.length; i++) {
        const code = codes[positions[i]!]!;
        if (table[code] === 0) table[code] = 1 + numberOfCoded(coded[code]!);
        into[i] = table[code]! - 1;
      }
    },
  };

  function numberOfCoded(value: string | number | null): number {
    let number = known.get(value);
    if (number === undefined) {
      number = numberOf(reads.map((read) => (value === null ? null : read(value))));
      known.set(value, number);
    }
    return number;
  }
}

interface Numbering {
  /** By number. */
  readonly values: readonly (readonly FieldValue[])[];
  /** Of the same values the same, else the next. */
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

type Numbered = Pick<Group, 'column' | 'number' | 'byPlace' | 'values'>;

/** By the parts that were asked for last: reports share the labels (chunk-cache.ts), and there may be many. */
const numberedUtms = new WeakMap<readonly Utm[], LRUCache<string, Numbered>>();
/** Of three parts in their order there are 60. */
const MOST_NUMBERED = 4;

function utmsNumbered(members: readonly Member[], utms: readonly Utm[]): Numbered {
  const parts = members.map(({ place }) => (place.type === 'utm' ? place.part : null));
  const known = numberedUtms.get(utms) ?? new LRUCache<string, Numbered>({ max: MOST_NUMBERED });
  numberedUtms.set(utms, known);
  const key = parts.join();
  let numbered = known.get(key);
  if (numbered === undefined) {
    const { values, numberOf } = numbering();
    const byUtm = Uint32Array.from(utms, (utm) => numberOf(parts.map((part) => part && utm[part])));
    numbered = { values, ...byPlace('utm_id', byUtm) };
    known.set(key, numbered);
  }
  return numbered;
}

/** @param numbers by place */
function byPlace(column: PlaceName, numbers: Uint32Array): Pick<Group, 'column' | 'number' | 'byPlace'> {
  return {
    column,
    byPlace: { column, numbers },
    number(chunk, positions, into) {
      const places = placesOf(chunk, column);
      for (let i = 0; i < positions.length; i++) into[i] = numbers[places[positions[i]!]!]!;
    },
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
    return sql`${shownSql(field, column)} AS ${names[i]!}`;
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

/** Values that are shown alike are one: a date has whole seconds in answers. */
function shownSql({ type }: ReportField, column: RawBuilder<unknown>): RawBuilder<unknown> {
  if (type === 'boolean') return column;
  return type === 'date' ? sql`(floor(${column} / 1000.0) * 1000)::bigint::text` : sql`(${column})::text`;
}

type UserValue = string | boolean | null;
type UserValues = Readonly<Record<string, UserValue | Buffer>>;

function fieldValue(type: ReportField['type'], value: UserValue): FieldValue {
  if (typeof value !== 'string') return value;
  if (type === 'date') return Number(value);
  return type === 'dynamic' ? (parse(value) as FieldValue) : value;
}
