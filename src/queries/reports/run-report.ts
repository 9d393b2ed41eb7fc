import type { MessagePort } from 'node:worker_threads';
import { sql } from 'kysely';
import type pg from 'pg';
import { openArrayPool } from '../../columns/array-pool.ts';
import { isCitus } from '../../database/citus.ts';
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
import type { ReportAnswer } from './answer.ts';
import { cellUsers } from './cell-users.ts';
import type { ChunkCache } from './chunk-cache.ts';
import { type Deferred, deferredValues } from './deferred.ts';
import { type KnownPropertiesRow, knownPropertiesOf, knownPropertiesSql } from './event-properties.ts';
import type { ReportTables } from './fields.ts';
import { listRows } from './list.ts';
import { retentionSpan } from './retention.ts';
import { savedSegmentMembers } from './saved-segment-members.ts';
import { type ScanOptions, scanOf } from './scan.ts';
import { inSnapshot, type Query } from './snapshot.ts';
import { findEvents, type NamedThings } from './stored-events.ts';
import { ALONE, TeamBrokenError } from './team.ts';
import { gatherTeam, type Recruiting, teamRows } from './team-report.ts';

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

/**
 * Runs reports in this thread, on a connection of the pool.
 * @param recruiting other threads that may help; without it, none does
 */
export function reportRunner(
  pool: pg.Pool,
  cache: ChunkCache,
  recruiting?: Recruiting,
): (task: ReportTask) => Promise<ReportAnswer> {
  return async (task) => {
    try {
      return await runReport(pool, cache, task, recruiting);
    } catch (error) {
      if (!(error instanceof TeamBrokenError)) throw error;
      return runReport(pool, cache, task);
    }
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

async function runReport(
  pool: pg.Pool,
  cache: ChunkCache,
  task: ReportTask,
  recruiting?: Recruiting,
): Promise<ReportAnswer> {
  const { tables, botId, limit, now, timeoutMs } = task;
  const { report, warnings, events, properties } = task.parsed;
  const { timezone, from, to } = report.period;
  const ports: MessagePort[] = [];
  // A snapshot of a Citus cluster cannot be exported: the threads of a team would read different ones. Asked before the
  // report takes the only connection of its thread.
  const isAlone = recruiting === undefined || (await isCitus(pool));
  const { result, deferred, behindMs } = await inReport(pool, cache, task, async (options) => {
    if (report.type === 'list') {
      const asked = { query: options.snapshot.query, tables, botId };
      const known = { known: await knownEvents(events, asked), properties: await knownProperties(properties, asked) };
      return { ...(await listRows(report, options, limit)), ...known };
    }
    const stored = await findEvents(options, { events, properties });
    const asked = { botId, tables, span: options.span, now, timeoutMs, query: options.snapshot.query };
    const team = isAlone ? ALONE : await gatherTeam(report, stored, { ...asked, recruiting, ports });
    const scan = await scanOf(options, { stored, fields: fieldsNamed(report), team });
    const rows = await teamRows(report, scan, { now, limit });
    return { ...rows!, known: stored.known, properties: stored.properties };
  }).finally(() => {
    for (const port of ports) port.close();
  });
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
      data_as_of: isoWithOffset(now - behindMs, timezone),
      lag_ms: behindMs,
      warnings: [
        ...warnings,
        ...eventWarnings(events, result.known),
        ...propertyWarnings(properties, result.properties),
        ...(deferred === null ? [] : [deferred.warning]),
      ],
    },
  };
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
