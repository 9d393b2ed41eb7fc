import type { Logger } from 'pino';
import { isDatabaseDown } from '../../database/errors.ts';
import { LogUnavailableError, OutcomeUnknownError } from '../../log/port.ts';
import { ReplacedError } from './ledger.ts';

/** What keeps a broadcast from going on although the platform would have it: what is away, or what nobody expected. */
export interface Failure {
  /** Whether it has failed lately, so that it is not known that it goes on. */
  readonly isFailing: boolean;
  /** It has failed. @returns after how many milliseconds it is to be tried again */
  failed(error: unknown): number;
  /** It goes on, or is over. */
  mended(): void;
}

export interface FailureOptions {
  readonly broadcast: number;
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** For those who run the service: what is the matter, and after how many ms it is tried again; null: nothing any more. */
  readonly tell: (trouble: { readonly error: string; readonly againMs: number } | null) => void;
}

/** Longer than it takes to notice that a lease is lost. */
export const FIRST_MS = 4000;
/** A mistake is not mended by trying: but whoever mends the database does not want to be waited for. */
export const MOST_MS = 5 * 60_000;
/** Who has gone on for so long after the last try fails anew. */
const STEADY_MS = 60_000;

export function createFailure({ broadcast, logger, elapsed, tell }: FailureOptions): Failure {
  let last: { readonly text: string; readonly waitMs: number; readonly at: number } | null = null;
  let told = false;
  const recent = () => (last !== null && elapsed() < last.at + last.waitMs + STEADY_MS ? last : null);
  return {
    get isFailing() {
      return recent() !== null;
    },
    failed(error) {
      const before = recent();
      const text = error instanceof Error ? error.message : String(error);
      const passing = isPassing(error);
      const waitMs = passing || before === null ? FIRST_MS : Math.min(2 * before.waitMs, MOST_MS);
      if (before?.text !== text)
        logger[passing ? 'warn' : 'error'](
          { err: error, broadcast, againMs: waitMs },
          'failed to send broadcast; retrying',
        );
      last = { text, waitMs, at: elapsed() };
      if (!passing) tell({ error: text, againMs: waitMs });
      told ||= !passing;
      return waitMs;
    },
    mended() {
      if (told) tell(null);
      told = false;
    },
  };
}

/** What is away comes back by itself, and is tried as often as ever. */
function isPassing(error: unknown): boolean {
  return (
    [LogUnavailableError, OutcomeUnknownError, ReplacedError].some((kind) => error instanceof kind) ||
    isDatabaseDown(error)
  );
}
