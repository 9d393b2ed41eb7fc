/**
 * How much may be sent when, so that the receiver never gets more than `cap` in any 0.98 s (decisions 6.6). What arrives,
 * arrives between when it is written and when its answer is here. So each of the `cap` units is free again so long after
 * the answer: then whatever takes it arrives that much later than what had it before, however slow or uneven the way is.
 * Without an answer it is free a little later still: by then the request has arrived, whenever the answer comes.
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
  freeAt: number;
}

/** @param now monotonic milliseconds, as all times here */
export function createLimiter(cap: number, now: number): Limiter {
  let restsUntil = now;
  let nextAt = now;
  let used = 0;
  const starting = new Set<Units>();
  /** In the order in which they become free. */
  const silent = new Set<Units>();
  const cooling: Units[] = [];
  let cooled = 0;

  function release(now: number): void {
    for (const each of silent) {
      if (each.freeAt > now) break;
      silent.delete(each);
      used -= each.units;
    }
    for (; cooled < cooling.length && cooling[cooled]!.freeAt <= now; cooled++) used -= cooling[cooled]!.units;
    if (cooled > MANY && cooled * 2 > cooling.length) {
      cooling.splice(0, cooled);
      cooled = 0;
    }
  }

  const limiter: Limiter = {
    cap,
    wait(units, now) {
      release(now);
      const spread = Math.max(restsUntil, nextAt) - now;
      // What is more than the cap goes alone.
      if (used === 0 || used + units <= limiter.cap) return Math.max(0, spread);
      const [first] = silent;
      const free = Math.min(first?.freeAt ?? Infinity, cooling[cooled]?.freeAt ?? Infinity) - now;
      return Math.max(spread, Math.min(free, LOOK_MS));
    },
    take(units, now) {
      const { cap } = limiter;
      const taken: Units = { units, restMs: units > cap ? (units / cap) * 1000 : 0, freeAt: Infinity };
      used += units;
      starting.add(taken);
      nextAt = Math.max(nextAt, now - CATCH_UP_MS) + (units * 1000 * SPREAD) / cap;
      return {
        written(now) {
          if (!starting.delete(taken)) return;
          taken.freeAt = now + Math.max(FREE_AFTER_MS, taken.restMs) + SILENT_MS;
          silent.add(taken);
        },
        answered(now) {
          if (starting.delete(taken)) {
            // It was never written.
            used -= taken.units;
            return;
          }
          if (!silent.delete(taken)) return;
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
const MANY = 1000;
