import { type RawBuilder, sql } from 'kysely';
import type { EventColumn, ReportField } from '../../domain/reports/fields.ts';

/** The schemas of the read models that reports read. */
export interface ReportTables {
  readonly events: string;
  readonly users: string;
  readonly referral: string;
}

/**
 * Events with what belongs to them: `e` the event, `t` its UTM, `u` its user as of now. Postgres leaves out a join of
 * which nothing is used, since both sides are unique.
 */
export function eventsSql({ events, users }: ReportTables): RawBuilder<unknown> {
  return sql`${sql.id(events, 'events')} AS e
    LEFT JOIN ${sql.id(events, 'utms')} AS t ON t.bot_id = e.bot_id AND t.utm_id = e.utm_id
    LEFT JOIN ${sql.id(users, 'users')} AS u ON u.bot_id = e.bot_id AND u.user_id = e.user_id`;
}

/** The users of a bot that events may have: `k` with their places, `u` as of now, as far as there is one. */
export function knownUsersSql({ events, users }: ReportTables): RawBuilder<unknown> {
  return sql`${sql.id(events, 'known_users')} AS k
    LEFT JOIN ${sql.id(users, 'users')} AS u ON u.bot_id = k.bot_id AND u.user_id = k.user_id`;
}

/** A field as an expression over {@link eventsSql}. Names of open-ended roots go into parameters. */
export function columnSql({ root, key }: ReportField, tables: ReportTables): RawBuilder<unknown> {
  switch (root) {
    case 'events':
      return EVENT_COLUMNS[key as EventColumn](tables);
    case 'events.properties':
      return PROPERTY_COLUMNS.has(key) ? sql.ref(`e.${key}`) : sql`e.properties ->> ${key}::text`;
    case 'user':
      return sql.ref(`u.${key}`);
    case 'user.custom_fields':
      return sql`u.custom_fields -> ${key}::text`;
    case 'user.addition_fields':
      return REFERRAL_COLUMNS.has(key) ? referralSql(key, tables) : sql`u.addition_fields ->> ${key}::text`;
  }
}

/** Of these fields, who referred the user is not the user's own to tell. */
const REFERRAL_COLUMNS: ReadonlyMap<string, string> = new Map([
  ['referrer_id', 'referrer_id'],
  ['referral_code', 'code'],
]);

function referralSql(key: string, { referral }: ReportTables): RawBuilder<unknown> {
  return sql`(SELECT ${sql.ref(`r.${REFERRAL_COLUMNS.get(key)!}`)} FROM ${sql.id(referral, 'referrals')} AS r
    WHERE r.bot_id = u.bot_id AND r.user_id = u.user_id)`;
}

/** Properties that are columns of their own (decisions.md#report-fields). */
const PROPERTY_COLUMNS: ReadonlySet<string> = new Set(['value_str', 'category', 'webapp_name', 'unit']);

const column = (name: string) => () => sql.ref(name);

const EVENT_COLUMNS: Readonly<Record<EventColumn, (tables: ReportTables) => RawBuilder<unknown>>> = {
  date: column('e.date'),
  user_id: column('e.user_id'),
  event_type_id: column('e.event_id'),
  value_int: column('e.value_int'),
  value_amount: column('e.value_amount'),
  unit: column('e.unit'),
  value_str: column('e.value_str'),
  category: column('e.category'),
  webapp_name: column('e.webapp_name'),
  session_id: (tables) => sessionId('session', tables),
  app_session_id: (tables) => sessionId('app_session', tables),
  date_received: column('e.date_received'),
  utm_source: column('t.source'),
  utm_medium: column('t.medium'),
  utm_campaign: column('t.campaign'),
  utm_term: column('t.term'),
  utm_content: column('t.content'),
};

/**
 * What callers know a session by: its earliest event, as the log names it on every engine (`<commit>.<index>`; bot errors
 * are named so too). Rows hold that event's `ord` instead, which is smaller and differs between engines.
 */
function sessionId(of: 'session' | 'app_session', { events }: ReportTables): RawBuilder<unknown> {
  return sql`(SELECT s.commit_id || '.' || s.idx FROM ${sql.id(events, 'events')} AS s
    WHERE s.bot_id = e.bot_id AND s.user_id = e.user_id AND s.date <= e.date AND s.ord = ${sql.ref(`e.${of}`)})`;
}
