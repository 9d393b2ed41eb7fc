import { setMaxListeners } from 'node:events';
import { pause } from '../util/pause.ts';
import {
  type Batch,
  type Cursor,
  type EventLog,
  hasPassed,
  type Position,
  type RecordedCommit,
  type SubscribeOptions,
} from './port.ts';
import { categoryOf } from './stream-name.ts';

/** The log does not show each append at once, so that readers get some appends together. */
const REST_MS = 10;
/** Bounds the memory of the batches that a reader has not taken yet. */
const MAX_HELD_ITEMS = 30_000;
/** How long all readers wait for the slowest one. Then it reads on by itself, so that a stuck reader stops no other. */
const PATIENCE_MS = 1000;

export interface FeedOptions {
  /** The size of a commit, in whatever its readers count. */
  readonly itemsOf: (commit: RecordedCommit) => number;
  /** Called if the log does not answer. Then each reader reads by itself, and meets the error if it persists. */
  readonly onError: (error: unknown) => void;
}

/** One subscription of the log whose batches many readers take. It reads ahead of them, by about 30,000 items at most. */
export class SharedFeed {
  readonly partitions: ReadonlySet<number>;
  /** The position before the first held batch, by partition. */
  readonly #floor: Map<number, Position>;
  readonly #itemsOf: (commit: RecordedCommit) => number;
  readonly #readers = new Set<Reader>();
  readonly #stopping = new AbortController();
  #held: Batch[] = [];
  /** The number of batches that were held before the first one of `#held`. */
  #released = 0;
  #heldItems = 0;
  #state: 'reading' | 'retired' | 'failed' = 'reading';
  /** Aborts when the state or the held batches change. */
  #changed = new AbortController();

  constructor(
    log: Pick<EventLog, 'subscribe'>,
    { itemsOf, onError }: FeedOptions,
    options: Omit<SubscribeOptions, 'signal' | 'partitions'> & { readonly partitions: ReadonlySet<number> },
  ) {
    this.#itemsOf = itemsOf;
    this.partitions = options.partitions;
    this.#floor = new Map(options.after);
    const batches = log.subscribe({ ...options, signal: this.#stopping.signal });
    void this.#hold(batches).catch((error: unknown) => {
      this.#end('failed');
      onError(error);
    });
  }

  get isReading(): boolean {
    return this.#state === 'reading';
  }

  /** Whether it holds or will read every commit of the partitions after the cursor. */
  covers(cursor: Cursor, partitions: ReadonlySet<number>): boolean {
    for (const partition of partitions) {
      if (!this.partitions.has(partition)) return false;
      const floor = this.#floor.get(partition);
      if (floor !== undefined && !hasPassed(cursor, floor)) return false;
    }
    return this.isReading;
  }

  /** Ends it. Its readers also end, and read on elsewhere. */
  retire(): void {
    if (this.isReading) this.#end('retired');
  }

  /**
   * Yields what a subscription after the cursor would, and moves the cursor. Call it only if the feed `covers` the cursor.
   * @returns whether the reader should read by itself: the log has failed, or it was too slow. False: the feed was retired, or the signal aborted
   */
  async *batches(cursor: Map<number, Position>, options: SharedSubscription): AsyncGenerator<Batch, boolean> {
    const reader: Reader = { taken: this.#released };
    this.#readers.add(reader);
    try {
      while (!options.signal.aborted && this.#state !== 'retired') {
        if (reader.taken < this.#released) return true;
        const held = this.#held.slice(reader.taken - this.#released);
        if (held.length > 0) {
          yield* wantedOf(held, cursor, options);
          reader.taken += held.length;
          this.#release();
        } else if (this.#state === 'failed') return true;
        else await pause(LONG_MS, options.signal, this.#changed.signal);
      }
      return false;
    } finally {
      this.#readers.delete(reader);
      if (this.#readers.size === 0) this.retire();
      else this.#release();
    }
  }

  async #hold(batches: AsyncIterable<Batch>): Promise<void> {
    for await (const batch of batches) {
      this.#held.push(batch);
      for (const commit of batch.commits) this.#heldItems += this.#itemsOf(commit);
      if (batch.hasOthers) continue;
      this.#change();
      if (batch.hasMore !== true) await pause(REST_MS, this.#stopping.signal);
      if (this.#heldItems > MAX_HELD_ITEMS) await this.#makeRoom();
    }
    this.retire();
  }

  async #makeRoom(): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const left = until - performance.now();
      if (this.#heldItems <= MAX_HELD_ITEMS || this.#stopping.signal.aborted) return;
      if (left <= 0) return this.#releaseTo(this.#released + this.#held.length);
      await pause(left, this.#stopping.signal, this.#changed.signal);
    }
  }

  /** Releases the batches that all readers have taken. */
  #release(): void {
    let taken = this.#released + this.#held.length;
    for (const reader of this.#readers) taken = Math.min(taken, reader.taken);
    if (taken > this.#released) this.#releaseTo(taken);
  }

  #releaseTo(taken: number): void {
    for (const { partition, last, commits } of this.#held.splice(0, taken - this.#released)) {
      this.#floor.set(partition, last);
      for (const commit of commits) this.#heldItems -= this.#itemsOf(commit);
    }
    this.#released = taken;
    this.#change();
  }

  #end(state: 'retired' | 'failed'): void {
    this.#state = state;
    this.#stopping.abort();
    this.#change();
  }

  #change(): void {
    const changed = this.#changed;
    this.#changed = new AbortController();
    setMaxListeners(0, this.#changed.signal);
    changed.abort();
  }
}

/** The options of a reader of the feed. */
export interface SharedSubscription extends Omit<SubscribeOptions, 'after' | 'partitions'> {
  readonly partitions: ReadonlySet<number>;
}

interface Reader {
  /** The number of batches, from the first that the feed read, that this reader has dealt with. */
  taken: number;
}

const LONG_MS = 600_000;
const DEFAULT_MAX_COMMITS = 1000;

/** The commits that a reader wants out of batches, joined to one batch a partition, or to more if they are too many. */
function* wantedOf(
  held: readonly Batch[],
  cursor: Map<number, Position>,
  { partitions, categories, without = [], maxCommits = DEFAULT_MAX_COMMITS }: SharedSubscription,
): Generator<Batch> {
  const byPartition = new Map<number, Batch[]>();
  for (const batch of held) {
    if (!partitions.has(batch.partition) || hasPassed(cursor, batch.last)) continue;
    const earlier = byPartition.get(batch.partition);
    if (earlier === undefined) byPartition.set(batch.partition, [batch]);
    else earlier.push(batch);
  }
  let left = byPartition.size;
  for (const [partition, batches] of byPartition) {
    left--;
    const wanted = batches
      .flatMap(({ commits }) => commits)
      .filter(({ position, stream, events }) => {
        if (hasPassed(cursor, position) || !categories.includes(categoryOf(stream))) return false;
        return events.length !== 1 || !without.includes(events[0]!.type);
      });
    for (let from = 0; from + maxCommits < wanted.length; from += maxCommits) {
      const commits = wanted.slice(from, from + maxCommits);
      const last = commits[commits.length - 1]!.position;
      cursor.set(partition, last);
      yield { partition, commits, last, hasMore: true };
    }
    const { last, hasMore } = batches[batches.length - 1]!;
    const commits = wanted.slice(Math.floor(Math.max(0, wanted.length - 1) / maxCommits) * maxCommits);
    cursor.set(partition, last);
    yield { partition, commits, last, ...(hasMore === undefined ? {} : { hasMore }), hasOthers: left > 0 };
  }
}
