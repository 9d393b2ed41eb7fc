import type { TrendsReport } from '../../domain/report/report.ts';
import type { Rows } from './answer.ts';
import { MAX_COMBINATIONS } from './combination-cells.ts';
import type { Query } from './snapshot.ts';
import { trendsRows } from './trends-rows.ts';
import { combinationsSql, type EventsSource, type MeasuredRow, trendsSql } from './trends-sql.ts';

/** Runs a trends report: first which combinations are shown, if there is a breakdown, then metric by metric. */
export async function runTrends(
  report: TrendsReport,
  { query, ...source }: EventsSource & { readonly query: Query },
  limit: number,
): Promise<Rows> {
  const shown = report.utm?.combinations ?? MAX_COMBINATIONS;
  const isBroken = report.separators.length > 0;
  const largest = isBroken ? await query(combinationsSql(report, shown + 1, source)) : undefined;
  const combinations = largest?.slice(0, shown).map(({ key }) => key);
  const metrics: MeasuredRow[][] = [];
  for (const metric of report.metrics) metrics.push(await query(trendsSql(metric, report, combinations, source)));
  return trendsRows(report, { metrics, combinations, more: (largest?.length ?? 0) > shown }, limit);
}
