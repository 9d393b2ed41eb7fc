import type { Logger } from 'pino';
import { isDatabaseDown } from '../../database/errors.ts';
import { type BotPauseState, NEVER_PAUSED, pauseLeftMs } from '../../domain/broadcast/bot-pause.ts';
import type { Pause } from '../../domain/broadcast/sending.ts';
import { LogUnavailableError, OutcomeUnknownError } from '../../log/port.ts';
import type { FailureReport } from '../process.ts';
import type { Delivery } from './deliver.ts';
import { ReplacedError } from './stream-writer.ts';

/** How long a sender waits after the platform has failed (per bot), and after the service itself has (per broadcast). */

/** Longer than it takes to notice that a lease is lost. */
const FIRST_MS = 4000;
/** A bug does not end by itself; but an operator who has mended the database should not wait for longer. */
const MOST_MS = 5 * 60_000;

/** The platform's present state, as the bot's sender knows it. */
export interface PlatformStatus {
  /** The time in which nothing may be sent; 0 or less: none. */
  readonly waitMs: number;
  /** It is unknown whether the platform works: one call at a time finds out. */
  readonly probing: boolean;
  /** The outcome of that call may stay unknown, so it is recorded before the next claim. */
  readonly costly: boolean;
  /** The owner's view; null: the platform works. */
  readonly pause: Pause | null;
  /** The wait that the platform has told the bot, for the log. */
  readonly limited: BotPauseState;
}

/** Tracks whether the platform told the bot to wait, cannot be reached, or gives no usable answers. */
export interface PlatformHealth {
  /** Learns from a call about a recipient. */
  learn(delivery: Delivery): void;
  /** The platform told an earlier sender to wait, as the log has it. */
  resumeAfter(pause: BotPauseState): void;
  /** An earlier sender backed off, as the log has it: the first answer decides whether the failure lasts. */
  doubt(error: string): void;
  status(): PlatformStatus;
  /** The bot has nothing more to send, or another instance sends for it. */
  end(): void;
}

export interface PlatformHealthOptions {
  /** Ms since 1970 UTC. For the log and for persons: all waits are measured by `elapsed`. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** For operators: the platform gives no usable answers; null: it does. */
  readonly report: (failure: FailureReport | null) => void;
}

/** After this many unknown outcomes in a row the platform counts as broken. */
const UNKNOWN_IN_ROW = 10;

interface Kind {
  readonly firstMs: number;
  readonly mostMs: number;
  readonly costly: boolean;
  readonly what: string;
}
/** Costs no recipient: the platform is tried often. */
const UNREACHABLE: Kind = {
  firstMs: 500,
  mostMs: 30_000,
  costly: false,
  what: 'the platform cannot be reached',
};
const UNKNOWN: Kind = {
  firstMs: FIRST_MS,
  mostMs: MOST_MS,
  costly: true,
  what: 'the platform has given no usable answer',
};
const WORKS: PlatformStatus = { waitMs: 0, probing: false, costly: false, pause: null, limited: NEVER_PAUSED };

export function createPlatformHealth({ now, elapsed, report }: PlatformHealthOptions): PlatformHealth {
  let limited = NEVER_PAUSED;
  /** The end of that wait, and the time of the next try after a failure: monotonic. */
  let limitedUntil = Number.NEGATIVE_INFINITY;
  /** `kind` null: from the log of an earlier sender. */
  let fault: { readonly kind: Kind | null; readonly error: string } | null = null;
  let waitMs = 0;
  let tryAt = Number.NEGATIVE_INFINITY;
  let unknownInRow = 0;
  let isReported = false;

  function failed(kind: Kind, reason: string): void {
    // Calls that were under way together fail for one reason: only the first failure counts.
    if (elapsed() < tryAt) return;
    if (fault?.kind === kind) waitMs = Math.min(2 * waitMs, kind.mostMs);
    else {
      waitMs = kind.firstMs;
      fault = { kind, error: `${kind.what} since ${new Date(now()).toISOString()}: ${reason}` };
    }
    tryAt = elapsed() + waitMs;
    if (kind.costly) report({ error: fault.error, againMs: waitMs });
    else reportEnd();
    isReported = kind.costly;
  }

  function reportEnd(): void {
    if (isReported) report(null);
    isReported = false;
  }

  /** The platform may have received the call. It gave no answer, or one that does not say. */
  function unknown(reason: string): void {
    unknownInRow++;
    if (unknownInRow >= UNKNOWN_IN_ROW || fault?.kind === null) failed(UNKNOWN, reason);
  }

  function waitFor(pause: BotPauseState): void {
    const leftMs = pauseLeftMs(pause, now());
    if (leftMs > 0 && pause.until > limited.until) limited = pause;
    limitedUntil = Math.max(limitedUntil, elapsed() + leftMs);
  }

  /** The platform has given a usable answer. */
  function reached(): void {
    fault = null;
    tryAt = Number.NEGATIVE_INFINITY;
    unknownInRow = 0;
    reportEnd();
  }

  return {
    learn({ answer, botProblem, fault: ownFault }) {
      if (botProblem?.type === 'not_sent') failed(UNREACHABLE, botProblem.reason);
      else if (answer.outcome === 'unknown') {
        if (ownFault === null) unknown(answer.reason ?? '');
      }
      // If the service failed before it sent anything, the platform has said nothing.
      else if (ownFault === null || answer.outcome !== 'returned') reached();
      if (botProblem?.type === 'limited')
        waitFor({ until: now() + botProblem.retryAfterMs, lengthMs: botProblem.retryAfterMs });
    },
    resumeAfter: waitFor,
    doubt(error) {
      fault ??= { kind: null, error };
    },
    status() {
      if (fault === null && limited.until === 0) return WORKS;
      const isLimited = limitedUntil > elapsed();
      return {
        waitMs: Math.max(0, Math.max(limitedUntil, tryAt) - elapsed()),
        probing: fault !== null,
        costly: fault !== null && fault.kind?.costly !== false,
        pause: isLimited
          ? { until: limited.until, error: null }
          : fault === null
            ? null
            : { until: null, error: fault.error },
        limited,
      };
    },
    end: reportEnd,
  };
}

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

/** An outage ends by itself, and is tried at a steady pace. */
function isPassing(error: unknown): boolean {
  return (
    [LogUnavailableError, OutcomeUnknownError, ReplacedError].some((kind) => error instanceof kind) ||
    isDatabaseDown(error)
  );
}
