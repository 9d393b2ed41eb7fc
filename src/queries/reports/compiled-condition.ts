import { sql } from 'kysely';
import { numbersOf } from '../../columns/chunk.ts';
import { allOf, anyOf, byIndex, byTest, type EventCondition } from '../../columns/event-condition.ts';
import { type EventFilter, eventFilter } from '../../columns/event-filter.ts';
import { holdsFor, type Leaf, valueCondition } from '../../columns/value-condition.ts';
import { type Condition, fieldsOf } from '../../domain/condition/condition.ts';
import type { ReportField } from '../../domain/reports/fields.ts';
import type { Selection } from '../../domain/reports/report.ts';
import type { ConditionSource } from './condition-source.ts';
import { conditionSql } from './condition-sql.ts';
import { storageOf } from './fields.ts';
import { passingUsers } from './user-condition.ts';

/**
 * Compiles a condition to a test of events. On a coded column it runs once for each value of a chunk, but a
 * range of decimals compares numbers. Conditions on users
 * or sessions run once in the database, before the scan.
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
  return byIndex('user_idx', await source.team.once(() => passingUsers(condition, source)));
}

function withoutSession(column: 'session' | 'app_session'): EventCondition {
  return byTest([column], (chunk) => {
    const numbers = numbersOf(chunk, column);
    return (at) => Number.isNaN(numbers[at]!);
  });
}

/**
 * The database lists the sessions for which the condition holds. A session's id is that of its first event. An archived event
 * may since be in an earlier session than its own: then no event has its session any more.
 */
async function onSessions(
  leaf: Leaf,
  column: 'session' | 'app_session',
  { botId, tables, query, team }: ConditionSource,
): Promise<EventCondition> {
  const id = () => sql`(s.commit_id || '.' || s.idx)`;
  const sessions = await team.once(async () => {
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
    return new Set(found.map(({ session }) => session));
  });
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
    source.team,
  );
}
