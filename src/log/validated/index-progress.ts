import { setMaxListeners } from 'node:events';
import { pause } from '../../util/pause.ts';

export interface ProgressOptions {
  /** Per partition, the first offset without a verdict. */
  readonly poll: () => Promise<readonly number[]>;
  readonly onError: (error: unknown) => void;
}

/** The pause between polls while a caller waits for an offset. The thread of the leader knows its progress without polls. */
const POLL_MS = 10;
/** The pause between polls while only readers wait for new records. */
const IDLE_POLL_MS = 100;

/**
 * Wakes callers when the index has passed an offset. A wake-up is only a hint: the caller then reads a snapshot of the
 * index. Polls the database only while callers wait, with one query for all callers.
 */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #waiting = new Set<{ ready(next: readonly number[]): boolean; resolve(): void }>();
  readonly #stop = new AbortController();
  #next: readonly number[] = [];
  #polling = false;
  #urgent = 0;
  #hurry = new AbortController();
  #moved: AbortController | null = null;

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  /** Sets the progress, and wakes the callers whose offset it has passed. */
  publish(next: readonly number[]): void {
    this.#next = next;
    for (const waiter of [...this.#waiting]) if (waiter.ready(next)) waiter.resolve();
  }

  /** The progress that was polled or published last. */
  current(): readonly number[] {
    return this.#next;
  }

  /** Resolves when the index has passed `offset`, or earlier at `limit`: a time of `performance.now()`, or a signal. */
  async passed(partition: number, offset: number, limit: number | AbortSignal): Promise<void> {
    const late = new AbortController();
    const timer = typeof limit === 'number' ? setTimeout(() => late.abort(), limit - performance.now()) : undefined;
    this.#urgent++;
    this.#hurry.abort();
    await this.#until((next) => (next[partition] ?? 0) > offset, typeof limit === 'number' ? late.signal : limit);
    this.#urgent--;
    clearTimeout(timer);
  }

  /** Resolves when the index is beyond the offsets `next` in any partition, or the signal aborts. */
  beyond(next: readonly number[], signal: AbortSignal): Promise<void> {
    return this.#until((reached) => reached.some((offset, partition) => offset > (next[partition] ?? 0)), signal);
  }

  /** Returns a signal that aborts when the index moves beyond `current()`. Concurrent callers share the signal. */
  moved(): AbortSignal {
    if (this.#moved === null || this.#moved.signal.aborted) {
      const moved = new AbortController();
      setMaxListeners(0, moved.signal);
      this.#moved = moved;
      void this.beyond(this.#next, this.#stop.signal).then(() => moved.abort());
    }
    return this.#moved.signal;
  }

  /** Ends all waits. */
  close(): void {
    this.#stop.abort();
    for (const waiter of [...this.#waiting]) waiter.resolve();
  }

  #until(ready: (next: readonly number[]) => boolean, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#stop.signal.aborted || ready(this.#next)) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(waiter);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const waiter = { ready, resolve: done };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', done, { once: true });
      if (!this.#polling) void this.#poll();
    });
  }

  async #poll(): Promise<void> {
    this.#polling = true;
    while (this.#waiting.size > 0 && !this.#stop.signal.aborted) {
      try {
        this.publish(await this.#options.poll());
      } catch (error) {
        this.#options.onError(error);
        await pause(IDLE_POLL_MS, this.#stop.signal);
      }
      this.#hurry = new AbortController();
      if (this.#urgent > 0) await pause(POLL_MS, this.#stop.signal);
      else if (this.#waiting.size > 0) await pause(IDLE_POLL_MS, this.#stop.signal, this.#hurry.signal);
    }
    this.#polling = false;
  }
}
