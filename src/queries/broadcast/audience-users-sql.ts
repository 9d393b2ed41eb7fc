import { type RawBuilder, sql } from 'kysely';
import { type EventFilter, leavesOf, type Performed, type Segment } from '../../domain/broadcast/audience.ts';
import { conditionSql } from '../reports/condition-sql.ts';
import { columnSql, NO_MEMBERS, type ReportTables } from '../reports/field-sql.ts';

/** The schemas of the read models that audiences are made from: for conditions, and for lists. */
export interface AudienceTables extends ReportTables {
  readonly broadcasts: string;
  readonly recipients: string;
}

/** Segments that select users of the bot by fields and events. */
export type UserSegment = Extract<Segment, { type: 'all' | 'filter' }>;

export interface UsersSource {
  readonly botId: number;
  readonly tables: AudienceTables;
  /** The moment that days are counted back from, ms UTC. */
  readonly asOf: number;
}

/** A source as the statements need it. */
export interface PlacedSource extends UsersSource {
  /** The bot, if statements name it (`namedBot`); null: statements name no bot. */
  readonly only: number | null;
}

/** For each condition on events the users who fulfil it: bit i belongs to the user with index i (`known_users.idx`). */
export type PerformedUsers = ReadonlyMap<Performed, Buffer>;

/**
 * SQL of the users of a bot as `(chat, included, excluded)`: whether a segment of each list matches them.
 * @param performed the users of each condition on events in the segments
 */
export function usersSql(
  include: readonly UserSegment[],
  exclude: readonly UserSegment[],
  { botId, tables, only }: PlacedSource,
  performed: PerformedUsers,
): RawBuilder<unknown> {
  const anyOf = (segments: readonly UserSegment[]) => {
    if (segments.length === 0) return sql`FALSE`;
    const parts = segments.map((segment) => segmentSql(segment, { tables, only }, performed));
    return sql`(${sql.join(parts, sql` OR `)}) IS TRUE`;
  };
  const users = sql`${sql.id(tables.users, 'users')} AS u`;
  const joined =
    performed.size === 0
      ? users
      : sql`${users} LEFT JOIN (${performedSql(performed, { botId, tables })}) AS p ON p.user_id = u.user_id`;
  return sql`SELECT u.user_id AS chat, ${anyOf(include)} AS included, ${anyOf(exclude)} AS excluded
    FROM ${joined} WHERE u.bot_id = ${botId}::int`;
}

/** The conditions on events of the segments. */
export function performedIn(segments: readonly UserSegment[]): Performed[] {
  return segments.flatMap((segment) =>
    segment.type === 'all' || segment.events === null ? [] : leavesOf(segment.events),
  );
}

function segmentSql(
  segment: UserSegment,
  { tables, only }: { readonly tables: AudienceTables; readonly only: number | null },
  performed: PerformedUsers,
): RawBuilder<unknown> {
  if (segment.type === 'all') return sql`TRUE`;
  const { users, events } = segment;
  const parts = [
    ...(users === null ? [] : [conditionSql(users, (field) => columnSql(field, tables, NO_MEMBERS, only))]),
    ...(events === null ? [] : [eventFilterSql(events, performed)]),
  ];
  // An empty filter matches no user. No broadcast with one can be activated.
  return parts.length === 0 ? sql`FALSE` : sql`(${sql.join(parts, sql` AND `)})`;
}

function eventFilterSql(filter: EventFilter, performed: PerformedUsers): RawBuilder<unknown> {
  if (filter.type === 'performed') {
    const column = sql.ref(`p.${columnOf([...performed.keys()].indexOf(filter))}`);
    return sql`(${column} ${filter.negation ? sql`IS NOT TRUE` : sql`IS TRUE`})`;
  }
  const parts = filter.filters.map((part) => eventFilterSql(part, performed));
  return sql`(${sql.join(parts, filter.type === 'and' ? sql` AND ` : sql` OR `)})`;
}

const columnOf = (index: number) => `performed_${index}`;

/** A row for each user who fulfils one of the conditions: the user, and which conditions. */
function performedSql(
  performed: PerformedUsers,
  { botId, tables }: Pick<UsersSource, 'botId' | 'tables'>,
): RawBuilder<unknown> {
  const columns = [...performed.values()].map(
    (users, index) => sql`get_bit(${users}::bytea, k.idx) = 1 AS ${sql.id(columnOf(index))}`,
  );
  const met = [...performed.keys()].map((_, index) => sql.ref(columnOf(index)));
  // OFFSET 0 keeps PostgreSQL from computing the columns again for each use.
  return sql`SELECT * FROM (
      SELECT k.user_id, ${sql.join(columns)} FROM ${sql.id(tables.events, 'known_users')} AS k
       WHERE k.bot_id = ${botId}::int OFFSET 0) AS known
    WHERE ${sql.join(met, sql` OR `)}`;
}
