import { type RawBuilder, sql } from 'kysely';
import type { EventFilter, Performed, Segment } from '../../domain/broadcast/audience.ts';
import { conditionSql } from '../reports/condition-sql.ts';
import { columnSql, eventsSql, type ReportTables } from '../reports/fields.ts';

/** The schemas of the read models that audiences are made from: those of conditions, and of lists. */
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

const DAY_MS = 86_400_000;
/** Earlier than any event: the first day that a date can name. */
const ALWAYS = -8_640_000_000_000_000;

/**
 * SQL of the users of a bot as `(chat, included, excluded)`: whether a segment of each list matches them. One pass over the
 * events serves all filters.
 */
export function usersSql(
  include: readonly UserSegment[],
  exclude: readonly UserSegment[],
  { botId, tables, asOf }: UsersSource,
): RawBuilder<unknown> {
  const performed: Performed[] = [];
  const anyOf = (segments: readonly UserSegment[]) => {
    if (segments.length === 0) return sql`FALSE`;
    const parts = segments.map((segment) => segmentSql(segment, tables, performed));
    return sql`(${sql.join(parts, sql` OR `)}) IS TRUE`;
  };
  const [included, excluded] = [anyOf(include), anyOf(exclude)];
  const users = sql`${sql.id(tables.users, 'users')} AS u`;
  const joined =
    performed.length === 0
      ? users
      : sql`${users} LEFT JOIN (${performedSql(performed, { botId, tables, asOf })}) AS p ON p.user_id = u.user_id`;
  return sql`SELECT u.user_id AS chat, ${included} AS included, ${excluded} AS excluded
    FROM ${joined} WHERE u.bot_id = ${botId}::int`;
}

/** @param performed conditions on events are added here; `p` has a column for each, by its index */
function segmentSql(segment: UserSegment, tables: AudienceTables, performed: Performed[]): RawBuilder<unknown> {
  if (segment.type === 'all') return sql`TRUE`;
  const { users, events } = segment;
  const parts = [
    ...(users === null ? [] : [conditionSql(users, (field) => columnSql(field, tables))]),
    ...(events === null ? [] : [eventFilterSql(events, performed)]),
  ];
  // An empty filter, which cannot be activated, matches no user.
  return parts.length === 0 ? sql`FALSE` : sql`(${sql.join(parts, sql` AND `)})`;
}

function eventFilterSql(filter: EventFilter, performed: Performed[]): RawBuilder<unknown> {
  if (filter.type === 'performed') {
    const column = sql.ref(`p.${columnOf(performed.push(filter) - 1)}`);
    return sql`(${column} ${filter.negation ? sql`IS NOT TRUE` : sql`IS TRUE`})`;
  }
  const parts = filter.filters.map((part) => eventFilterSql(part, performed));
  return sql`(${sql.join(parts, filter.type === 'and' ? sql` AND ` : sql` OR `)})`;
}

const columnOf = (index: number) => `performed_${index}`;

/** A row for each user with a matching event: the user, and which conditions match. */
function performedSql(performed: readonly Performed[], { botId, tables, asOf }: UsersSource): RawBuilder<unknown> {
  const matches = performed.map(({ eventId, periodDays, condition }) => {
    const since = periodDays === 0 ? ALWAYS : Math.max(ALWAYS, asOf - periodDays * DAY_MS);
    const parts = [
      ...(eventId === null ? [] : [sql`e.event_id = ${eventId}::bigint`]),
      ...(since === ALWAYS ? [] : [sql`e.date >= ${since}::bigint`]),
      ...(condition === null ? [] : [conditionSql(condition, (field) => columnSql(field, tables))]),
    ];
    return parts.length === 0 ? sql`TRUE` : sql`(${sql.join(parts, sql` AND `)})`;
  });
  // If there is one filter, the rows are selected by it.
  const columns = matches.map((match, index) => {
    const name = sql.id(columnOf(index));
    return matches.length === 1 ? sql`TRUE AS ${name}` : sql`bool_or(${match}) AS ${name}`;
  });
  return sql`SELECT e.user_id, ${sql.join(columns)} FROM ${eventsSql(tables)}
    WHERE e.bot_id = ${botId}::int AND (${sql.join(matches, sql` OR `)}) GROUP BY e.user_id`;
}
