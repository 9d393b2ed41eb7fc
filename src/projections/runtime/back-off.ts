/** Also under load a build works this part of the time, so that it ends. */
const LEAST_SHARE = 1 / 16;
/** A builder that backs off pauses between transactions of at most so many events. */
const PART_EVENTS = 1000;
/** A builder looks at the load again within this time. */
const LONGEST_PAUSE_MS = 2000;

/**
 * The part of the time that a build works. It halves at each look that finds a reason to back off, and grows by a quarter at each
 * other look: so the build returns carefully, as congestion control of TCP does.
 */
export class BackOff {
  #share = 1;

  /** Takes over whether there is a reason to back off. */
  note(hasReason: boolean): void {
    this.#share = hasReason ? Math.max(LEAST_SHARE, this.#share / 2) : Math.min(1, this.#share * 1.25);
  }

  /** Works all the time from now on. */
  end(): void {
    this.#share = 1;
  }

  /** Whether it works less than all the time. */
  get isActive(): boolean {
    return this.#share < 1;
  }

  /** The most events that a part of a transaction should have. */
  get partEvents(): number {
    return this.isActive ? PART_EVENTS : Number.POSITIVE_INFINITY;
  }

  /** The pause after so many milliseconds of work. */
  pauseAfter(workedMs: number): number {
    return Math.min(LONGEST_PAUSE_MS, workedMs * (1 / this.#share - 1));
  }
}
