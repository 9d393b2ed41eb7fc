import type pg from 'pg';
import { type Cursor, type EventLog, hasPassedAll } from '../../log/port.ts';
import { pause } from '../../util/pause.ts';
import type { Manifest } from '../read-model.ts';
import { announceWait } from './awaited.ts';
import { loadCheckpoint } from './checkpoint.ts';
import { hasDeferredWork } from './deferred-work.ts';
import { loadQuarantines, passedFor, type Quarantines } from './quarantines.ts';
import { servedVersion } from './served-version.ts';

/** How far a read model has applied the log. */
export interface Progress {
  readonly passed: Cursor;
  /** Bots that it has applied only up to their own positions. Absent: there are none. */
  readonly quarantined?: Quarantines;
}

/** Loads the progress of a read model; null if it has no version that counts. */
export type LoadProgress<P extends Progress = Progress> = () => Promise<P | null>;

export interface WaitOptions {
  /** Absent: no limit but the signal. */
  readonly timeoutMs?: number;
  readonly pollMs?: number;
  readonly signal?: AbortSignal;
  /** Public key of the bot whose rows are needed: while it is quarantined, its own position counts. Absent: quarantines do not count. */
  readonly bot?: string | undefined;
  /** Names of the read models whose projectors cut their pause short. For requests: background work can wait. */
  readonly wake?: readonly string[];
}

const POLL_MS = 10;

/**
 * Waits until all of the read models have applied `cursor`. Loads the progress of each at least once.
 * @param loads one for each read model: `servedProgress`, or the progress of the tables that the caller reads
 * @returns the progress of each when it had applied `cursor`; null if the time is over or the signal aborts first
 */
export async function waitForReadModels<P extends Progress>(
  loads: readonly LoadProgress<P>[],
  cursor: Cursor,
  { timeoutMs = Number.POSITIVE_INFINITY, pollMs = POLL_MS, signal, bot, wake = [] }: WaitOptions,
): Promise<readonly P[] | null> {
  const deadline = performance.now() + timeoutMs;
  let hasFailed = false;
  let wakes: readonly string[] = wake;
  const waits = loads.map(async (load) => {
    for (;;) {
      if (hasFailed || signal?.aborted) return null;
      const progress = await load();
      if (progress !== null && hasPassedAll(passedBy(progress, bot), cursor)) return progress;
      if (performance.now() >= deadline) return null;
      for (const model of wakes) announceWait(model);
      wakes = [];
      await pause(pollMs, signal);
    }
  });
  const found = await Promise.all(waits).catch((error: unknown) => {
    // The other loads also stop.
    hasFailed = true;
    throw error;
  });
  const all = found.filter((progress) => progress !== null);
  return all.length === loads.length ? all : null;
}

/** How far a read model has applied the log for a bot. */
export function passedBy({ passed, quarantined }: Progress, bot: string | undefined): Cursor {
  return bot === undefined ? passed : passedFor(passed, quarantined?.get(bot));
}

/** Loads how far the tables of a schema have applied the log. */
export async function progressOf(pool: pg.Pool, schema: string): Promise<Required<Progress>> {
  // Before the quarantines: a bot that has caught up since has all that the checkpoint says.
  const passed = await loadCheckpoint(pool, schema);
  return { passed, quarantined: await loadQuarantines(pool, schema) };
}

/**
 * Loads the progress of the version that answers; null if there is none, or if it has deferred work.
 * @param withDeferredWork false: deferred work does not count
 */
export function servedProgress(pool: pg.Pool, model: Manifest, withDeferredWork = true): LoadProgress {
  return async () => {
    const served = await servedVersion(pool, model);
    if (served === null) return null;
    const { schema, manifest } = served;
    const progress = await progressOf(pool, schema);
    // After the checkpoint: if there is no deferred work now, the work up to that checkpoint is done.
    return withDeferredWork && (await hasDeferredWork(pool, manifest, schema)) ? null : progress;
  };
}

/** Finds out whether the tables of a schema get, within 1 s, all that is in the log now. */
export function schemaCatchesUp(log: Pick<EventLog, 'endCursor'>, pool: pg.Pool): (schema: string) => Promise<boolean> {
  return async (schema) => {
    const end = await log.endCursor();
    const load = async () => ({ passed: await loadCheckpoint(pool, schema) });
    return (await waitForReadModels([load], end, { timeoutMs: 1000, pollMs: 100 })) !== null;
  };
}
