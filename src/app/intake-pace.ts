import type pg from 'pg';
import type { ANY_CATEGORIES } from '../domain/streams.ts';
import { type AppendOptions, type EventLog, LogBusyError } from '../log/port.ts';
import { categoryOf } from '../log/stream-name.ts';
import type { Manifest } from '../projections/read-model.ts';
import { loadCheckpoint } from '../projections/runtime/checkpoint.ts';
import { itemsOf } from '../projections/runtime/read-commits.ts';
import { servedVersion } from '../projections/runtime/served-version.ts';
import { isFollowed } from '../projections/runtime/versions.ts';
import { pause } from '../util/pause.ts';

/**
 * Slows the senders that filled the backlog while the read models that follow intake are late. Appends of other senders
 * do not wait (docs/adr/0032-the-pace-of-intake-counts-by-sender.md).
 */
export interface IntakePace {
  /**
   * Resolves when the sender's next append, of so many items, may be sent: after its turn, or once read models have caught up.
   * @throws LogBusyError at once, if that would be later than `maxHoldMs` from now
   */
  take(sender: string, items: number): Promise<void>;
}

export interface IntakePaceOptions {
  /** How late the read models are, in seconds. */
  readonly lateSeconds: () => Promise<number>;
  /** A clock in milliseconds that never goes back. */
  readonly now: () => number;
  readonly hold: (ms: number) => Promise<void>;
  readonly maxHoldMs: number;
}

interface Sender {
  /** Items that it appended and that read models have probably not applied. */
  items: number;
  /** When its next append may be sent. */
  freeAt: number;
}

const INTAKE = 'intake' satisfies (typeof ANY_CATEGORIES)[number];
/** Senders wait only while read models are later than this. */
export const TOLERATED_SECONDS = 1;
/** Fraction of MAX_WAIT_MS that an append may be held; the rest is for the log. */
const HELD_FRACTION = 0.5;
/** Time of 100 items of a sender, for each second above TOLERATED_SECONDS. At 1.1 s of lag a sender has 5,000 items a second. */
const MS_PER_SECOND = 200;
const MS_PER_ITEM = MS_PER_SECOND / 100;
/** At this lag a sender has 100 items a second. A longer one slows it no further. */
const SLOWEST_SECONDS = 6;
/** A sender of less than this fraction of the mean did not fill the backlog. Senders of equal rates all wait. */
const SMALL_FRACTION = 0.5;
/** How often the lag is measured while events arrive. An idle service measures nothing. */
const MEASURE_EVERY_MS = 500;

export const maxHoldMs = (maxWaitMs: number): number => HELD_FRACTION * maxWaitMs;

export function createIntakePace({ lateSeconds, now, hold, maxHoldMs }: IntakePaceOptions): IntakePace {
  let msPerItem = 0;
  const senders = new Map<string, Sender>();
  let allItems = 0;
  let measuredAt = Number.NEGATIVE_INFINITY;
  /** One measurement at a time: while the database hangs, measurements must not take the connections of requests. */
  let measuring = false;

  async function measure(): Promise<void> {
    measuring = true;
    try {
      const seconds = await lateSeconds();
      setPace(seconds);
    } catch {
      // The database is down. `/ready` reports it, and intake continues if the log is on another engine.
      setPace(0);
    } finally {
      measuring = false;
    }
  }

  function setPace(seconds: number): void {
    msPerItem = MS_PER_ITEM * Math.max(0, Math.min(SLOWEST_SECONDS, seconds) - TOLERATED_SECONDS);
    if (msPerItem === 0) for (const sender of senders.values()) sender.freeAt = now();
    forget(seconds);
  }

  function measureIfDue(): void {
    const at = now();
    if (measuring || at - measuredAt < MEASURE_EVERY_MS) return;
    measuredAt = at;
    void measure();
  }

  /** Ends early once read models have caught up: the turn was for a lag that is over. */
  async function holdFor(ms: number): Promise<void> {
    for (let left = ms; left > 0 && msPerItem > 0; left -= MEASURE_EVERY_MS) {
      await hold(Math.min(left, MEASURE_EVERY_MS));
      measureIfDue();
    }
  }

  /** Forgets the items that read models have applied: about those older than the lag. Keeps the map small. */
  function forget(seconds: number): void {
    const kept = Math.max(0, 1 - MEASURE_EVERY_MS / 1000 / Math.max(seconds, TOLERATED_SECONDS));
    allItems = 0;
    for (const [id, sender] of senders) {
      sender.items *= kept;
      if (sender.items < 1 && sender.freeAt <= now()) senders.delete(id);
      else allItems += sender.items;
    }
  }

  return {
    async take(id, items) {
      const at = now();
      measureIfDue();
      const sender = senders.get(id) ?? { items: 0, freeAt: at };
      const isLate =
        msPerItem > 0 && sender.items + items >= (SMALL_FRACTION * (allItems + items)) / Math.max(1, senders.size);
      const from = isLate ? Math.max(at, sender.freeAt) : at;
      if (from - at > maxHoldMs)
        throw new LogBusyError('this sender is ahead of the projections, try again', Math.ceil((from - at) / 1000));
      senders.set(id, sender);
      sender.items += items;
      allItems += items;
      if (isLate) sender.freeAt = from + items * msPerItem;
      await holdFor(from - at);
    },
  };
}

/** Returns the log with appends to intake slowed, by sender, to the pace of the read models that follow intake. */
export function pacedLog(log: EventLog, pool: pg.Pool, readModels: readonly Manifest[], maxWaitMs: number): EventLog {
  const followers = readModels.filter(({ categories }) => categories.includes(INTAKE));
  const pace = createIntakePace({
    lateSeconds: async () =>
      Math.max(0, ...(await Promise.all(followers.map((model) => secondsLate(pool, log, model))))),
    now: () => performance.now(),
    hold: pause,
    maxHoldMs: maxHoldMs(maxWaitMs),
  });
  return { ...log, append: pacedAppend(log, { pace, now: () => performance.now(), maxWaitMs }) };
}

export interface PacedAppendOptions {
  readonly pace: IntakePace;
  /** Milliseconds, like `performance.now()`. */
  readonly now: () => number;
  readonly maxWaitMs: number;
}

/**
 * Holds appends to intake before it passes them on. The sender is the API key, or the bot where the request has no key. The
 * time of a hold counts towards MAX_WAIT_MS. The bodies of requests whose appends are held are bounded like all bodies that
 * await their answers (src/api/body.ts).
 */
export function pacedAppend(
  log: Pick<EventLog, 'append'>,
  { pace, now, maxWaitMs }: PacedAppendOptions,
): EventLog['append'] {
  return async (commit, options: AppendOptions = {}) => {
    if (categoryOf(commit.stream) !== INTAKE) return log.append(commit, options);
    const deadline = Math.min(options.deadline ?? Number.POSITIVE_INFINITY, now() + maxWaitMs);
    await pace.take(commit.keyId === undefined ? commit.stream : `key ${commit.keyId}`, itemsOf(commit));
    return log.append(commit, { ...options, deadline });
  };
}

/**
 * How late a read model is. 0 if no projector runs or a bad event has stopped it, since holding intake would not help.
 */
async function secondsLate(pool: pg.Pool, log: EventLog, model: Manifest): Promise<number> {
  const served = await servedVersion(pool, model);
  if (served === null || served.error !== null || !(await isFollowed(pool, served.name, served.version))) return 0;
  return (await log.lag(await loadCheckpoint(pool, served.schema))).seconds;
}
