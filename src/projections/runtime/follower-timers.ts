import { pause } from '../../util/pause.ts';
import { hearWaits } from './awaited.ts';

/** The timers of one follower. None of them outlives it. */
export class FollowerTimers {
  /** Made once: Node 20 never frees the reference that a long-lived signal keeps to each combined signal. */
  readonly signal: AbortSignal;
  readonly #ended: AbortSignal;
  readonly #closed = new AbortController();
  readonly #endHearing: () => void;
  /** Aborts when a request waits for the read model. */
  #awaited = new AbortController();
  #work: NodeJS.Timeout | null = null;

  constructor(ended: AbortSignal, model: string) {
    this.#ended = ended;
    this.signal = AbortSignal.any([ended, this.#closed.signal]);
    this.#endHearing = hearWaits(model, () => this.#awaited.abort());
  }

  /** Pauses `ms`, or only `awaitedMs` if a request waits for the read model. */
  async pause(ms: number, awaitedMs: number): Promise<void> {
    await pause(Math.min(ms, awaitedMs), this.#ended);
    if (awaitedMs < ms) await pause(ms - awaitedMs, this.#ended, this.#awaited.signal);
    if (this.#awaited.signal.aborted) this.#awaited = new AbortController();
  }

  /** Runs `work` after `ms`, unless some is planned or runs until `free`. */
  once(ms: number, work: () => Promise<void>): void {
    if (!this.#closed.signal.aborted) this.#work ??= setTimeout(() => void work(), ms);
  }

  free(): void {
    this.#work = null;
  }

  close(): void {
    this.#endHearing();
    this.#closed.abort();
    if (this.#work !== null) clearTimeout(this.#work);
  }
}
