import type { Logger } from 'pino';
import { isPassing } from '../../log/is-passing.ts';
import { growingPause } from '../../util/growing-pause.ts';
import type { FailureReport } from '../process.ts';
import { FIRST_PAUSE_MS, MOST_PAUSE_MS } from './platform-health.ts';
import { ReplacedError } from './stream-writer.ts';

/** Failures of the service itself while it sends a broadcast: something is down, or there is a bug. */
export interface Failures {
  /** Whether there was a failure lately, so that it is unknown whether sending works. */
  readonly isFailing: boolean;
  /** @returns after how many milliseconds to try again */
  failed(error: unknown): number;
  /** Sending works again, or is over. */
  recovered(): void;
}

export interface FailuresOptions {
  readonly broadcast: number;
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** For operators; null: it works again. */
  readonly report: (failure: FailureReport | null) => void;
}

/** After this time without a failure since the last try, the next failure starts with the shortest pause. */
const STEADY_MS = 60_000;

export function createFailures({ broadcast, logger, elapsed, report }: FailuresOptions): Failures {
  let last: { readonly text: string; readonly waitMs: number; readonly at: number } | null = null;
  let isReported = false;
  const pauses = growingPause(FIRST_PAUSE_MS, MOST_PAUSE_MS);
  const recent = () => (last !== null && elapsed() < last.at + last.waitMs + STEADY_MS ? last : null);
  return {
    get isFailing() {
      return recent() !== null;
    },
    failed(error) {
      const before = recent();
      const text = error instanceof Error ? error.message : String(error);
      // It is tried again at a steady pace.
      const passing = isPassing(error) || error instanceof ReplacedError;
      if (passing || before === null) pauses.succeeded();
      const waitMs = pauses.failed();
      if (before?.text !== text)
        logger[passing ? 'warn' : 'error'](
          { err: error, broadcast, againMs: waitMs },
          'failed to send broadcast; retrying',
        );
      last = { text, waitMs, at: elapsed() };
      if (!passing) report({ error: text, againMs: waitMs });
      isReported ||= !passing;
      return waitMs;
    },
    recovered() {
      if (isReported) report(null);
      isReported = false;
    },
  };
}
