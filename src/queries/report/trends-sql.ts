import { type RawBuilder, sql } from 'kysely';
import type { Measure } from '../../domain/report/aggregation.ts';
import type { Metric, TrendsReport } from '../../domain/report/report.ts';
import { columnSql, eventsSql, type ReportTables } from './columns.ts';
import { conditionSql } from './condition-sql.ts';
import { statisticSql } from './statistic-sql.ts';

export interface EventsSource {
  readonly botId: number;
  readonly tables: ReportTables;
}

/** The columns that {@link trendsSql} answers with. */
export interface MeasuredRow {
  /** From 1, as the combinations were given; one more: all others. Without a breakdown 1. */
  readonly combination: number;
  /** From 1, as the axis counts; null: the whole period. */
  readonly bucket: number | null;
  /** Decimal text; null: a statistic of nothing. */
  readonly value: string | null;
}

/**
 * The combinations of a breakdown by volume, the largest first, at most `limit` (decisions.md 4.3): each as JSON, an array
 * of the values.
 */
export function combinationsSql(
  report: TrendsReport,
  limit: number,
  source: EventsSource,
): RawBuilder<{ key: string }> {
  const keys = report.metrics.map((metric) => {
    return sql`SELECT ${keySql(report, source)} AS key FROM ${matchedSql(metric, report, source)}`;
  });
  const byText = report.separators.map((_, index) => sql`(key ->> ${sql.lit(index)}) COLLATE "C" NULLS FIRST`);
  // What reads alike: the custom fields 1 and "1".
  const byType = report.separators.map((_, index) => sql`jsonb_typeof(key -> ${sql.lit(index)}) COLLATE "C"`);
  return sql`SELECT key::text FROM (${sql.join(keys, sql` UNION ALL `)}) AS matched
    GROUP BY key ORDER BY count(*) DESC, ${sql.join([...byText, ...byType])} LIMIT ${limit}::int`;
}

/**
 * One metric of a trends report: for each combination a row for each bucket that has matching events, and one for the
 * whole period, which is measured and never added up (users of two days are not twice as many users).
 *
 * @param combinations as {@link combinationsSql} gave them; undefined without a breakdown
 */
export function trendsSql(
  metric: Metric,
  report: TrendsReport,
  combinations: readonly string[] | undefined,
  source: EventsSource,
): RawBuilder<MeasuredRow> {
  const { measure } = metric;
  const matched = sql`SELECT ${bucketSql(report)} AS bucket, ${keySql(report, source)} AS key,
      e.user_id, e.session, e.app_session, e.value_int, e.value_amount
    FROM ${matchedSql(metric, report, source)}`;
  const placed =
    combinations === undefined
      ? sql`SELECT 1 AS combination, matched.* FROM (${matched}) AS matched`
      : sql`SELECT coalesce(place, ${combinations.length + 1}::int)::int AS combination, matched.* FROM (${matched}) AS matched
          LEFT JOIN unnest(${combinations}::jsonb[]) WITH ORDINALITY AS shown (key, place) USING (key)`;
  const chart = report.axis !== null;
  if (measure.type !== 'per_user') {
    const groups = chart ? sql`GROUPING SETS ((combination, bucket), (combination))` : sql`combination, bucket`;
    return sql`SELECT combination, bucket, ${valueSql(aggregateSql(measure))} FROM (${placed}) AS placed GROUP BY ${groups}`;
  }
  // A user's events of the whole period are a group whose bucket is null, and so they stay one below.
  const groups = chart
    ? sql`GROUPING SETS ((combination, bucket, user_id), (combination, user_id))`
    : sql`combination, bucket, user_id`;
  return sql`SELECT combination, bucket, ${valueSql(statisticSql(measure.statistic, sql`events`))}
    FROM (SELECT combination, bucket, count(*) AS events FROM (${placed}) AS placed GROUP BY ${groups}) AS users
    GROUP BY combination, bucket`;
}

/** Of an event in a chart; in a table it is null, the whole period. */
function bucketSql({ axis }: TrendsReport): RawBuilder<unknown> {
  return axis === null ? sql`NULL::int` : sql`width_bucket(e.date, ${axis.starts}::bigint[])`;
}

/** The values of an event's combination as jsonb, which compares by type and value; a missing one is JSON's null. */
function keySql({ separators }: TrendsReport, { tables }: EventsSource): RawBuilder<unknown> {
  if (separators.length === 0) return sql`NULL::jsonb`;
  const values = separators.map(({ field }) => sql`to_jsonb(${columnSql(field, tables)})`);
  return sql`jsonb_build_array(${sql.join(values)})`;
}

/** The events that a metric measures. */
function matchedSql(
  { eventId, filter }: Metric,
  report: TrendsReport,
  { botId, tables }: EventsSource,
): RawBuilder<unknown> {
  const { from, to } = report.period;
  const where = [sql`e.bot_id = ${botId}`, sql`e.date >= ${from}`, sql`e.date < ${to}`];
  if (eventId !== null) where.push(sql`e.event_id = ${eventId}::bigint`);
  for (const condition of [report.filter, filter])
    if (condition !== null) where.push(conditionSql(condition, (field) => columnSql(field, tables)));
  return sql`${eventsSql(tables)} WHERE ${sql.join(where, sql` AND `)}`;
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
