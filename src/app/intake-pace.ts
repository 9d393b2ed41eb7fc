import type pg from 'pg';
import type { ANY_CATEGORIES } from '../domain/streams.ts';
import type { AppendOptions, EventLog } from '../log/port.ts';
import { categoryOf } from '../log/stream-name.ts';
import { type ReadModel, schemaOf } from '../projections/read-model.ts';
import { loadCheckpoint } from '../projections/runtime/checkpoint.ts';
import { itemsOf } from '../projections/runtime/read-commits.ts';
import { isFollowed, servedOf, versionsOf } from '../projections/runtime/versions.ts';
import { pause } from '../util/pause.ts';

/**
 * Delays each append of intake for a moment while the read models that follow it are late. Clients that await their
 * answers then send no faster than projectors apply. No request is refused for it
 * (docs/adr/0015-intake-keeps-the-pace-of-projections.md).
 */
export interface IntakePace {
  /** Resolves when the next append, of so many items, may be sent: at once, or after `maxHoldMs` at most. */
  take(items: number): Promise<void>;
}

export interface IntakePaceOptions {
  /** How late the read models are, in seconds. */
  readonly lateSeconds: () => Promise<number>;
  /** A clock in milliseconds that never goes back. */
  readonly now: () => number;
  readonly hold: (ms: number) => Promise<void>;
  readonly maxHoldMs: number;
}

const INTAKE = 'intake' satisfies (typeof ANY_CATEGORIES)[number];
/** Appends wait only while read models are later than this. */
export const TOLERATED_SECONDS = 1;
/** Far shorter than the timeouts of clients. */
const LONGEST_HOLD_MS = 1000;
/** Fraction of MAX_WAIT_MS that an append may be held; the rest is for the log. */
const HELD_FRACTION = 0.2;
/** Hold for each second above TOLERATED_SECONDS. With it the longest hold is reached at 6 s of lag, of large appends sooner. */
const HOLD_MS_PER_SECOND = 200;
/**
 * A larger append waits longer, in proportion. Else clients that send 1,000 items a request would send ten times as many
 * before they wait as long as clients that send 100.
 */
const USUAL_ITEMS = 100;
/** How often the lag is measured while events arrive. An idle service measures nothing. */
const MEASURE_EVERY_MS = 500;

export const maxHoldMs = (maxWaitMs: number): number => Math.min(LONGEST_HOLD_MS, HELD_FRACTION * maxWaitMs);

export function createIntakePace({ lateSeconds, now, hold, maxHoldMs }: IntakePaceOptions): IntakePace {
  /** Of an append of USUAL_ITEMS. */
  let holdMs = 0;
  let measuredAt = Number.NEGATIVE_INFINITY;
  /** One measurement at a time: while the database hangs, measurements must not take the connections of requests. */
  let measuring = false;

  async function measure(): Promise<void> {
    measuring = true;
    try {
      const late = (await lateSeconds()) - TOLERATED_SECONDS;
      holdMs = Math.max(0, HOLD_MS_PER_SECOND * late);
    } catch {
      // The database is down. `/ready` reports it, and intake continues if the log is on another engine.
      holdMs = 0;
    } finally {
      measuring = false;
    }
  }

  return {
    async take(items) {
      if (!measuring && now() - measuredAt >= MEASURE_EVERY_MS) {
        measuredAt = now();
        void measure();
      }
      if (holdMs > 0) await hold(Math.min(maxHoldMs, holdMs * Math.max(1, items / USUAL_ITEMS)));
    },
  };
}

/** Returns the log with appends to intake slowed to the pace of the read models that follow intake. */
export function pacedLog(log: EventLog, pool: pg.Pool, readModels: readonly ReadModel[], maxWaitMs: number): EventLog {
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
 * Holds appends to intake before it passes them on. The time of a hold counts towards MAX_WAIT_MS. The bodies of
 * requests whose appends are held are bounded like all bodies that await their answers (src/api/body.ts).
 */
export function pacedAppend(
  log: Pick<EventLog, 'append'>,
  { pace, now, maxWaitMs }: PacedAppendOptions,
): EventLog['append'] {
  return async (commit, options: AppendOptions = {}) => {
    if (categoryOf(commit.stream) !== INTAKE) return log.append(commit, options);
    const deadline = Math.min(options.deadline ?? Number.POSITIVE_INFINITY, now() + maxWaitMs);
    await pace.take(itemsOf(commit));
    return log.append(commit, { ...options, deadline });
  };
}

/**
 * How late a read model is. 0 if no projector runs or a bad event has stopped it, since holding intake would not help.
 */
async function secondsLate(pool: pg.Pool, log: EventLog, model: ReadModel): Promise<number> {
  const served = servedOf(await versionsOf(pool, model));
  if (served === null || served.error !== null || !(await isFollowed(pool, served.name, served.version))) return 0;
  return (await log.lag(await loadCheckpoint(pool, schemaOf(served.name, served.version)))).seconds;
}
