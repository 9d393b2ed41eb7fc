import type pg from 'pg';
import { isoWithOffset } from '../../domain/local-time.ts';
import type { Warning } from '../../domain/problem.ts';
import type { Report } from '../../domain/report/report.ts';
import type { Sources } from '../../domain/sources.ts';
import type { ReportAnswer } from './answer.ts';
import type { ReportTables } from './columns.ts';
import { funnelRows } from './funnel.ts';
import { listRows } from './list.ts';
import { retentionRows } from './retention.ts';
import { inSnapshot } from './snapshot.ts';
import { runTrends } from './trends.ts';

export interface ReportDependencies {
  readonly pool: pg.Pool;
  readonly tables: ReportTables;
  readonly sources: Pick<Sources, 'now'>;
  /** How long a report may run (REPORT_TIMEOUT_MS). */
  readonly timeoutMs: number;
  /** The age, in milliseconds, of the oldest that the read models have not taken in; 0 when they have taken in all. */
  readonly lagMs: () => Promise<number>;
}

/**
 * Runs a checked report over the events of a bot and answers with at most `limit` rows.
 * @throws ReportTimeoutError
 */
export async function runReport(
  { pool, tables, sources, timeoutMs, lagMs }: ReportDependencies,
  botId: number,
  { report, warnings }: { readonly report: Report; readonly warnings: readonly Warning[] },
  limit: number,
): Promise<ReportAnswer> {
  const { timezone, from, to } = report.period;
  const lag_ms = await lagMs(); // asked before the data is looked at: the data is at least this fresh
  const data_as_of = isoWithOffset(sources.now() - lag_ms, timezone);
  const { columns, rows, total } = await inSnapshot(pool, timeoutMs, (query, stream) => {
    const source = { botId, tables };
    const options = { now: sources.now(), limit };
    switch (report.type) {
      case 'trends':
        return runTrends(report, { ...source, query }, limit);
      case 'funnels':
        return funnelRows(report, { ...source, stream }, options);
      case 'retention':
        return retentionRows(report, { ...source, stream }, options);
      case 'list':
        return listRows(report, { ...source, query }, limit);
    }
  });
  return {
    columns,
    rows,
    meta: {
      timezone,
      date_from: isoWithOffset(from, timezone),
      date_to: isoWithOffset(to - 1, timezone),
      rows_total: total,
      truncated: rows.length < total,
      data_as_of,
      lag_ms,
      warnings,
    },
  };
}
