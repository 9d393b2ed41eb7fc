import { type RawBuilder, sql } from 'kysely';
import { type Condition, fieldsOf } from '../../domain/condition/condition.ts';
import { type FieldValue, predicateOf, roundedRange } from '../../domain/condition/predicate.ts';
import type { ReportField } from '../../domain/reports/fields.ts';
import {
  type Chunk,
  type ColumnName,
  codedOf,
  numbersOf,
  type PlaceName,
  placesOf,
} from '../../projections/events/packed/chunk.ts';
import { columnSql, knownUsersSql, type ReportTables } from './columns.ts';
import { conditionSql } from './condition-sql.ts';
import { columnOf, placeOf, type UtmPart } from './field-columns.ts';
import { roundedOf } from './rounded.ts';
import type { Query } from './snapshot.ts';

/** Whether the condition holds for the event at a place of a chunk. */
export type Test = (at: number) => boolean;

/** A condition that events of chunks are tested with. */
export interface Matcher {
  readonly columns: readonly ColumnName[];
  on(chunk: Chunk): Test;
}

export interface MatcherSource {
  readonly botId: number;
  readonly tables: ReportTables;
  readonly query: Query;
  /** The labels of UTM combinations, by their ids; empty if the report names none. */
  readonly utms: readonly Utm[];
  readonly users: number;
}

/** The first stands for no UTM. */
export type Utm = Readonly<Record<UtmPart, string | null>>;

/**
 * Makes a condition ready for chunks. What it says of a coded column is found out once for each value of a chunk, and what
 * it says of users or sessions once for all, by the database.
 */
export async function matcherOf(condition: Condition<ReportField>, source: MatcherSource): Promise<Matcher> {
  const fields = fieldsOf(condition);
  const places = fields.map((field) => placeOf(field));
  if (places.every(({ type }) => type === 'user')) return userMatcher(condition, source);
  switch (condition.type) {
    case 'and':
    case 'or': {
      const parts: Matcher[] = [];
      for (const part of byKind(condition.type, condition.conditions)) parts.push(await matcherOf(part, source));
      const columns = parts.flatMap((part) => part.columns);
      const all = condition.type === 'and';
      return {
        columns,
        on: (chunk) =>
          joined(
            parts.map((part) => part.on(chunk)),
            all,
          ),
      };
    }
    case 'not': {
      const negated = await matcherOf(condition.condition, source);
      return {
        columns: negated.columns,
        on(chunk) {
          const test = negated.on(chunk);
          return (at) => !test(at);
        },
      };
    }
    default:
      return leafMatcher(condition, source);
  }
}

type Leaf = Exclude<Condition<ReportField>, { type: 'and' | 'or' | 'not' }>;

/** Conditions on users only as one, which is one question to the database. */
function byKind(type: 'and' | 'or', conditions: readonly Condition<ReportField>[]): readonly Condition<ReportField>[] {
  const isOfUser = (condition: Condition<ReportField>) =>
    fieldsOf(condition).every((field) => placeOf(field).type === 'user');
  const ofUser = conditions.filter(isOfUser);
  if (ofUser.length < 2) return conditions;
  return [...conditions.filter((condition) => !isOfUser(condition)), { type, conditions: ofUser }];
}

function joined(tests: readonly Test[], all: boolean): Test {
  return (at) => {
    for (let i = 0; i < tests.length; i++) if (tests[i]!(at) !== all) return !all;
    return all;
  };
}

function leafMatcher(leaf: Leaf, source: MatcherSource): Matcher | Promise<Matcher> {
  const place = placeOf(leaf.field);
  const holds = predicateOf<ReportField, FieldValue>(leaf, () => (value) => value);
  const columns = [columnOf(place)];
  switch (place.type) {
    case 'coded': {
      const { column, read } = place;
      const isIn = leaf.type === 'range' && leaf.field.type === 'number' ? roundedRange(leaf) : null;
      return {
        columns,
        on(chunk) {
          const coded = codedOf(chunk, column);
          const { codes, values } = coded;
          const rounded = isIn && roundedOf(coded);
          const yes = new Uint8Array(values.length);
          for (let code = 0; code < values.length; code++) {
            const value = values[code]!;
            if (value === null) continue;
            const said = rounded ? isIn!(rounded[code]!) : undefined;
            if (said ?? holds(read(value))) yes[code] = 1;
          }
          return (at) => yes[codes[at]!] === 1;
        },
      };
    }
    case 'moment': {
      const { column } = place;
      return {
        columns,
        on(chunk) {
          const moments = numbersOf(chunk, column);
          return (at) => holds(moments[at]!);
        },
      };
    }
    case 'utm':
      return placeMatcher(
        'utm_id',
        Uint8Array.from(source.utms, (utm) => (holds(utm[place.part]) ? 1 : 0)),
      );
    case 'session':
      return sessionMatcher(leaf, place.column, source);
    case 'user':
      return userMatcher(leaf, source);
  }
}

async function userMatcher(condition: Condition<ReportField>, source: MatcherSource): Promise<Matcher> {
  const { botId, tables, query, users } = source;
  const column = (field: ReportField) => userColumnSql(field, tables);
  const [found] = await query(sql<{ places: Buffer | null }>`
    SELECT string_agg(int4send(k.idx), '') AS places FROM ${knownUsersSql(tables)}
     WHERE k.bot_id = ${botId} AND (${conditionSql(condition, column)})`);
  const yes = new Uint8Array(users);
  const places = found!.places ?? Buffer.alloc(0);
  for (let at = 0; at < places.length; at += 4) yes[places.readInt32BE(at)] = 1;
  return placeMatcher('user_idx', yes);
}

/** @param yes by place */
function placeMatcher(column: PlaceName, yes: Uint8Array): Matcher {
  return {
    columns: [column],
    on(chunk) {
      const places = placesOf(chunk, column);
      return (at) => yes[places[at]!] === 1;
    },
  };
}

/** A field of users over {@link knownUsersSql}. */
export function userColumnSql(field: ReportField, tables: ReportTables): RawBuilder<unknown> {
  return field.root === 'events' ? sql.ref('k.user_id') : columnSql(field, tables);
}

/** Sessions are told by their first events, which have their names. */
async function sessionMatcher(
  leaf: Leaf,
  column: 'session' | 'app_session',
  { botId, tables, query }: MatcherSource,
): Promise<Matcher> {
  const name = () => sql`(s.commit_id || '.' || s.idx)`;
  const found = await query(sql<{ session: number }>`
    SELECT s.ord::float8 AS session FROM ${sql.id(tables.events, 'events')} AS s
     WHERE s.bot_id = ${botId} AND ${sql.ref(`s.${column}`)} = s.ord AND (${conditionSql(leaf, name)})`);
  const sessions = new Set(found.map(({ session }) => session));
  return {
    columns: [column],
    on(chunk) {
      const numbers = numbersOf(chunk, column);
      return (at) => sessions.has(numbers[at]!);
    },
  };
}
