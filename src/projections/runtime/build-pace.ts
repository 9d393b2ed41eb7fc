/** A builder looks this often whether it may continue, so a limit that an operator changes counts at once. */
const LOOK_MS = 250;
/** A part has at most the events of this time, so that a limited build works evenly. */
const PART_SECONDS = 0.25;

export interface PaceOptions {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Resolves after so many milliseconds, or when the builder must stop. */
  readonly pause: (ms: number) => Promise<void>;
  /** Aborts when the builder must stop. */
  readonly signal: AbortSignal;
}

/**
 * Keeps a build to a number of events a second: after each transaction it waits until the limit allows the next one. So in any
 * time the build applies at most the events of this time and of one transaction.
 */
export class BuildPace {
  /** The most events a second; null: no limit. */
  limit: number | null;
  readonly #options: PaceOptions;
  /** Applied events that the limit does not allow yet. */
  #ahead = 0;
  #at: number;

  constructor(limit: number | null, options: PaceOptions) {
    this.limit = limit;
    this.#options = options;
    this.#at = options.now();
  }

  /** The most events that a part of a transaction should have; a commit is never cut. */
  get partEvents(): number {
    return this.limit === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.ceil(this.limit * PART_SECONDS));
  }

  /** Waits after a transaction of so many events. */
  async after(events: number): Promise<void> {
    const { pause, signal } = this.#options;
    this.#elapse();
    this.#ahead += events;
    while (this.limit !== null && this.#ahead > 0 && !signal.aborted) {
      await pause(Math.min(LOOK_MS, Math.ceil((this.#ahead / this.limit) * 1000)));
      this.#elapse();
    }
  }

  #elapse(): void {
    const now = this.#options.now();
    this.#ahead = this.limit === null ? 0 : Math.max(0, this.#ahead - (this.limit * (now - this.#at)) / 1000);
    this.#at = now;
  }
}
