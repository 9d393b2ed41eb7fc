import { type Cursor, hasPassedAll, within } from '../log/port.ts';
import { pause } from '../util/pause.ts';
import type { ProcessContext } from './process.ts';

/** The wait of a process before it looks again at read models that had no work for it. */
export interface Rest {
  /** Call it before a look: if the log grows from here on, the rest after the look ends early. */
  begin(): void;
  /**
   * Waits `lookMs`, then until the log grows, `isDue()`, or `slowLookMs`. Waits `lookMs` only if the read models are behind
   * the log.
   * @param passed the cursors of the read models at the look; null: there were none, or work is under way
   */
  rest(lookMs: number, passed: readonly Cursor[] | null, signal: AbortSignal): Promise<void>;
}

/**
 * @param isDue whether a time that the process waits for has come; called every `lookMs`, so it queries no database; null:
 * none comes before the next look
 */
export function createRest(
  {
    log,
    slowLookMs,
    partitions,
  }: Pick<ProcessContext, 'slowLookMs' | 'partitions'> & {
    readonly log: Pick<ProcessContext['log'], 'grown' | 'endCursor'>;
  },
  isDue: () => boolean | null = () => null,
): Rest {
  let grown = log.grown();
  return {
    begin() {
      if (grown.aborted) grown = log.grown();
    },
    async rest(lookMs, passed, signal) {
      await pause(lookMs, signal);
      if (passed === null || grown.aborted || signal.aborted) return;
      // If the log does not answer now, the process continues: its next look comes after `lookMs`.
      const end = await log.endCursor().catch(() => null);
      const own = end === null ? null : within(partitions, end);
      if (own === null || !passed.every((cursor) => hasPassedAll(cursor, own))) return;
      const until = performance.now() + slowLookMs;
      for (let left = slowLookMs; left > 0 && !grown.aborted && !signal.aborted; left = until - performance.now()) {
        const due = isDue();
        if (due) return;
        await pause(due === null ? left : Math.min(left, lookMs), signal, grown);
      }
    },
  };
}

/** A time of the log that a process waits for. */
export interface AwaitedTime {
  /** @param at milliseconds UTC; null: there is none @param now the time of the look that found it */
  set(at: number | null, now: number): void;
  /** Whether the time has come, or it is time for another look at it; null: there is none. */
  hasCome(): boolean | null;
}

/** A clock that is set back keeps a process waiting for no longer than this. */
const LOOK_AGAIN_MS = 60_000;

/** The wait ends by the clock, and at the latest once its length has passed, whatever the clock says. */
export function createAwaitedTime(now: () => number, elapsed: () => number): AwaitedTime {
  let awaited: { readonly at: number; readonly lookAt: number } | null = null;
  return {
    set(at, seenAt) {
      awaited = at === null ? null : { at, lookAt: elapsed() + Math.min(Math.max(0, at - seenAt), LOOK_AGAIN_MS) };
    },
    hasCome: () => (awaited === null ? null : awaited.at <= now() || awaited.lookAt <= elapsed()),
  };
}
