import type { BuildSpeed } from './build-control.ts';

/** The state of a build at one moment. */
export interface BuildSample {
  readonly atMs: number;
  /** Events applied since the builder began. */
  readonly events: number;
  /** Commits of the log that are not read yet. */
  readonly commitsLeft: number;
}

const WINDOW_MS = 60_000;
/** Over less time, one batch more or less would decide on the rate. */
const LEAST_MS = 4000;

/** Measures a build over the last minute. */
export class BuildRate {
  #samples: readonly BuildSample[] = [];

  /** @returns the speed; null: unknown, since the builder began a few seconds ago */
  note(now: BuildSample): BuildSpeed | null {
    this.#samples = [...this.#samples.filter(({ atMs }) => atMs >= now.atMs - WINDOW_MS), now];
    const first = this.#samples[0]!;
    const seconds = (now.atMs - first.atMs) / 1000;
    if (seconds * 1000 < LEAST_MS) return null;
    const commitsPerSecond = (first.commitsLeft - now.commitsLeft) / seconds;
    // Without commits left, only deferred work is: its time is not known. With a rate of 0 the build never ends.
    const isKnown = now.commitsLeft > 0 && commitsPerSecond > 0;
    return {
      eventsPerSecond: (now.events - first.events) / seconds,
      secondsLeft: isKnown ? now.commitsLeft / commitsPerSecond : null,
    };
  }
}
