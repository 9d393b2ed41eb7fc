/**
 * Limits the sends, so that the receiver never gets more than `cap` units in any 0.98 s
 * (decisions.md#cap-at-the-receiver). A message arrives between the writing of its request and the arrival of its
 * answer. So each of the `cap` units is free again 0.99 s after the answer: the next message that takes it arrives that
 * much later than the one before, however slow or uneven the network is. Without an answer the unit is free a little
 * later still, 1.29 s after the writing: by then the request has arrived.
 *
 * Sends are spread over the second, slightly faster than the cap, since a burst would delay its own answers.
 */
export interface Limiter {
  /** Units in any 0.98 s; may change at any time. */
  cap: number;
  /** Milliseconds until a send of these units may start; 0: now. Ask again afterwards. */
  wait(units: number, now: number): number;
  take(units: number, now: number): Taken;
  /** Nothing starts before. */
  restUntil(time: number): void;
}

/** Units taken for one send. Call each function once at most, in this order; `now` as in `take`. */
export interface Taken {
  /** The request begins to be written. */
  written(now: number): void;
  /** The answer has arrived, or the call has failed. */
  answered(now: number): void;
}

/** More than 0.98 s, since the clocks of sender and receiver may run at different speeds. */
const FREE_AFTER_MS = 990;
/** The extra time for a request without an answer. */
const SILENT_MS = 300;
/** The part of a second over which `cap` units are spread. */
const SPREAD = 0.95;
/** A sender that was held up may catch up by sending the units of this time at once. */
const CATCH_UP_MS = 40;

interface Units {
  readonly units: number;
  /** If the units are more than the cap: the time after the answer in which nothing else is sent. */
  readonly restMs: number;
  stage: 'starting' | 'silent' | 'cooling' | 'free';
  freeAt: number;
}

/** @param now monotonic milliseconds, as all times here */
export function createLimiter(cap: number, now: number): Limiter {
  let restsUntil = now;
  let nextAt = now;
  let used = 0;
  /** In the order of writing. Answered ones are skipped when they come first. */
  const silent: Units[] = [];
  /** In the order in which they become free. */
  const cooling: Units[] = [];

  function release(now: number): void {
    for (let first = silent[0]; first !== undefined; first = silent[0]) {
      if (first.stage === 'silent') {
        if (first.freeAt > now) break;
        free(first);
      }
      silent.shift();
    }
    for (let first = cooling[0]; first !== undefined && first.freeAt <= now; first = cooling[0]) {
      free(first);
      cooling.shift();
    }
  }

  function free(each: Units): void {
    each.stage = 'free';
    used -= each.units;
  }

  const limiter: Limiter = {
    cap,
    wait(units, now) {
      release(now);
      const spread = Math.max(restsUntil, nextAt) - now;
      // A send of more units than the cap goes by itself.
      if (used === 0 || used + units <= limiter.cap) return Math.max(0, spread);
      const freeAt = Math.min(silent[0]?.freeAt ?? Infinity, cooling[0]?.freeAt ?? Infinity);
      return Math.max(spread, Math.min(freeAt - now, POLL_MS));
    },
    take(units, now) {
      const { cap } = limiter;
      const restMs = units > cap ? (units / cap) * 1000 : 0;
      const taken: Units = { units, restMs, stage: 'starting', freeAt: Infinity };
      used += units;
      nextAt = Math.max(nextAt, now - CATCH_UP_MS) + (units * 1000 * SPREAD) / cap;
      return {
        written(now) {
          if (taken.stage !== 'starting') return;
          taken.stage = 'silent';
          taken.freeAt = now + Math.max(FREE_AFTER_MS, taken.restMs) + SILENT_MS;
          silent.push(taken);
        },
        answered(now) {
          // The request was never written.
          if (taken.stage === 'starting') free(taken);
          if (taken.stage !== 'silent') return;
          taken.stage = 'cooling';
          taken.freeAt = now + FREE_AFTER_MS;
          if (taken.restMs > 0) restsUntil = Math.max(restsUntil, now + taken.restMs);
          cooling.push(taken);
        },
      };
    },
    restUntil(time) {
      restsUntil = Math.max(restsUntil, time);
    },
  };
  return limiter;
}

/** The time after which callers ask again, since an answer may free a unit earlier. */
const POLL_MS = 20;
