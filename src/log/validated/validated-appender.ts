import { LogUnavailableError, OutcomeUnknownError } from '../port.ts';
import { type NewRecord, NotSentError, type RecordStore } from './record-store.ts';

/** Limits of a group of appends, and of the groups under way at once. Later appends wait for the next group. */
export interface GroupLimits {
  readonly maxRecords: number;
  readonly maxBytes: number;
  readonly maxSends: number;
}

export interface AppenderOptions extends GroupLimits {
  readonly store: Pick<RecordStore, 'ready' | 'send'>;
  /** The most bytes of text of the appends that wait to be sent. Further appends are refused at once. */
  readonly maxQueuedBytes: number;
  /** Called with the number of commits of each group. */
  readonly onGroup?: ((commits: number) => void) | undefined;
}

interface Waiting {
  readonly record: NewRecord;
  readonly deadline: number;
  resolve(offset: number): void;
  reject(error: Error): void;
}

const SWEEP_MS = 50;

/**
 * Gathers concurrent appends into few sends. An append that still waits at its deadline was certainly not sent. One that was
 * handed to the store's client may be in the store, whatever error the client reports.
 *
 * It shares no class with the appender of `postgres`. That one sends one group at a time, and repeats a group whose outcome is
 * unknown. This one may not: the store would hold the records twice.
 */
export class Appender {
  readonly #options: AppenderOptions;
  readonly #sending = new Set<Waiting>();
  #queue: Waiting[] = [];
  #queuedBytes = 0;
  #sends = 0;
  #scheduled = false;
  #sweeper: NodeJS.Timeout | null = null;
  #idle: (() => void)[] = [];
  #closed = false;

  constructor(options: AppenderOptions) {
    this.#options = options;
  }

  /** Resolves with the offset that the store has acknowledged. `deadline` is a time of `performance.now()`. */
  append(record: NewRecord, deadline: number): Promise<number> {
    if (this.#closed) return Promise.reject(new LogUnavailableError('the log is closed'));
    if (this.#queuedBytes + record.value.length > this.#options.maxQueuedBytes)
      return Promise.reject(new LogUnavailableError('too many appends are waiting for the log'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ record, deadline, resolve, reject });
      this.#queuedBytes += record.value.length;
      this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS);
      this.#schedule();
    });
  }

  /** Refuses new appends, and waits for the present ones, each until its deadline. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#sweeper !== null) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Sends one tick of the event loop later, so that requests that arrived together share a send. */
  #schedule(): void {
    if (this.#scheduled || this.#sends >= this.#options.maxSends || this.#queue.length === 0) return;
    this.#scheduled = true;
    setImmediate(async () => {
      await this.#options.store.ready?.();
      this.#scheduled = false;
      if (this.#queue.length > 0) void this.#send(this.#takeGroup());
      this.#schedule();
    });
  }

  #takeGroup(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { record } of this.#queue) {
      if (count === this.#options.maxRecords || (count > 0 && bytes + record.value.length > this.#options.maxBytes))
        break;
      bytes += record.value.length;
      count++;
    }
    this.#queuedBytes -= bytes;
    this.#options.onGroup?.(count);
    return this.#queue.splice(0, count);
  }

  async #send(group: readonly Waiting[]): Promise<void> {
    this.#sends++;
    for (const waiting of group) this.#sending.add(waiting);
    try {
      const offsets = await this.#options.store.send(group.map(({ record }) => record));
      for (const [i, waiting] of group.entries()) waiting.resolve(offsets[i]!);
    } catch (error) {
      if (error instanceof NotSentError) this.#putBack(group.filter((waiting) => this.#sending.has(waiting)));
      else {
        const isRefused = error instanceof RangeError || error instanceof LogUnavailableError;
        for (const waiting of group) waiting.reject(isRefused ? error : unknown(error));
      }
    }
    for (const waiting of group) this.#sending.delete(waiting);
    this.#sends--;
    this.#schedule();
  }

  /** Puts a group that was not sent back into the queue, until the store is ready or the deadlines pass. */
  #putBack(group: readonly Waiting[]): void {
    this.#queue.unshift(...group);
    for (const { record } of group) this.#queuedBytes += record.value.length;
  }

  #sweep(): void {
    const now = performance.now();
    const overdue = this.#queue.filter(({ deadline }) => deadline <= now);
    if (overdue.length > 0) {
      this.#queue = this.#queue.filter(({ deadline }) => deadline > now);
      for (const { record, reject } of overdue) {
        this.#queuedBytes -= record.value.length;
        reject(unavailable());
      }
    }
    for (const waiting of this.#sending) {
      if (waiting.deadline > now) continue;
      this.#sending.delete(waiting);
      waiting.reject(unknown(undefined));
    }
    if (this.#queue.length > 0 || this.#sending.size > 0) return;
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    this.#sweeper = null;
    for (const idle of this.#idle.splice(0)) idle();
  }
}

function unavailable(): LogUnavailableError {
  return new LogUnavailableError('the log did not take the append in time');
}

function unknown(cause: unknown): OutcomeUnknownError {
  return new OutcomeUnknownError('the log did not say in time whether it has the append', { cause });
}
