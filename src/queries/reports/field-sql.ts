import { type RawBuilder, sql } from 'kysely';
import { LosslessNumber } from 'lossless-json';
import type { CodedName, ColumnName } from '../../columns/chunk.ts';
import { propertyColumn } from '../../columns/property-codes.ts';
import { ofBot } from '../../database/of-bot.ts';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import type { EventColumn, ReportField } from '../../domain/reports/fields.ts';

/** Where the values of report fields are stored: in the columns of chunks, for scans, and in SQL. */

/** How a scan gets the value of a field for an event. */
export type FieldStorage =
  /** In a coded column. `read` converts a value of the column to a value of the field. */
  | { readonly type: 'coded'; readonly column: CodedName; readonly read: (value: string | number) => FieldValue }
  /** A column of milliseconds since 1970 UTC. */
  | { readonly type: 'moment'; readonly column: 'date' | 'date_received' }
  /** A label of the event's UTM combination. */
  | { readonly type: 'utm'; readonly part: UtmPart }
  /** A field of the event's user. */
  | { readonly type: 'user' }
  | { readonly type: 'session'; readonly column: 'session' | 'app_session' };

type UtmPart = 'source' | 'medium' | 'campaign' | 'term' | 'content';

/** The first, with id 0, stands for no UTM. */
export type Utm = Readonly<Record<UtmPart, string | null>>;

export function storageOf({ root, key }: ReportField): FieldStorage {
  if (root === 'events.properties') {
    const column = PROPERTY_COLUMNS.get(key);
    if (column !== undefined) return { type: 'coded', column, read: asText };
    return { type: 'coded', column: propertyColumn(key), read: propertyValue };
  }
  if (root !== 'events') return USER;
  switch (key as EventColumn) {
    case 'date':
    case 'date_received':
      return { type: 'moment', column: key as 'date' | 'date_received' };
    case 'user_id':
      return USER;
    case 'event_type_id':
      return { type: 'coded', column: 'event_id', read: asText };
    case 'session_id':
      return { type: 'session', column: 'session' };
    case 'app_session_id':
      return { type: 'session', column: 'app_session' };
    case 'utm_source':
    case 'utm_medium':
    case 'utm_campaign':
    case 'utm_term':
    case 'utm_content': {
      return { type: 'utm', part: key.slice('utm_'.length) as UtmPart };
    }
    default:
      return { type: 'coded', column: key as CodedName, read: asText };
  }
}

/** The column of chunks that a field is read from, or that decides its value. */
export function columnOf(storage: FieldStorage): ColumnName {
  if (storage.type === 'user') return 'user_idx';
  return storage.type === 'utm' ? 'utm_id' : storage.column;
}

const USER: FieldStorage = { type: 'user' };

/** Properties that have a separate column (decisions.md#report-fields). */
const PROPERTY_COLUMNS: ReadonlyMap<string, CodedName> = new Map(
  (['value_str', 'category', 'webapp_name', 'unit'] as const).map((name) => [name, name]),
);

function asText(value: string | number): string {
  return String(value);
}

/** The value of a property from its JSON text. Reads the usual texts itself: it runs once for each value of a column. */
function propertyValue(json: string | number): FieldValue {
  const text = String(json);
  if (!text.startsWith('"')) return text === 'true' || text === 'false' ? text === 'true' : new LosslessNumber(text);
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
}

/** The schemas of the read models that reports read. */
export interface ReportTables {
  readonly events: string;
  readonly users: string;
  readonly referral: string;
}

/**
 * Events joined with their data: `e` the event, `t` its UTM combination, `u` its user as of now. PostgreSQL removes an
 * unused join, because the joined side is unique.
 * @param source of the events; without it, the events that are not archived
 */
export function eventsSql(
  { events, users }: ReportTables,
  source: RawBuilder<unknown> = sql.id(events, 'events'),
): RawBuilder<unknown> {
  return sql`${source} AS e
    LEFT JOIN ${sql.id(events, 'utms')} AS t ON t.bot_id = e.bot_id AND t.utm_id = e.utm_id
    LEFT JOIN ${sql.id(users, 'users')} AS u ON u.bot_id = e.bot_id AND u.user_id = e.user_id`;
}

/** The users that events can have: `k` with their indexes, `u` the user as of now, if the users' read model has it. */
export function knownUsersSql({ events, users }: ReportTables): RawBuilder<unknown> {
  return sql`${sql.id(events, 'known_users')} AS k
    LEFT JOIN ${sql.id(users, 'users')} AS u ON u.bot_id = k.bot_id AND u.user_id = k.user_id`;
}

/** A field as an expression over {@link knownUsersSql}: a field of the user, or the user's id. */
export function userColumnSql(
  field: ReportField,
  tables: ReportTables,
  members: SavedSegmentMembers,
): RawBuilder<unknown> {
  if (field.root === 'user.saved_segments') return isMarked(members, field.key, sql.ref('k.idx'));
  return field.root === 'events' ? sql.ref('k.user_id') : columnSql(field, tables, members);
}

