import { LRUCache } from 'lru-cache';
import { SALE_GOAL, SYSTEM_EVENTS } from '../../domain/intake/system-events.ts';
import { readEvent } from '../../domain/ledger-events.ts';
import { eventTypesStream } from '../../domain/streams.ts';
import { type Cursor, EMPTY_STREAM, type EventLog, type Position, type StreamHead } from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import type { TextRow } from '../../queries/export/columns.ts';
import { growingPause } from '../../util/growing-pause.ts';
import { firstOf } from '../../util/in-time.ts';
import { pause } from '../../util/pause.ts';
import { type Destination, UnfitDestinationError } from './destination.ts';
import { FOLLOWED_CATEGORIES, type NameOfEvent, rowsOf } from './follow-rows.ts';

export interface FollowOptions {
  readonly log: EventLog;
  readonly destination: Destination;
  /** The bot's public key; null: all bots. */
  readonly bot: string | null;
  /** Rows of a partition are put when there are this many, or when the first of them has waited for `lingerMs`. */
  readonly batchRows: number;
  readonly lingerMs: number;
  /** The wait before the first retry; each further one waits twice as long, up to a minute. Default: 1 s. */
  readonly retryMs?: number;
  /** Ends when all that is in the log now was put. Default: never. */
  readonly untilEnd?: boolean;
  readonly signal: AbortSignal;
  /** Called after each put with the rows so far. */
  readonly onPut?: (rows: number) => void;
  /** Called before a failure is retried. */
  readonly onRetry?: (error: unknown, waitMs: number) => void;
}

/** Rows that wait to be put, of one partition. */
interface Waiting {
  rows: TextRow[];
  last: Position;
  readonly since: number;
}

const FIRST_WAIT_MS = 1000;
const MOST_WAIT_MS = 60_000;

/**
 * Puts every event of the log at the destination, each once, and follows the log until the signal aborts. After a failure, whose outcome
 * may be unknown, it asks the destination for its positions again and resumes there.
 * @returns the number of rows put
 * @throws errors of the first look at the destination or the log's end; UnfitDestinationError
 */
export async function follow(options: FollowOptions): Promise<number> {
  const { log, destination, signal, onRetry, retryMs = FIRST_WAIT_MS } = options;
  await destination.open();
  let first: Cursor | null = await destination.positions(log.partitions);
  refuseBeyond(await log.endCursor(), first);
  let put = 0;
  const pauses = growingPause(retryMs, MOST_WAIT_MS);
  const counted = (rows: number): void => {
    put += rows;
    pauses.succeeded();
    options.onPut?.(put);
  };
  while (!signal.aborted) {
    try {
      const from: Cursor = first ?? (await destination.positions(log.partitions));
      first = null;
      if (await followFrom(from, options, counted)) break;
    } catch (error) {
      if (error instanceof UnfitDestinationError) throw error;
      if (signal.aborted) break;
      const waitMs = pauses.failed();
      onRetry?.(error, waitMs);
      await pause(waitMs, signal);
    }
  }
  return put;
}

/** All that this log gets up to such a position would be skipped. @throws UnfitDestinationError */
function refuseBeyond(end: Cursor, atDestination: Cursor): void {
  for (const [partition, position] of atDestination) {
    const last = end.get(partition);
    if (last === undefined || position > last)
      throw new UnfitDestinationError(
        `the destination has events up to ${position}, and the log ends at ${last ?? 'nothing'} (partition ${partition}): ` +
          'they are of another log, or this one was restored; choose another table or another prefix',
      );
  }
}

