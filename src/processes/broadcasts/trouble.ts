import type { Pause } from '../../domain/broadcast/sending.ts';

/** What keeps a bot from sending: the platform told it to wait, or cannot be reached. */
export interface Trouble {
  /** The platform answered 429. */
  limited(retryAfterMs: number): void;
  /** As the log has it, ms UTC. */
  resumeAt(until: number): void;
  /** Until when the platform has told the bot to wait, ms UTC; 0: it has not. */
  readonly limitedUntil: number;
  /** A call was certainly not sent. */
  unreachable(reason: string): void;
  /** The platform has answered. */
  reached(): void;
  /** How long nothing may be sent, ms. */
  wait(): number;
  /** Whether it is not known that the platform can be reached: one call at a time finds out. */
  readonly probing: boolean;
  /** For those who ask about a broadcast; null: nothing is the matter. */
  pause(): Pause | null;
}

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

/** @param now ms since 1970 UTC */
export function createTrouble(now: () => number): Trouble {
  let until = 0;
  let unreachable: { readonly since: number; readonly reason: string } | null = null;
  let backoff = FIRST_BACKOFF_MS;
  let tryAt = 0;

  return {
    limited(retryAfterMs) {
      until = Math.max(until, now() + retryAfterMs);
    },
    resumeAt(given) {
      until = Math.max(until, given);
    },
    get limitedUntil() {
      return until;
    },
    unreachable(reason) {
      // Of calls that were under way together only the first says something new.
      if (now() < tryAt) return;
      backoff = unreachable === null ? FIRST_BACKOFF_MS : Math.min(2 * backoff, MAX_BACKOFF_MS);
      unreachable ??= { since: now(), reason };
      tryAt = now() + backoff;
    },
    reached() {
      unreachable = null;
      tryAt = 0;
    },
    wait: () => Math.max(until, tryAt) - now(),
    get probing() {
      return unreachable !== null;
    },
    pause() {
      if (until > now()) return { until, error: null };
      if (unreachable === null) return null;
      const since = new Date(unreachable.since).toISOString();
      return { until: null, error: `the platform cannot be reached since ${since}: ${unreachable.reason}` };
    },
  };
}