/**
 * A field as an expression over {@link eventsSql}. Names of open-ended roots become parameters.
 * @param members of the saved segments that are among the fields
 * @param only the bot of the rows. Null: the statement names no bot (`namedBot`)
 */
export function columnSql(
  { root, key, type }: ReportField,
  tables: ReportTables,
  members: SavedSegmentMembers = NO_MEMBERS,
  only: number | null = null,
): RawBuilder<unknown> {
  switch (root) {
    case 'events':
      return EVENT_COLUMNS[key as EventColumn](tables);
    case 'events.properties':
      if (PROPERTY_COLUMNS.has(key)) return sql.ref(`e.${key}`);
      return type === 'dynamic' ? sql`e.properties -> ${key}::text` : sql`e.properties ->> ${key}::text`;
    case 'user':
      return sql.ref(`u.${key}`);
    case 'user.custom_fields':
      return sql`u.custom_fields -> ${key}::text`;
    case 'user.saved_segments':
      return memberSql(tables, members, key);
    case 'user.addition_fields':
      return REFERRAL_COLUMNS.has(key) ? referralSql(key, tables, only) : sql`u.addition_fields ->> ${key}::text`;
  }
}

/** The users are found once, not for each row. */
function memberSql({ events }: ReportTables, members: SavedSegmentMembers, key: string): RawBuilder<unknown> {
  return sql`(u.user_id IN (SELECT m.user_id FROM ${sql.id(events, 'known_users')} AS m
    WHERE m.bot_id = ${members.botId} AND ${isMarked(members, key, sql.ref('m.idx'))})) IS TRUE`;
}

function isMarked({ of }: SavedSegmentMembers, key: string, index: RawBuilder<unknown>): RawBuilder<unknown> {
  const bits = `\\x${bitsOf(of(key)).toString('hex')}`;
  return sql`(get_bit(${bits}::bytea, ${index}) = 1)`;
}

/** Whether the field is read only from the user's row. */
export function isOfUserRow({ root, key }: ReportField): boolean {
  if (root === 'user.addition_fields') return !REFERRAL_COLUMNS.has(key);
  return root === 'user' || root === 'user.custom_fields';
}

/** Additional fields that come from the referral read model, not from the user's own data. */
const REFERRAL_COLUMNS: ReadonlyMap<string, string> = new Map([
  ['referrer_id', 'referrer_id'],
  ['referral_code', 'code'],
]);

function referralSql(key: string, { referral }: ReportTables, only: number | null): RawBuilder<unknown> {
  return sql`(SELECT ${sql.ref(`r.${REFERRAL_COLUMNS.get(key)!}`)} FROM ${sql.id(referral, 'referrals')} AS r
    WHERE r.bot_id = u.bot_id AND r.user_id = u.user_id AND ${sql.raw(ofBot('r.bot_id', only))})`;
}

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
 * The public id of a session: `<commit>.<index>` of its earliest event. It is the same on every engine (bot errors have
 * ids of the same form). Rows hold that event's `ord` instead: it is smaller and differs between engines.
 */
function sessionId(of: 'session' | 'app_session', { events }: ReportTables): RawBuilder<unknown> {
  const session = sql.ref(`e.${of}`);
  const archive = sql.id(events, 'archive');
  // The event is archived or, seldom, only its session's first one: in the same chunk or one shortly before.
  const archived = sql`
    (SELECT a.commit_id[i] || '.' || a.idx[i] FROM ${archive} AS a CROSS JOIN array_position(a.ord, ${session}) AS i
      WHERE a.bot_id = e.bot_id AND i IS NOT NULL AND a.last_date <= coalesce(
        (SELECT min(l.last_date) FROM ${archive} AS l WHERE l.bot_id = e.bot_id AND l.last_date > e.date), e.date)
      ORDER BY a.last_date DESC LIMIT 1)`;
  return sql`coalesce((SELECT s.commit_id || '.' || s.idx FROM ${sql.id(events, 'events')} AS s
    WHERE s.bot_id = e.bot_id AND s.user_id = e.user_id AND s.date <= e.date AND s.ord = ${session}),
    CASE WHEN ${session} IS NOT NULL THEN ${archived} END)`;
}

/** The users of the saved segments that a report names. */
export interface SavedSegmentMembers {
  readonly botId: number;
  /** By the user's index: 1 if the user is in the saved segment, else 0. @param key the key of its field: the id */
  of(key: string): Uint8Array;
}

/** Of a report that names no saved segment. */
export const NO_MEMBERS: SavedSegmentMembers = {
  botId: 0,
  of(key) {
    throw new Error(`the users of saved segment ${key} were not looked up`);
  },
};

/** Marks as bits: bit i belongs to the user with index i, as `get_bit` of PostgreSQL counts them. */
function bitsOf(members: Uint8Array): Buffer {
  const bits = Buffer.alloc(Math.ceil(members.length / 8));
  for (let user = 0; user < members.length; user++) bits[user >>> 3]! |= members[user]! << (user & 7);
  return bits;
}