/** @returns whether all is done; false: another's rows were found at the destination, so its positions must be read again */
async function followFrom(from: Cursor, options: FollowOptions, onPut: (rows: number) => void): Promise<boolean> {
  const { log, destination, bot, batchRows, lingerMs, untilEnd = false } = options;
  const nameOf = eventNames(log);
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const end: Cursor | null = untilEnd ? await log.endCursor() : null;
  const read = new Map(from);
  const atDestination = new Map<number, Position | null>(from);
  const waiting = new Map<number, Waiting>();

  /** @returns whether the rows are those at the destination now */
  async function put(partition: number, { rows, last }: Waiting): Promise<boolean> {
    waiting.delete(partition);
    const after = atDestination.get(partition) ?? null;
    const now = await destination.put({ partition, after, last, rows });
    if (now === after)
      throw new Error(
        `the destination takes the rows after ${after ?? 'nothing'} for a repeat, though they are not there: ` +
          'if rows were deleted there, choose another table or another prefix',
      );
    if (now !== last) return false;
    atDestination.set(partition, last);
    onPut(rows.length);
    return true;
  }
  async function putDue(isDue: (waiting: Waiting) => boolean): Promise<boolean> {
    for (const [partition, each] of [...waiting]) if (isDue(each) && !(await put(partition, each))) return false;
    return true;
  }
  const isOld = ({ since }: Waiting): boolean => performance.now() - since >= lingerMs;
  const isAtEnd = (): boolean =>
    end !== null && [...end].every(([partition, last]) => (read.get(partition) ?? '') >= last);

  const batches = log.subscribe({ categories: FOLLOWED_CATEGORIES, after: from, signal })[Symbol.asyncIterator]();
  let next = batches.next();
  try {
    if (isAtEnd()) return true;
    for (;;) {
      const batch = await firstOf(next, oldestWait(waiting, lingerMs));
      if (batch === null) {
        if (!(await putDue(isOld))) return false;
        continue;
      }
      if (batch.done) {
        options.signal.throwIfAborted();
        return false;
      }
      const { partition, commits, last } = batch.value;
      for (const commit of commits) {
        if (bot !== null && keyOf(commit.stream) !== bot) continue;
        const rows = await rowsOf(commit, partition, nameOf);
        if (rows.length === 0) continue;
        const before = waiting.get(partition);
        if (before === undefined) waiting.set(partition, { rows, last: commit.position, since: performance.now() });
        else {
          before.rows.push(...rows);
          before.last = commit.position;
        }
        const now = waiting.get(partition)!;
        if (now.rows.length >= batchRows && !(await put(partition, now))) return false;
      }
      read.set(partition, last);
      if (isAtEnd()) return putDue(() => true);
      if (!(await putDue(isOld))) return false;
      next = batches.next();
    }
  } finally {
    ending.abort();
    await next.catch(() => {}); // an error of the log was thrown above, or the iteration ends because of the signal
  }
}

/** Milliseconds until the oldest of the waiting rows are due; null: there are none. */
function oldestWait(waiting: ReadonlyMap<number, Waiting>, lingerMs: number): number | null {
  const since = [...waiting.values()].map((each) => each.since);
  return since.length === 0 ? null : Math.max(0, Math.min(...since) + lingerMs - performance.now());
}

const FIXED_NAMES: ReadonlyMap<number, string> = new Map([
  ...Object.entries(SYSTEM_EVENTS).map(([name, id]) => [id, name] as const),
  [SALE_GOAL.event_id, SALE_GOAL.name],
]);

/** Bots whose names are in memory, up to 10,000 names each. */
const MAX_BOTS = 100;

/** Names events from the log. A name is registered before its first use, so an unknown id is looked for in what came since. */
function eventNames(log: EventLog): NameOfEvent {
  const bots = new LRUCache<string, { head: StreamHead; readonly names: Map<number, string> }>({ max: MAX_BOTS });
  return async (bot, eventId) => {
    const fixed = FIXED_NAMES.get(eventId);
    if (fixed !== undefined) return fixed;
    const known = bots.get(bot) ?? { head: EMPTY_STREAM, names: new Map<number, string>() };
    bots.set(bot, known);
    const name = known.names.get(eventId);
    if (name !== undefined) return name;
    const { commits, head } = await log.read(eventTypesStream(bot), known.head);
    known.head = head;
    for (const commit of commits)
      for (const stored of commit.events) {
        const event = readEvent(stored);
        if (event.type === 'event_type_registered' || event.type === 'goal_created')
          known.names.set(event.data.event_id, event.data.name);
      }
    return known.names.get(eventId) ?? null;
  };
}
