import { type RawBuilder, sql } from 'kysely';
import { parse } from 'lossless-json';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import type { ReportField } from '../../domain/report/fields.ts';
import type { FunnelReport, RetentionReport } from '../../domain/report/report.ts';
import type { Selection, TimelineEvent } from '../../domain/report/timeline.ts';
import { columnSql, eventsSql, type ReportTables } from './columns.ts';

export interface TimelineSource {
  readonly botId: number;
  readonly tables: ReportTables;
  /** Whose values the events carry. */
  readonly fields: readonly ReportField[];
}

/** The timelines of all users of a bot, one after another, of events for which `where` holds; read by {@link eventOf}. */
export function timelineSql(
  { botId, tables, fields }: TimelineSource,
  where: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const columns = [sql`e.user_id`, sql`e.date`, sql`e.event_id`, ...fields.map((field) => valueSql(field, tables))];
  return sql`SELECT ${sql.join(columns)} FROM ${eventsSql(tables)}
    WHERE e.bot_id = ${botId} AND ${where} ORDER BY e.user_id, e.date, e.ord`;
}

/** A row of {@link timelineSql}: whose event it is, and the event. */
export function eventOf(row: readonly unknown[], fields: readonly ReportField[]): [string, TimelineEvent] {
  const values = fields.map(({ type }, index) => fieldValue(type, row[index + 3] as string | boolean | null));
  return [row[0] as string, { date: Number(row[1]), eventId: row[2] as number, values }];
}

function valueSql(field: ReportField, tables: ReportTables): RawBuilder<unknown> {
  const column = columnSql(field, tables);
  return field.type === 'boolean' ? column : sql`(${column})::text`;
}

function fieldValue(type: ReportField['type'], value: string | boolean | null): FieldValue {
  if (typeof value !== 'string') return value;
  if (type === 'date') return Number(value);
  return type === 'dynamic' ? (parse(value) as FieldValue) : value;
}

/** Events that can be a step; what is strict sees all others too. */
export function funnelEventsSql({ period, steps, order }: FunnelReport): RawBuilder<unknown> {
  const inPeriod = sql`e.date >= ${period.from}::bigint AND e.date < ${period.to}::bigint`;
  return order === 'strict' ? inPeriod : sql`${inPeriod} AND ${anyOf(steps)}`;
}

/** Starts in the period, for first starts ever those before it too, and returns in all intervals. */
export function retentionEventsSql({
  period,
  start,
  returning,
  retention,
  calendar: { starts },
}: RetentionReport): RawBuilder<unknown> {
  const since = retention === 'retention_first_time_ever' ? sql`` : sql`e.date >= ${period.from}::bigint AND`;
  const started = sql`${since} e.date < ${period.to}::bigint AND ${anyOf([start])}`;
  const returned = sql`e.date >= ${starts[0]}::bigint AND e.date < ${starts.at(-1)}::bigint AND ${anyOf([returning])}`;
  return sql`((${started}) OR (${returned}))`;
}

function anyOf(selections: readonly Selection[]): RawBuilder<unknown> {
  const ids = selections.map(({ eventId }) => eventId);
  return ids.includes(null) ? sql`TRUE` : sql`e.event_id = ANY(${ids}::bigint[])`;
}
