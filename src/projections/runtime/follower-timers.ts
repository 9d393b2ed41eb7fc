import { pause } from '../../util/pause.ts';
import { hearWaits } from './awaited.ts';

/**
 * After a batch that reached the log end, a version that follows pauses: a transaction of 20 statements for each handful of
 * commits would take the processor from intake, and one transaction for all commits of the pause costs little more. The
 * same holds for reading the log after each append that is passed over.
 */
const PAUSE_MS = 80;
/**
 * While a request waits, a pause takes twice the time of its batch: batches then take a third of the time, however many
 * requests wait.
 */
const AWAITED_PAUSE = 2;
/** A batch that took less counts as a part of its pause: on a machine that is not busy, batches then begin every 80 ms. */
const SHORT_BATCH_MS = 40;
/**
 * After a batch without a commit for this read model. During steady intake of other events each look finds only more of
 * it.
 */
const PASSED_PAUSE_MS = 100;

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

  /**
   * Pauses after a batch that reached the log end.
   * @param tookMs the time of the batch
   */
  pauseAfter(hasCommits: boolean, tookMs: number): Promise<void> {
    const pauseMs = hasCommits ? PAUSE_MS : PASSED_PAUSE_MS;
    return this.pause(tookMs < SHORT_BATCH_MS ? pauseMs - tookMs : pauseMs, AWAITED_PAUSE * tookMs);
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
