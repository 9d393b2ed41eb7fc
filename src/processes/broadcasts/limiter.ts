/**
 * How much may be sent when, so that the receiver never gets more than `cap` in any 0.98 s
 * (decisions.md#cap-at-the-receiver). What arrives, arrives between when it is written and when its answer is here. So
 * each of the `cap` units is free again so long after the answer: then whatever takes it arrives that much later than
 * what had it before, however slow or uneven the way is. Without an answer it is free a little later still: by then the
 * request has arrived, whenever the answer comes.
 *
 * Sends are spread over the second, slightly faster than the cap, since a burst would keep its own answers waiting.
 */
export interface Limiter {
  /** Units in any 0.98 s; may change at any time. */
  cap: number;
  /** Milliseconds until this may start; 0: now. After them it may have to be asked again. */
  wait(units: number, now: number): number;
  take(units: number, now: number): Taken;
  /** Nothing starts before. */
  restUntil(time: number): void;
}

/** Units taken for one send. Each is told once at most, and in this order; `now` as in `take`. */
export interface Taken {
  /** The request begins to be written. */
  written(now: number): void;
  /** Its answer is here, or whatever became of it is known. */
  answered(now: number): void;
}

/** Beyond 0.98 s: clocks of sender and receiver need not run alike. */
const FREE_AFTER_MS = 990;
/** Beyond that, for what has no answer yet. */
const SILENT_MS = 300;
/** Of an even second. */
const SPREAD = 0.95;
/** Who was kept from sending may catch up with so much of it at once. */
const CATCH_UP_MS = 40;

interface Units {
  readonly units: number;
  /** More than the cap: for so long nothing else is sent. */
  readonly restMs: number;
  stage: 'starting' | 'silent' | 'cooling' | 'free';
  freeAt: number;
}

/** @param now monotonic milliseconds, as all times here */
export function createLimiter(cap: number, now: number): Limiter {
  let restsUntil = now;
  let nextAt = now;
  let used = 0;
  /** In the order in which they were written; those that have been answered since are left out when they are met. */
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
      // What is more than the cap goes alone.
      if (used === 0 || used + units <= limiter.cap) return Math.max(0, spread);
      const freeAt = Math.min(silent[0]?.freeAt ?? Infinity, cooling[0]?.freeAt ?? Infinity);
      return Math.max(spread, Math.min(freeAt - now, LOOK_MS));
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
          // It was never written.
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

/** While nothing is known to become free, it is asked this often. */
const LOOK_MS = 20;
