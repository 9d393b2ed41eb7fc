import type { MessagePort } from 'node:worker_threads';
import { sql } from 'kysely';
import type pg from 'pg';
import { openArrayPool } from '../../columns/array-pool.ts';
import { fieldsNamed, type Report, type Selection } from '../../domain/reports/report.ts';
import type { ChunkCache } from './chunk-cache.ts';
import { funnelRows } from './funnel.ts';
import { retentionRows } from './retention.ts';
import { type Scan, type ScanOptions, scanOf } from './scan.ts';
import { inSnapshot, type Query } from './snapshot.ts';
import type { StoredEvents } from './stored-events.ts';
import { ALONE, joinTeam, leadTeam, mailbox, type Team } from './team.ts';
import { runTrends } from './trends.ts';

/** A report of events that a team can run. */
export type TeamReport = Exclude<Report, { type: 'list' }>;

/** Asks for free threads. Each answers at the other end of a port: see {@link helpReport}. */
export interface Recruiting {
  /** Fewer events (see {@link workOf}) are not worth a second thread. */
  readonly leastEvents: number;
  recruit(): Promise<readonly MessagePort[]>;
}

/** The first message to a helper. */
interface Order extends Pick<ScanOptions, 'botId' | 'tables' | 'span'>, Pick<Team, 'part' | 'size'> {
  readonly report: TeamReport;
  readonly stored: StoredEvents;
  readonly now: number;
  readonly timeoutMs: number;
  /** The leader's snapshot, exported. */
  readonly snapshot: string;
}

interface TeamOptions extends Pick<Order, 'botId' | 'tables' | 'span' | 'now' | 'timeoutMs'> {
  readonly query: Query;
}

/**
 * Finds threads to help with a report, if it reads many events. The leader keeps its snapshot open until they have answered.
 * @param ports collects the ports of the helpers, for the leader to close
 */
export async function gatherTeam(
  report: TeamReport,
  stored: StoredEvents,
  { recruiting, ports, query, ...rest }: TeamOptions & { recruiting: Recruiting; ports: MessagePort[] },
): Promise<Team> {
  if (!isDivisible(stored) || workOf(report, stored) < recruiting.leastEvents) return ALONE;
  ports.push(...(await recruiting.recruit()));
  if (ports.length === 0) return ALONE;
  const [row] = await query(sql<{ snapshot: string }>`SELECT pg_export_snapshot() AS snapshot`);
  const mailboxes = ports.map(mailbox);
  for (const [i, { send }] of mailboxes.entries()) {
    const order: Order = { ...rest, report, stored, snapshot: row!.snapshot, part: 1 + i, size: 1 + ports.length };
    send(order);
  }
  return leadTeam(mailboxes);
}

/** Rows that the leader reads and sends to the others: more than these are not worth it. */
const MOST_LOOSE_EVENTS = 2 ** 14;

function isDivisible({ bot }: StoredEvents): boolean {
  return bot !== undefined && (bot.loose ?? 0) + (bot.changed ?? 0) <= MOST_LOOSE_EVENTS;
}

/** About how many events the report reads, multiplied by what one costs beside an event of a distinct count. */
function workOf(report: TeamReport, { bot, chunks, known }: StoredEvents): number {
  const counts = new Map(known.map(({ event_id, count }) => [event_id, count]));
  const all = (bot?.packed ?? 0) + (bot?.loose ?? 0);
  const share = all === 0 ? 0 : chunks.reduce((sum, { events }) => sum + events, 0) / all;
  const read = selectionsOf(report).reduce(
    (sum, { eventId }) => sum + (eventId === null ? all : (counts.get(eventId) ?? 0)),
    0,
  );
  return read * share * costOf(report);
}

/** Measured: sorting events into timelines and folding them costs several times as much as counting them. */
function costOf({ type }: TeamReport): number {
  return type === 'trends' ? 1 : 8;
}

/** The selections whose events are looked at one by one: a number of events is known without that. */
function selectionsOf(report: TeamReport): readonly Selection[] {
  switch (report.type) {
    case 'trends': {
      const isPlain = report.filter === null && report.separators.length === 0;
      return report.metrics.filter(({ measure, filter }) => measure.type !== 'count' || filter !== null || !isPlain);
    }
    case 'funnels':
      return report.steps;
    case 'retention':
      return [report.start, report.returning];
  }
}

/** Runs the part of a report that another thread leads. @throws TeamBrokenError if the leader does not need it any more */
export async function helpReport(pool: pg.Pool, cache: ChunkCache, port: MessagePort): Promise<void> {
  try {
    const leader = mailbox(port);
    const { report, stored, now, timeoutMs, snapshot: exported, part, size, ...scanned } = await leader.next<Order>();
    await inSnapshot(
      pool,
      timeoutMs,
      async (snapshot) => {
        const arrays = openArrayPool();
        try {
          const team = joinTeam(leader, { part, size });
          const scan = await scanOf(
            { ...scanned, snapshot, cache, arrays },
            { stored, fields: fieldsNamed(report), team },
          );
          await teamRows(report, scan, { now, limit: 0 });
        } finally {
          arrays.close();
        }
      },
      exported,
    );
  } finally {
    port.close();
  }
}

/** Runs a report, or a helper's part of it: null. */
export function teamRows(
  report: TeamReport,
  scan: Scan,
  { now, limit }: { readonly now: number; readonly limit: number },
) {
  switch (report.type) {
    case 'trends':
      return runTrends(report, scan, limit);
    case 'funnels':
      return funnelRows(report, scan, { now, limit });
    case 'retention':
      return retentionRows(report, scan, { now, limit });
  }
}
