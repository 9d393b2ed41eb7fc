import { sql } from 'kysely';
import { numbersOf } from '../../columns/chunk.ts';
import { allOf, anyOf, byIndex, byTest, type EventCondition } from '../../columns/event-condition.ts';
import { type EventFilter, eventFilter } from '../../columns/event-filter.ts';
import { holdsFor, type Leaf, valueCondition } from '../../columns/value-condition.ts';
import type { Query, Snapshot } from '../../database/snapshot.ts';
import { type Condition, fieldsOf } from '../../domain/condition/condition.ts';
import { type FieldValue, predicateOf } from '../../domain/condition/predicate.ts';
import type { ReportField } from '../../domain/reports/fields.ts';
import type { Selection } from '../../domain/reports/report.ts';
import type { Dictionaries } from './chunk-cache.ts';
import { conditionSql } from './condition-sql.ts';
import {
  knownUsersSql,
  type ReportTables,
  type SavedSegmentMembers,
  storageOf,
  type Utm,
  userColumnSql,
} from './field-sql.ts';
import type { UserColumn, UserColumns } from './user-columns.ts';

/** The data that the compilation of a report's conditions reads. */
export interface ConditionSource {
  readonly botId: number;
  readonly tables: ReportTables;
  readonly query: Query;
  readonly copy: Snapshot['copy'];
  /** The labels of UTM combinations, by their ids; empty if the report names no UTM field. */
  readonly utms: readonly Utm[];
  /** The number of the bot's users. */
  readonly users: number;
  readonly userColumns: UserColumns;
  /** The users of the saved segments that the report names. */
  readonly members: SavedSegmentMembers;
  readonly dictionaries: Dictionaries;
}

/**
 * Compiles a condition to a test of events. Conditions on users or sessions run once before the scan: on fields that the
 * thread keeps in memory, or in the database.
 */
export async function compileCondition(
  condition: Condition<ReportField>,
  source: ConditionSource,
): Promise<EventCondition> {
  const fields = fieldsOf(condition);
  if (fields.every((field) => storageOf(field).type === 'user')) return onUsers(condition, source);
  switch (condition.type) {
    case 'and':
    case 'or': {
      const parts: EventCondition[] = [];
      for (const part of withUsersJoined(condition.type, condition.conditions))
        parts.push(await compileCondition(part, source));
      return condition.type === 'and' ? allOf(parts) : anyOf(parts);
    }
    case 'not': {
      const negated = await compileCondition(condition.condition, source);
      return byTest(negated.columns, (chunk) => {
        const test = negated.testOf(chunk);
        return (at) => !test(at);
      });
    }
    default:
      return compileLeaf(condition, source);
  }
}

/** Joins the conditions that are only on users to one condition, so that one query finds these users. */
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

function compileLeaf(leaf: Leaf, source: ConditionSource): EventCondition | Promise<EventCondition> {
  const storage = storageOf(leaf.field);
  const holds = holdsFor(leaf);
  switch (storage.type) {
    case 'coded':
      return valueCondition(leaf, storage, source.dictionaries.of);
    case 'moment': {
      const { column } = storage;
      return byTest([column], (chunk) => {
        const moments = numbersOf(chunk, column);
        return (at) => holds(moments[at]!);
      });
    }
    case 'utm':
      return byIndex(
        'utm_id',
        Uint8Array.from(source.utms, (utm) => (holds(utm[storage.part]) ? 1 : 0)),
      );
    case 'session':
      return leaf.type === 'missing' ? withoutSession(storage.column) : onSessions(leaf, storage.column, source);
    case 'user':
      return onUsers(leaf, source);
  }
}

async function onUsers(condition: Condition<ReportField>, source: ConditionSource): Promise<EventCondition> {
  return byIndex('user_idx', await passingUsers(condition, source));
}

function withoutSession(column: 'session' | 'app_session'): EventCondition {
  return byTest([column], (chunk) => {
    const numbers = numbersOf(chunk, column);
    return (at) => Number.isNaN(numbers[at]!);
  });
}

/**
 * The database lists the sessions for which the condition holds. A session's id is the id of its first event. If a late
 * event has moved an archived event to an earlier session, no event has the session of the archived row any more.
 */
