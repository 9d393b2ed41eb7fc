import { sql } from 'kysely';
import { type Condition, fieldsOf } from '../../domain/condition/condition.ts';
import { type FieldValue, predicateOf, roundedRange } from '../../domain/condition/predicate.ts';
import type { ReportField } from '../../domain/reports/fields.ts';
import {
  type Chunk,
  type CodedColumn,
  type ColumnName,
  codedOf,
  type IndexName,
  indexesOf,
  numbersOf,
} from '../../projections/events/packed/chunk.ts';
import { conditionSql } from './condition-sql.ts';
import { columnOf, knownUsersSql, type ReportTables, storageOf, type UtmPart, userColumnSql } from './fields.ts';
import type { Query } from './snapshot.ts';

/** Whether the condition holds for the event at a position of a chunk. */
export type EventTest = (at: number) => boolean;

/** A condition that tests events of chunks. */
export interface CompiledCondition {
  readonly columns: readonly ColumnName[];
  testOf(chunk: Chunk): EventTest;
}

export interface ConditionSource {
  readonly botId: number;
  readonly tables: ReportTables;
  readonly query: Query;
  /** The labels of UTM combinations, by their ids; empty if the report names no UTM field. */
  readonly utms: readonly Utm[];
  /** The number of the bot's users. */
  readonly users: number;
}

/** The first, with id 0, stands for no UTM. */
export type Utm = Readonly<Record<UtmPart, string | null>>;

/**
 * Compiles a condition to a test of events. On a coded column it runs once for each value of a chunk. Conditions on users
 * or sessions run once in the database, before the scan.
 */
export async function compileCondition(
  condition: Condition<ReportField>,
  source: ConditionSource,
): Promise<CompiledCondition> {
  const fields = fieldsOf(condition);
  if (fields.every((field) => storageOf(field).type === 'user')) return onUsers(condition, source);
  switch (condition.type) {
    case 'and':
    case 'or': {
      const parts: CompiledCondition[] = [];
      for (const part of withUsersJoined(condition.type, condition.conditions))
        parts.push(await compileCondition(part, source));
      const columns = parts.flatMap((part) => part.columns);
      const all = condition.type === 'and';
      return {
        columns,
        testOf: (chunk) =>
          joined(
            parts.map((part) => part.testOf(chunk)),
            all,
          ),
      };
    }
    case 'not': {
      const negated = await compileCondition(condition.condition, source);
      return {
        columns: negated.columns,
        testOf(chunk) {
          const test = negated.testOf(chunk);
          return (at) => !test(at);
        },
      };
    }
    default:
      return compileLeaf(condition, source);
  }
}

type Leaf = Exclude<Condition<ReportField>, { type: 'and' | 'or' | 'not' }>;

/** The conditions, with those on users alone joined to one, which is one query. */
function withUsersJoined(
  type: 'and' | 'or',
  conditions: readonly Condition<ReportField>[],
): readonly Condition<ReportField>[] {
  const isOnUsers = (condition: Condition<ReportField>) =>
    fieldsOf(condition).every((field) => storageOf(field).type === 'user');
  const ofUsers = conditions.filter(isOnUsers);
  if (ofUsers.length < 2) return conditions;
  return [...conditions.filter((condition) => !isOnUsers(condition)), { type, conditions: ofUsers }];
}

function joined(tests: readonly EventTest[], all: boolean): EventTest {
  return (at) => {
    for (let i = 0; i < tests.length; i++) if (tests[i]!(at) !== all) return !all;
    return all;
  };
}

function compileLeaf(leaf: Leaf, source: ConditionSource): CompiledCondition | Promise<CompiledCondition> {
  const storage = storageOf(leaf.field);
  const holds = predicateOf<ReportField, FieldValue>(leaf, () => (value) => value);
  const columns = [columnOf(storage)];
  switch (storage.type) {
    case 'coded': {
      const { column, read } = storage;
      const isIn = leaf.type === 'range' && leaf.field.type === 'number' ? roundedRange(leaf) : null;
      return {
        columns,
        testOf(chunk) {
          const coded = codedOf(chunk, column);
          const { codes, values } = coded;
          const rounded = isIn && roundedOf(coded);
          const passes = new Uint8Array(values.length);
          for (let code = 0; code < values.length; code++) {
            const value = values[code]!;
            if (value === null) continue;
            const decided = rounded ? isIn!(rounded[code]!) : undefined;
            if (decided ?? holds(read(value))) passes[code] = 1;
          }
          return (at) => passes[codes[at]!] === 1;
        },
      };
    }
    case 'moment': {
      const { column } = storage;
      return {
        columns,
        testOf(chunk) {
          const moments = numbersOf(chunk, column);
          return (at) => holds(moments[at]!);
        },
      };
    }
    case 'utm':
      return byIndex(
        'utm_id',
        Uint8Array.from(source.utms, (utm) => (holds(utm[storage.part]) ? 1 : 0)),
      );
    case 'session':
      return onSessions(leaf, storage.column, source);
    case 'user':
      return onUsers(leaf, source);
  }
}

const roundedColumns = new WeakMap<CodedColumn, Float64Array>();

/** The nearest doubles of a column's decimals, by code. Computed once for all reports that find the column in the cache. */
function roundedOf(column: CodedColumn): Float64Array {
  let rounded = roundedColumns.get(column);
  if (rounded === undefined) {
    rounded = Float64Array.from(column.values, Number);
    roundedColumns.set(column, rounded);
  }
  return rounded;
}

/** The database lists the indexes of the users that fulfil the condition. */
async function onUsers(condition: Condition<ReportField>, source: ConditionSource): Promise<CompiledCondition> {
  const { botId, tables, query, users } = source;
  const column = (field: ReportField) => userColumnSql(field, tables);
  const [found] = await query(sql<{ indexes: Buffer | null }>`
    SELECT string_agg(int4send(k.idx), '') AS indexes FROM ${knownUsersSql(tables)}
     WHERE k.bot_id = ${botId} AND (${conditionSql(condition, column)})`);
  const passes = new Uint8Array(users);
  const indexes = found!.indexes ?? Buffer.alloc(0);
  for (let at = 0; at < indexes.length; at += 4) passes[indexes.readInt32BE(at)] = 1;
  return byIndex('user_idx', passes);
}

/** @param passes 1 where the condition holds, by the column's index */
function byIndex(column: IndexName, passes: Uint8Array): CompiledCondition {
  return {
    columns: [column],
    testOf(chunk) {
      const indexes = indexesOf(chunk, column);
      return (at) => passes[indexes[at]!] === 1;
    },
  };
}

/** The database lists the sessions for which the condition holds. A session's id is that of its first event. */
async function onSessions(
  leaf: Leaf,
  column: 'session' | 'app_session',
  { botId, tables, query }: ConditionSource,
): Promise<CompiledCondition> {
  const id = () => sql`(s.commit_id || '.' || s.idx)`;
  const found = await query(sql<{ session: number }>`
    SELECT s.ord::float8 AS session FROM ${sql.id(tables.events, 'events')} AS s
     WHERE s.bot_id = ${botId} AND ${sql.ref(`s.${column}`)} = s.ord AND (${conditionSql(leaf, id)})`);
  const sessions = new Set(found.map(({ session }) => session));
  return {
    columns: [column],
    testOf(chunk) {
      const numbers = numbersOf(chunk, column);
      return (at) => sessions.has(numbers[at]!);
    },
  };
}
