import { sql } from 'kysely';
import type pg from 'pg';
import { openArrayPool } from '../../columns/array-pool.ts';
import { type SnapshotOptions, snapshot } from '../../database/snapshot.ts';
import type { SavedSegments } from '../../domain/broadcast/audience-segmentations.ts';
import { isoWithOffset } from '../../domain/local-time.ts';
import type { Warning } from '../../domain/problem.ts';
import type { ReportCell } from '../../domain/reports/cell.ts';
import { fieldsNamed, type Report } from '../../domain/reports/report.ts';
import { eventWarnings, type KnownEvent, propertyWarnings } from '../../domain/reports/warnings.ts';
import type { ReportAnswer, Rows } from './answer.ts';
import type { ChunkCache } from './chunk-cache.ts';
import { type Deferred, deferredValues } from './deferred.ts';
import type { ReportTables } from './field-sql.ts';
import { funnelRows, funnelUsers } from './funnel-rows.ts';
import { listRows, listUsers } from './list-rows.ts';
import { retentionRows, retentionSpan, retentionUsers } from './retention-rows.ts';
import { savedSegmentMembers } from './saved-segment-members.ts';
import { openScan, type Scan, type ScanOptions } from './scan.ts';
import { findEvents, findNamed, type NamedThings, type StoredEvents } from './stored-events.ts';
import { trendsRows, trendsUsers } from './trends.ts';

/** A report as a client asks for it, checked, over the events of a bot. */
export interface ReportRequest {
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
 * @throws StatementTimeoutError, ReportTooLargeError, ReportNotRunError, and the errors of an unavailable database
 */
export type RunReport = (request: ReportRequest, keyId: number) => Promise<ReportAnswer>;

/** A cell of a report, to find the users behind it. */
export interface CellRequest extends Omit<ReportRequest, 'limit'> {
  readonly cell: ReportCell;
}

/** The users behind a cell. */
export interface CellUsers {
  /** Ids of the users, ascending. */
  readonly ids: Float64Array;
  /** As in {@link ReportAnswer}. */
  readonly data_as_of: string;
}

/** As {@link RunReport}. Also @throws NoSuchCellError */
export type FindCellUsers = (request: CellRequest, keyId: number) => Promise<CellUsers>;

/**
 * Runs reports in this thread, on a connection of the pool.
 * @param settings of the transaction of each report (`SnapshotOptions.settings`)
 */
export function reportRunner(
  pool: pg.Pool,
  cache: ChunkCache,
  settings?: string,
): (request: ReportRequest) => Promise<ReportAnswer> {
  const place = { pool, cache, ...(settings !== undefined && { settings }) };
  return async (request) => {
    const { report, warnings, events, properties } = request.parsed;
    const { timezone, from, to } = report.period;
    const { result, deferred, behindMs } = await inRun(place, request, (options) => rowsOf(request, options));
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
        data_as_of: isoWithOffset(request.now - behindMs, timezone),
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
export function cellUsersFinder(pool: pg.Pool, cache: ChunkCache): (request: CellRequest) => Promise<CellUsers> {
  return async (request) => {
    const { cell, now, parsed } = request;
    const { result, behindMs } = await inRun({ pool, cache }, request, (options) =>
      cellUsers(parsed.report, { cell, now }, options),
    );
    return { ids: result, data_as_of: isoWithOffset(now - behindMs, parsed.report.period.timezone) };
  };
}

interface RowsAndNames extends Rows, Pick<StoredEvents, 'properties'> {
  /** The event types that the report names. */
  readonly known: readonly KnownEvent[];
}

async function rowsOf(request: ReportRequest, options: ScanOptions): Promise<RowsAndNames> {
  const { limit, now } = request;
  const { report, events, properties } = request.parsed;
  if (report.type === 'list') {
    const named = await findNamed(options, { events, properties });
    return { ...(await listRows(report, options, limit)), ...named };
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

/** The age of the data that {@link inRun} worked on. */
interface Freshness {
  readonly deferred: Deferred | null;
  /** How far the data is behind, with deferred work. */
  readonly behindMs: number;
}

/** The connections that a run takes one of, and the cache that it fills. */
interface RunPlace extends Pick<SnapshotOptions, 'settings'> {
  readonly pool: pg.Pool;
  readonly cache: ChunkCache;
}

/** Works on the data of a report, in one snapshot and within its time limit. */
async function inRun<T>(
  { pool, cache, ...settings }: RunPlace,
  { tables, botId, parsed: { report }, savedSegments = new Map(), now, lagMs, timeoutMs }: Omit<ReportRequest, 'limit'>,
  work: (options: ScanOptions) => Promise<T>,
): Promise<Freshness & { readonly result: T }> {
  const span = report.type === 'retention' ? retentionSpan(report) : report.period;
  const { deferred, result } = await snapshot(pool, { timeoutMs, ...settings }, async (opened) => {
    const deferred = await deferredValues(report, { query: opened.query, tables, botId, span, savedSegments });
    const arrays = openArrayPool();
    try {
      const options = { botId, tables, span, snapshot: opened, cache, arrays };
      const members = await savedSegmentMembers(savedSegments, options, now);
      return { deferred, result: await work({ ...options, members }) };
    } finally {
      arrays.close();
    }
  });
  return { result, deferred, behindMs: deferred === null ? lagMs : Math.max(lagMs, now - deferred.since) };
}

interface AskedCell {
  /** A cell of the report's type. */
  readonly cell: ReportCell;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
}

/**
 * The ids of the users behind a cell of a report, ascending (decisions.md#report-cells).
 * @throws NoSuchCellError
 */
async function cellUsers(report: Report, asked: AskedCell, options: ScanOptions): Promise<Float64Array> {
  if (report.type === 'list') return Float64Array.from(await listUsers(report, options)).sort();
  return idsOf(await indexesOf(report, asked, options), options);
}

async function indexesOf(
  report: Exclude<Report, { type: 'list' }>,
  { cell, now }: AskedCell,
  options: ScanOptions,
): Promise<readonly number[]> {
  const scan = await openScan(options, fieldsNamed(report));
  if (report.type === 'trends' && cell.type === 'trends') return trendsUsers(report, scan, cell);
  if (report.type === 'funnels' && cell.type === 'funnels') return funnelUsers(report, scan, { cell, now });
  if (report.type === 'retention' && cell.type === 'retention') return retentionUsers(report, scan, { cell, now });
  throw new TypeError(`a report of type ${report.type} has no cell of type ${cell.type}`);
}

/** The ids of users from their indexes among the bot's users. One row of bytes: a million rows would take seconds. */
async function idsOf(indexes: readonly number[], { snapshot, tables, botId }: ScanOptions): Promise<Float64Array> {
  const [row] = await snapshot.query(sql<{ readonly ids: Buffer | null }>`
    SELECT string_agg(int8send(user_id), '' ORDER BY user_id) AS ids FROM ${sql.id(tables.events, 'known_users')}
     WHERE bot_id = ${botId} AND idx = ANY(${`{${indexes.join()}}`}::int[])`);
  const bytes = row?.ids ?? Buffer.alloc(0);
  return Float64Array.from({ length: bytes.length / 8 }, (_, i) => Number(bytes.readBigInt64BE(8 * i)));
}
