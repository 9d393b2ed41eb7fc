import type pg from 'pg';
import { isoWithOffset } from '../../domain/local-time.ts';
import type { Warning } from '../../domain/problem.ts';
import { eventWarnings, type NamedEvent } from '../../domain/reports/named-events.ts';
import type { Report } from '../../domain/reports/report.ts';
import type { ReportAnswer, Rows } from './answer.ts';
import { openArrays } from './arrays.ts';
import type { ChunkCache } from './chunk-cache.ts';
import type { ReportTables } from './columns.ts';
import { deferredValues } from './deferred.ts';
import { fieldsNamed } from './fields-read.ts';
import { funnelRows } from './funnel.ts';
import { knownEvents } from './known-events.ts';
import { listRows } from './list.ts';
import { retentionRows, retentionSpan } from './retention.ts';
import { inSnapshot, type Snapshot } from './snapshot.ts';
import { runTrends } from './trends.ts';
import { openWalk } from './walk.ts';

/** A checked report that is to be run over the events of a bot. */
export interface ReportTask {
  readonly tables: ReportTables;
  readonly botId: number;
  readonly parsed: {
    readonly report: Report;
    readonly warnings: readonly Warning[];
    readonly events: readonly NamedEvent[];
  };
  /** At most this many rows. */
  readonly limit: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
  /**
   * The age, in milliseconds, of the oldest that the read models have not taken in; 0 when they have taken in all. As it
   * was before the data is looked at: the data is at least this fresh.
   */
  readonly lagMs: number;
  /** How long it may take (REPORT_TIMEOUT_MS). */
  readonly timeoutMs: number;
}

/**
 * @param keyId whose report it is: keys take turns
 * @throws ReportTimeoutError, ReportTooLargeError, ReportNotRunError and what says that the database is down
 */
export type RunReport = (task: ReportTask, keyId: number) => Promise<ReportAnswer>;

/** Runs reports here and now, on a connection of the pool. */
export function reportRunner(pool: pg.Pool, cache: ChunkCache): (task: ReportTask) => Promise<ReportAnswer> {
  return (task) => runReport(pool, cache, task);
}

async function runReport(
  pool: pg.Pool,
  cache: ChunkCache,
  { tables, botId, parsed: { report, warnings, events }, limit, now, lagMs, timeoutMs }: ReportTask,
): Promise<ReportAnswer> {
  const { timezone, from, to } = report.period;
  const span = report.type === 'retention' ? retentionSpan(report) : report.period;
  const { columns, rows, total, matching, deferred, known } = await inSnapshot(pool, timeoutMs, async (snapshot) => {
    const source = { query: snapshot.query, tables, botId };
    const deferred = await deferredValues(report, { ...source, span });
    const known = await knownEvents(events, source);
    return { ...(await rowsIn(snapshot)), deferred, known };
  });
  const behindMs = deferred === null ? lagMs : Math.max(lagMs, now - deferred.since);
  return {
    columns,
    rows,
    meta: {
      timezone,
      date_from: isoWithOffset(from, timezone),
      date_to: isoWithOffset(to - 1, timezone),
      rows_total: total,
      ...(matching === undefined ? {} : { rows_matching: matching }),
      truncated: rows.length < total,
      data_as_of: isoWithOffset(now - behindMs, timezone),
      lag_ms: behindMs,
      warnings: [...warnings, ...eventWarnings(events, known), ...(deferred === null ? [] : [deferred.warning])],
    },
  };

  async function rowsIn(snapshot: Snapshot): Promise<Rows> {
    const arrays = openArrays();
    try {
      const walked = { botId, tables, span, snapshot, cache, arrays };
      if (report.type === 'list') return await listRows(report, walked, limit);
      const walk = await openWalk(walked, fieldsNamed(report));
      const options = { now, limit };
      switch (report.type) {
        case 'trends':
          return await runTrends(report, walk, limit);
        case 'funnels':
          return await funnelRows(report, walk, options);
        case 'retention':
          return await retentionRows(report, walk, options);
      }
    } finally {
      arrays.close();
    }
  }
}
