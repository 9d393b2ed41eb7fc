import { sql } from 'kysely';
import type pg from 'pg';
import { openArrayPool } from '../../columns/array-pool.ts';
import type { SavedSegments } from '../../domain/broadcast/audience-segmentations.ts';
import { isoWithOffset } from '../../domain/local-time.ts';
import type { Warning } from '../../domain/problem.ts';
import type { ReportCell } from '../../domain/reports/cell.ts';
import { fieldsNamed, type Report } from '../../domain/reports/report.ts';
import {
  eventWarnings,
  type KnownEvent,
  type KnownProperty,
  type NamedEvent,
  type NamedProperty,
  propertyWarnings,
} from '../../domain/reports/warnings.ts';
import type { ReportAnswer, Rows } from './answer.ts';
import { cellUsers } from './cell-users.ts';
import type { ChunkCache } from './chunk-cache.ts';
import { type Deferred, deferredValues } from './deferred.ts';
import { type KnownPropertiesRow, knownPropertiesOf, knownPropertiesSql } from './event-properties.ts';
import type { ReportTables } from './fields.ts';
import { funnelRows } from './funnel.ts';
import { listRows } from './list.ts';
import { retentionRows, retentionSpan } from './retention.ts';
import { savedSegmentMembers } from './saved-segment-members.ts';
import { openScan, type Scan, type ScanOptions } from './scan.ts';
import { inSnapshot, type Query } from './snapshot.ts';
import { findEvents, type NamedThings, type StoredEvents } from './stored-events.ts';
import { trendsRows } from './trends.ts';

/** A checked report to run over the events of a bot. */
export interface ReportTask {
  readonly tables: ReportTables;
  readonly botId: number;
  readonly parsed: {
    readonly report: Report;
    readonly warnings: readonly Warning[];
  } & NamedThings;
  /** The conditions of the saved segments that the report names, as they are now; default: it names none. */
  readonly savedSegments?: SavedSegments;
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

/** A cell of a report, to find the users behind it. */
export interface CellTask extends Omit<ReportTask, 'limit'> {
  readonly cell: ReportCell;
}

/** The users behind a cell. */
export interface CellUsers {
  /** Ids of the users, ascending. */
  readonly ids: Float64Array;
  /** As in {@link ReportAnswer}. */
  readonly data_as_of: string;
}

/** As {@link RunReport}. @throws NoSuchCellError, too */
export type FindCellUsers = (task: CellTask, keyId: number) => Promise<CellUsers>;

/** Runs reports in this thread, on a connection of the pool. */
export function reportRunner(pool: pg.Pool, cache: ChunkCache): (task: ReportTask) => Promise<ReportAnswer> {
  return async (task) => {
    const { report, warnings, events, properties } = task.parsed;
    const { timezone, from, to } = report.period;
    const { result, deferred, behindMs } = await inReport(pool, cache, task, (options) => rowsOf(task, options));
    const { columns, rows, total, matching } = result;
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
        data_as_of: isoWithOffset(task.now - behindMs, timezone),
        lag_ms: behindMs,
        warnings: [
          ...warnings,
          ...eventWarnings(events, result.known),
          ...propertyWarnings(properties, result.properties),
          ...(deferred === null ? [] : [deferred.warning]),
        ],
      },
    };
  };
}

/** Finds the users of cells in this thread, on a connection of the pool. */
export function cellUsersFinder(pool: pg.Pool, cache: ChunkCache): (task: CellTask) => Promise<CellUsers> {
  return async (task) => {
    const { cell, now, parsed } = task;
    const { result, behindMs } = await inReport(pool, cache, task, (options) =>
      cellUsers(parsed.report, { cell, now }, options),
    );
    return { ids: result, data_as_of: isoWithOffset(now - behindMs, parsed.report.period.timezone) };
  };
}

interface RowsAndNames extends Rows, Pick<StoredEvents, 'properties'> {
  /** The event types that the report names. */
  readonly known: readonly KnownEvent[];
}

async function rowsOf(task: ReportTask, options: ScanOptions): Promise<RowsAndNames> {
  const { tables, botId, limit, now } = task;
  const { report, events, properties } = task.parsed;
  if (report.type === 'list') {
    const asked = { query: options.snapshot.query, tables, botId };
    const known = { known: await knownEvents(events, asked), properties: await knownProperties(properties, asked) };
    return { ...(await listRows(report, options, limit)), ...known };
  }
  const stored = await findEvents(options, { events, properties });
  const scan = await openScan(options, fieldsNamed(report), stored);
  return { ...(await scannedRows(report, scan, { now, limit })), known: stored.known, properties: stored.properties };
}

function scannedRows(
  report: Exclude<Report, { type: 'list' }>,
  scan: Scan,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<Rows> {
  switch (report.type) {
    case 'trends':
      return trendsRows(report, scan, limit);
    case 'funnels':
      return funnelRows(report, scan, { now, limit });
    case 'retention':
      return retentionRows(report, scan, { now, limit });
  }
}

/** The age of the data that {@link inReport} worked on. */
interface Freshness {
  readonly deferred: Deferred | null;
  /** How far the data is behind, with deferred work. */
  readonly behindMs: number;
}

/** Works on the data of a report, in one snapshot and within its time limit. */
async function inReport<T>(
  pool: pg.Pool,
  cache: ChunkCache,
  { tables, botId, parsed: { report }, savedSegments = new Map(), now, lagMs, timeoutMs }: Omit<ReportTask, 'limit'>,
  work: (options: ScanOptions) => Promise<T>,
): Promise<Freshness & { readonly result: T }> {
  const span = report.type === 'retention' ? retentionSpan(report) : report.period;
  const { deferred, result } = await inSnapshot(pool, timeoutMs, async (snapshot) => {
    const deferred = await deferredValues(report, { query: snapshot.query, tables, botId, span, savedSegments });
    const arrays = openArrayPool();
    try {
      const options = { botId, tables, span, snapshot, cache, arrays };
      const members = await savedSegmentMembers(savedSegments, options, now);
      return { deferred, result: await work({ ...options, members }) };
    } finally {
      arrays.close();
    }
  });
  return { result, deferred, behindMs: deferred === null ? lagMs : Math.max(lagMs, now - deferred.since) };
}

/** The event types of a bot that have one of the ids or names. */
async function knownEvents(
  named: readonly NamedEvent[],
  { query, tables, botId }: Asked,
): Promise<readonly KnownEvent[]> {
  if (named.length === 0) return [];
  const ids = named.map(({ eventId }) => eventId);
  const names = named.flatMap(({ name }) => (name === undefined ? [] : [name]));
  return query(sql<KnownEvent>`
    SELECT event_id::int, name FROM ${sql.id(tables.events, 'event_types')}
     WHERE bot_id = ${botId} AND (event_id = ANY(${ids}::bigint[]) OR name = ANY(${names}::text[]))
     ORDER BY event_id`);
}

interface Asked {
  readonly query: Query;
  readonly tables: ReportTables;
  readonly botId: number;
}

async function knownProperties(
  named: readonly NamedProperty[],
  { query, ...of }: Asked,
): Promise<readonly KnownProperty[]> {
  if (named.length === 0) return [];
  const [row] = await query(sql<{ properties: KnownPropertiesRow }>`
    SELECT (${knownPropertiesSql(of, named)}) AS properties`);
  return knownPropertiesOf(row!.properties);
}
