/**
 * How many recipients may be claimed: a kill -9 costs what is claimed and not answered, so never more than one second of
 * sending (decisions.md#at-most-once), and no more than is really sent in one.
 */
export interface Budget {
  /** So many may be claimed now, given how many are claimed and open. */
  room(open: number, now: number): number;
  /** Claimed recipients have waited for longer than a second; in the last second so many were called. */
  slowed(called: number, now: number): void;
}

/** A second's worth of recipients is claimed at most; from 40 a second on three quarters of it are enough to go on with. */
const FAST = 40;
const FAST_SHARE = 0.75;
/** A third of it at least is claimed at a time: so two are left while the log takes it, and a commit is for many. */
const PARTS = 3;
/** What was slow is tried a little faster now and then. */
const GROW_EVERY_MS = 1000;
const GROWTH = 1.25;

/** @param cap units in a second @param units of a recipient */
export function createBudget(cap: number, units: number): Budget {
  let speed = cap / units;
  let changedAt = 0;
  return {
    room(open, now) {
      if (now - changedAt > GROW_EVERY_MS) {
        speed = Math.min(cap / units, Math.max(speed * GROWTH, 1));
        changedAt = now;
      }
      const most = Math.max(1, Math.floor(speed < FAST ? speed : speed * FAST_SHARE));
      const batch = Math.max(1, Math.floor(most / PARTS));
      // Where the log is slow, what has become free meanwhile is claimed at once.
      return most - open >= batch ? most - open : 0;
    },
    slowed(called, now) {
      speed = Math.min(cap / units, called);
      changedAt = now;
    },
  };
}
