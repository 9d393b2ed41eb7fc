import { sql } from 'kysely';
import type pg from 'pg';
import { isoWithOffset } from '../../domain/local-time.ts';
import type { Warning } from '../../domain/problem.ts';
import { fieldsNamed, type Report } from '../../domain/reports/report.ts';
import { eventWarnings, type KnownEvent, type NamedEvent } from '../../domain/reports/warnings.ts';
import type { ReportAnswer, Rows } from './answer.ts';
import { openArrayPool } from './array-pool.ts';
import type { ChunkCache } from './chunk-cache.ts';
import { deferredValues } from './deferred.ts';
import type { ReportTables } from './fields.ts';
import { funnelRows } from './funnel.ts';
import { listRows } from './list.ts';
import { retentionRows, retentionSpan } from './retention.ts';
import { openScan } from './scan.ts';
import { inSnapshot, type Query, type Snapshot } from './snapshot.ts';
import { runTrends } from './trends.ts';

/** A checked report to run over the events of a bot. */
export interface ReportTask {
  readonly tables: ReportTables;
  readonly botId: number;
  readonly parsed: {
    readonly report: Report;
    readonly warnings: readonly Warning[];
    readonly events: readonly NamedEvent[];
  };
  /** Most rows of the answer. */
  readonly limit: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
  /**
   * The age of the oldest commit that the read models have not applied; 0 if they have applied all. It is measured before
   * the snapshot begins, so the data is at least this fresh.
   */
  readonly lagMs: number;
  /** The time limit (REPORT_TIMEOUT_MS). */
  readonly timeoutMs: number;
}

/**
 * @param keyId the API key that requests the report: keys take turns
 * @throws ReportTimeoutError, ReportTooLargeError, ReportNotRunError, and the errors of an unavailable database
 */
export type RunReport = (task: ReportTask, keyId: number) => Promise<ReportAnswer>;

/** Runs reports in this thread, on a connection of the pool. */
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
    const arrays = openArrayPool();
    try {
      const scanOptions = { botId, tables, span, snapshot, cache, arrays };
      if (report.type === 'list') return await listRows(report, scanOptions, limit);
      const scan = await openScan(scanOptions, fieldsNamed(report));
      const options = { now, limit };
      switch (report.type) {
        case 'trends':
          return await runTrends(report, scan, limit);
        case 'funnels':
          return await funnelRows(report, scan, options);
        case 'retention':
          return await retentionRows(report, scan, options);
      }
    } finally {
      arrays.close();
    }
  }
}

/** The event types of a bot that have one of the ids or names. */
async function knownEvents(
  named: readonly NamedEvent[],
  { query, tables, botId }: { readonly query: Query; readonly tables: ReportTables; readonly botId: number },
): Promise<readonly KnownEvent[]> {
  if (named.length === 0) return [];
  const ids = named.map(({ eventId }) => eventId);
  const names = named.flatMap(({ name }) => (name === undefined ? [] : [name]));
  return query(sql<KnownEvent>`
    SELECT event_id, name FROM ${sql.id(tables.events, 'event_types')}
     WHERE bot_id = ${botId} AND (event_id = ANY(${ids}::bigint[]) OR name = ANY(${names}::text[]))
     ORDER BY event_id`);
}
