import { type RawBuilder, sql } from 'kysely';
import type { Measure } from '../../domain/report/aggregation.ts';
import type { Metric, TrendsReport } from '../../domain/report/report.ts';
import { columnSql, eventsSql, type ReportTables } from './columns.ts';
import { conditionSql } from './condition-sql.ts';
import { statisticSql } from './statistic-sql.ts';

/** The columns that {@link trendsSql} answers with. */
export interface MeasuredRow {
  /** From 1, as the axis counts; null: the whole period. */
  readonly bucket: number | null;
  /** Decimal text; null: a statistic of nothing. */
  readonly value: string | null;
}

/**
 * One metric of a trends report: a row for each bucket that has matching events, and one for the whole period, which is
 * measured and never added up (users of two days are not twice as many users).
 */
export function trendsSql(
  metric: Metric,
  report: TrendsReport,
  botId: number,
  tables: ReportTables,
): RawBuilder<MeasuredRow> {
  const { measure } = metric;
  const matched = matchedSql(metric, report, botId, tables);
  const chart = report.axis !== null;
  if (measure.type !== 'per_user') {
    const groups = chart ? sql`GROUPING SETS ((bucket), ())` : sql`bucket`;
    return sql`SELECT bucket, ${valueSql(aggregateSql(measure))} FROM (${matched}) AS matched GROUP BY ${groups}`;
  }
  // A user's events of the whole period are a group whose bucket is null, and so they stay one below.
  const groups = chart ? sql`GROUPING SETS ((bucket, user_id), (user_id))` : sql`bucket, user_id`;
  return sql`SELECT bucket, ${valueSql(statisticSql(measure.statistic, sql`events`))}
    FROM (SELECT bucket, count(*) AS events FROM (${matched}) AS matched GROUP BY ${groups}) AS users GROUP BY bucket`;
}

/** The events that a metric measures, each with its bucket; in a table that is null, the whole period. */
function matchedSql(
  { eventId, filter }: Metric,
  report: TrendsReport,
  botId: number,
  tables: ReportTables,
): RawBuilder<unknown> {
  const { from, to } = report.period;
  const where = [sql`e.bot_id = ${botId}`, sql`e.date >= ${from}`, sql`e.date < ${to}`];
  if (eventId !== null) where.push(sql`e.event_id = ${eventId}::bigint`);
  for (const condition of [report.filter, filter])
    if (condition !== null) where.push(conditionSql(condition, (field) => columnSql(field, tables)));
  const bucket = report.axis === null ? sql`NULL::int` : sql`width_bucket(e.date, ${report.axis.starts}::bigint[])`;
  return sql`SELECT ${bucket} AS bucket, e.user_id, e.session, e.app_session, e.value_int, e.value_amount
    FROM ${eventsSql(tables)} WHERE ${sql.join(where, sql` AND `)}`;
}

function aggregateSql(measure: Exclude<Measure, { type: 'per_user' }>): RawBuilder<unknown> {
  switch (measure.type) {
    case 'count':
      return sql`count(*)`;
    case 'uniques':
      return sql`count(DISTINCT ${sql.ref(UNIQUE_COLUMNS[measure.of])})`;
    case 'property':
      return statisticSql(measure.statistic, sql.ref(measure.field.slice('events.'.length)));
  }
}

const UNIQUE_COLUMNS = { user: 'user_id', session: 'session', app_session: 'app_session' } as const;

/** Exactly the digits that count: sums of 1.10 and 2.20 are 3.3. */
function valueSql(expression: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`trim_scale((${expression})::numeric)::text AS value`;
}