async function onSessions(
  leaf: Leaf,
  column: 'session' | 'app_session',
  { botId, tables, query }: ConditionSource,
): Promise<EventCondition> {
  const id = () => sql`(s.commit_id || '.' || s.idx)`;
  const of = sql.ref(column);
  const found = await query(sql<{ session: number }>`
    SELECT s.ord::float8 AS session
      FROM (SELECT ord, ${of}, commit_id, idx FROM ${sql.id(tables.events, 'events')} WHERE bot_id = ${botId}
            UNION ALL
            SELECT r.ord, r.session, r.commit_id, r.idx
              FROM ${sql.id(tables.events, 'archive')} AS a
             CROSS JOIN unnest(a.ord, ${sql.ref(`a.${column}`)}, a.commit_id, a.idx) AS r (ord, session, commit_id, idx)
             WHERE a.bot_id = ${botId}) AS s
     WHERE ${sql.ref(`s.${column}`)} = s.ord AND (${conditionSql(leaf, id)})`);
  const sessions = new Set(found.map(({ session }) => session));
  return byTest([column], (chunk) => {
    const numbers = numbersOf(chunk, column);
    return (at) => sessions.has(numbers[at]!);
  });
}

/** The events of a selection that also fulfil a report's common condition. */
export async function eventFilterOf(
  { eventId, filter }: Selection,
  common: EventCondition | null,
  source: ConditionSource,
): Promise<EventFilter> {
  const own = filter && (await compileCondition(filter, source));
  return eventFilter(
    eventId,
    [common, own].filter((condition) => condition !== null),
  );
}

/** Returns, by the user's index, 1 if the condition (only on users) holds, else 0. */
export async function passingUsers(condition: Condition<ReportField>, source: ConditionSource): Promise<Uint8Array> {
  return (await passingUsersOfColumns(condition, source)) ?? passingUsersBySql(condition, source);
}

/** Evaluates the condition on fields in memory. @returns null: the thread does not keep a field of the condition */
async function passingUsersOfColumns(
  condition: Condition<ReportField>,
  { userColumns, users }: ConditionSource,
): Promise<Uint8Array | null> {
  const columns = new Map<string, UserColumn>();
  for (const field of fieldsOf(condition)) {
    const column = await userColumns.of(field);
    if (column === null) return null;
    columns.set(field.name, column);
  }
  return passes(condition);

  function passes(part: Condition<ReportField>): Uint8Array {
    switch (part.type) {
      case 'and':
      case 'or': {
        const found = new Uint8Array(users).fill(part.type === 'and' ? 1 : 0);
        for (const own of part.conditions.map(passes))
          for (let user = 0; user < users; user++) {
            if (part.type === 'and') found[user]! &= own[user]!;
            else found[user]! |= own[user]!;
          }
        return found;
      }
      case 'not':
        return passes(part.condition).map((holds) => 1 - holds);
      default: {
        const { codes, values } = columns.get(part.field.name)!;
        const holds = predicateOf<ReportField, FieldValue>(part, () => (value) => value);
        const byCode = Uint8Array.from(values, (value) => Number(holds(value)));
        const found = new Uint8Array(users);
        for (let user = 0; user < users; user++) found[user] = byCode[codes[user]!]!;
        return found;
      }
    }
  }
}

/** The database lists the indexes of the users that fulfil the condition. */
async function passingUsersBySql(
  condition: Condition<ReportField>,
  { botId, tables, members, query, users }: ConditionSource,
): Promise<Uint8Array> {
  const column = (field: ReportField) => userColumnSql(field, tables, members);
  const [found] = await query(sql<{ indexes: Buffer | null }>`
    SELECT string_agg(int4send(k.idx), '') AS indexes FROM ${knownUsersSql(tables)}
     WHERE k.bot_id = ${botId} AND (${conditionSql(condition, column)})`);
  const holds = new Uint8Array(users);
  const indexes = found!.indexes ?? Buffer.alloc(0);
  for (let at = 0; at < indexes.length; at += 4) holds[indexes.readInt32BE(at)] = 1;
  return holds;
}
