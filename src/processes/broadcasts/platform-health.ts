import { type BotPauseState, NEVER_PAUSED, pauseLeftMs } from '../../domain/broadcast/bot-pause.ts';
import type { Pause } from '../../domain/broadcast/sending.ts';
import { type GrowingPause, growingPause } from '../../util/growing-pause.ts';
import type { FailureReport } from '../process.ts';
import type { Delivery } from './deliver.ts';

/** Longer than it takes to notice that a lease is lost. */
export const FIRST_PAUSE_MS = 4000;
/** A bug does not end by itself; but an operator who has mended the database should not wait for longer. */
export const MOST_PAUSE_MS = 5 * 60_000;

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
  firstMs: FIRST_PAUSE_MS,
  mostMs: MOST_PAUSE_MS,
  costly: true,
  what: 'the platform has given no usable answer',
};
/** `kind` null: from the log of an earlier sender. */
type Fault = { readonly error: string } & (
  | { readonly kind: null }
  | { readonly kind: Kind; readonly pauses: GrowingPause }
);
const WORKS: PlatformStatus = { waitMs: 0, probing: false, costly: false, pause: null, limited: NEVER_PAUSED };

/**
 * Tracks whether the platform told a bot to wait, cannot be reached, or gives no usable answers, and how long the bot's sender
 * waits then.
 */
export class PlatformHealth {
  private limited = NEVER_PAUSED;
  /** The end of that wait, and the time of the next try after a failure: monotonic. */
  private limitedUntil = Number.NEGATIVE_INFINITY;
  private fault: Fault | null = null;
  private tryAt = Number.NEGATIVE_INFINITY;
  private unknownInRow = 0;
  private isReported = false;

  constructor(private readonly options: PlatformHealthOptions) {}

  /** Learns from a call about a recipient. */
  learn({ answer, botProblem, fault }: Delivery): void {
    if (botProblem?.type === 'not_sent') this.failed(UNREACHABLE, botProblem.reason);
    else if (answer.outcome === 'unknown') {
      if (fault === null) this.unknown(answer.reason ?? '');
    }
    // If the service failed before it sent anything, the platform has said nothing.
    else if (fault === null || answer.outcome !== 'returned') this.reached();
    if (botProblem?.type === 'limited')
      this.resumeAfter({ until: this.options.now() + botProblem.retryAfterMs, lengthMs: botProblem.retryAfterMs });
  }

  /** The platform asked the bot to wait: now, or an earlier sender, as recorded in the log. */
  resumeAfter(pause: BotPauseState): void {
    const leftMs = pauseLeftMs(pause, this.options.now());
    if (leftMs > 0 && pause.until > this.limited.until) this.limited = pause;
    this.limitedUntil = Math.max(this.limitedUntil, this.options.elapsed() + leftMs);
  }

  /** An earlier sender backed off, as recorded in the log: the first answer decides whether the failure lasts. */
  doubt(error: string): void {
    this.fault ??= { kind: null, error };
  }

  status(): PlatformStatus {
    const { limited, fault } = this;
    if (fault === null && limited.until === 0) return WORKS;
    const now = this.options.elapsed();
    return {
      waitMs: Math.max(0, Math.max(this.limitedUntil, this.tryAt) - now),
      probing: fault !== null,
      costly: fault !== null && fault.kind?.costly !== false,
      pause:
        this.limitedUntil > now ? { until: limited.until, error: null } : fault && { until: null, error: fault.error },
      limited,
    };
  }

  /** The bot has nothing more to send, or another instance sends for it. */
  end(): void {
    if (this.isReported) this.options.report(null);
    this.isReported = false;
  }

  private failed(kind: Kind, reason: string): void {
    const { now, elapsed, report } = this.options;
    // Calls that were under way together fail for one reason: only the first failure counts.
    if (elapsed() < this.tryAt) return;
    const error = `${kind.what} since ${new Date(now()).toISOString()}: ${reason}`;
    const fault =
      this.fault?.kind === kind ? this.fault : { kind, error, pauses: growingPause(kind.firstMs, kind.mostMs) };
    const againMs = fault.pauses.failed();
    this.fault = fault;
    this.tryAt = elapsed() + againMs;
    if (kind.costly) report({ error: fault.error, againMs });
    else this.end();
    this.isReported = kind.costly;
  }

  /** The platform may have received the call. It gave no answer, or one that does not say. */
  private unknown(reason: string): void {
    this.unknownInRow++;
    if (this.unknownInRow >= UNKNOWN_IN_ROW || this.fault?.kind === null) this.failed(UNKNOWN, reason);
  }

  /** The platform has given a usable answer. */
  private reached(): void {
    this.fault = null;
    this.tryAt = Number.NEGATIVE_INFINITY;
    this.unknownInRow = 0;
    this.end();
  }
}
