import { type Cursor, hasPassedAll } from '../log/port.ts';
import { pause } from '../util/pause.ts';
import type { ProcessContext } from './process.ts';

/** When a process looks again at read models that had nothing for it to do. */
export interface Rest {
  /** Before a look: what the log gets from here on ends the rest after it. */
  begin(): void;
  /**
   * Waits `lookMs`, then until the log grows, `isDue()`, or `slowLookMs`. Waits `lookMs` only where the read models are
   * behind the log.
   * @param passed how far the read models were at the look; null: there were none, or work is under way
   */
  rest(lookMs: number, passed: readonly Cursor[] | null, signal: AbortSignal): Promise<void>;
}

/**
 * @param isDue whether the clock has brought something about since, asked every `lookMs` and of no database; null: it will
 * not, before the next look
 */
export function createRest(
  {
    log,
    slowLookMs,
  }: Pick<ProcessContext, 'slowLookMs'> & { readonly log: Pick<ProcessContext['log'], 'grown' | 'endCursor'> },
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
      // A log that does not answer now is no reason to stop: the next look comes all the sooner.
      const head = await log.endCursor().catch(() => null);
      if (head === null || !passed.every((cursor) => hasPassedAll(cursor, head))) return;
      const until = performance.now() + slowLookMs;
      for (let left = slowLookMs; left > 0 && !grown.aborted && !signal.aborted; left = until - performance.now()) {
        const due = isDue();
        if (due) return;
        await pause(due === null ? left : Math.min(left, lookMs), signal, grown);
      }
    },
  };
}
