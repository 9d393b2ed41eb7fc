import type { Pause } from '../../domain/broadcast/sending.ts';
import { FIRST_MS, MOST_MS } from './failure.ts';

/** What keeps a bot from sending: the platform told it to wait, cannot be reached, or gives no usable answers. */
export interface Trouble {
  /** The platform answered 429. */
  limited(retryAfterMs: number): void;
  /** As the log has it, ms UTC. */
  resumeAt(until: number): void;
  /** Until when the platform has told the bot to wait, ms UTC; 0: it has not. */
  readonly limitedUntil: number;
  /** A call was certainly not sent. */
  unreachable(reason: string): void;
  /** The platform may have a call, and what it answered, if anything, does not say. */
  unknown(reason: string): void;
  /** An earlier sender was in trouble, as the log has it: the first answer decides whether it still is. */
  doubt(error: string): void;
  /** The platform has given an answer that is understood. */
  reached(): void;
  /** How long nothing may be sent, ms. */
  wait(): number;
  /** Whether it is not known that the platform works: one call at a time finds out. */
  readonly probing: boolean;
  /** Whether such a call may cost its recipient: then there is only one. */
  readonly costly: boolean;
  /** For those who ask about a broadcast; null: nothing is the matter. */
  pause(): Pause | null;
  /** The bot has nothing more to send, or another instance sends for it. */
  end(): void;
}

export interface TroubleOptions {
  /** Ms since 1970 UTC. */
  readonly now: () => number;
  /** For those who run the service: the platform gives no usable answers, and after how many ms it is tried again; null: it does. */
  readonly tell: (trouble: { readonly error: string; readonly againMs: number } | null) => void;
}

/** So many unknown outcomes in a row are no accident. */
const UNKNOWN_IN_ROW = 10;

interface Kind {
  readonly firstMs: number;
  readonly mostMs: number;
  readonly costly: boolean;
  readonly what: string;
}
/** Costs no recipient: it is tried often. */
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

export function createTrouble({ now, tell }: TroubleOptions): Trouble {
  let until = 0;
  /** `kind` null: as an earlier sender had it. */
  let fault: { readonly kind: Kind | null; readonly error: string } | null = null;
  let waitMs = 0;
  let tryAt = 0;
  let unknown = 0;
  let told = false;

  function failed(kind: Kind, reason: string): void {
    // Of calls that were under way together only the first says something new.
    if (now() < tryAt) return;
    if (fault?.kind === kind) waitMs = Math.min(2 * waitMs, kind.mostMs);
    else {
      waitMs = kind.firstMs;
      fault = { kind, error: `${kind.what} since ${new Date(now()).toISOString()}: ${reason}` };
    }
    tryAt = now() + waitMs;
    if (kind.costly) tell({ error: fault.error, againMs: waitMs });
    else over();
    told = kind.costly;
  }

  function over(): void {
    if (told) tell(null);
    told = false;
  }

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
    unreachable: (reason) => failed(UNREACHABLE, reason),
    unknown(reason) {
      unknown++;
      if (unknown >= UNKNOWN_IN_ROW || fault?.kind === null) failed(UNKNOWN, reason);
    },
    doubt(error) {
      fault ??= { kind: null, error };
    },
    reached() {
      fault = null;
      tryAt = 0;
      unknown = 0;
      over();
    },
    wait: () => Math.max(until, tryAt) - now(),
    get probing() {
      return fault !== null;
    },
    get costly() {
      return fault !== null && fault.kind?.costly !== false;
    },
    pause() {
      if (until > now()) return { until, error: null };
      return fault === null ? null : { until: null, error: fault.error };
    },
    end: over,
  };
}
