import { pause } from '../util/pause.ts';
import type { Batch, Cursor, EventLog, Position, SubscribeOptions } from './port.ts';
import { type FeedOptions, SharedFeed, type SharedSubscription } from './shared-feed.ts';

/** A subscriber at most this many commits behind the log end takes part in the feed: the others hardly wait for it. */
const NEAR_COMMITS = 5000;
/** The most commits of a batch of the feed. */
const MAX_COMMITS = 5000;

/** Subscribers that start, or get other partitions, within this time begin one feed together. */
const GATHER_MS = 50;

type Source = Pick<EventLog, 'subscribe' | 'endCursor' | 'lag' | 'partitions'>;

interface Subscriber {
  readonly partitions: ReadonlySet<number>;
  readonly cursor: Map<number, Position>;
  /** Whether it is near the log end, so that a feed may begin at its cursor. */
  isNear: boolean;
}

/**
 * One reader of the log for all subscribers of a thread: one consumer or subscription at the engine, and each commit is
 * decoded once. A subscriber far behind the log end, such as a read model that is being built, first reads by itself.
 * Subscribers share the commits: they must not change them.
 */
export class SharedReader implements Pick<EventLog, 'subscribe'> {
  readonly #log: Source;
  readonly #categories: ReadonlySet<string>;
  readonly #options: FeedOptions;
  readonly #subscribers = new Set<Subscriber>();
  #feed: SharedFeed | null = null;
  /** The log end when a subscriber last asked. */
  #end: Cursor = new Map();

  /** @param categories of all subscribers; a subscriber to others reads by itself */
  constructor(log: Source, categories: Iterable<string>, options: FeedOptions) {
    this.#log = log;
    this.#categories = new Set(categories);
    this.#options = options;
  }

  async *subscribe(options: SubscribeOptions): AsyncGenerator<Batch> {
    if (options.categories.some((category) => !this.#categories.has(category)))
      return yield* this.#log.subscribe(options);
    const all = Array.from({ length: this.#log.partitions }, (_, partition) => partition);
    const asked: SharedSubscription = { ...options, partitions: options.partitions ?? new Set(all) };
    const subscriber = { partitions: asked.partitions, cursor: new Map(options.after), isNear: false };
    this.#subscribers.add(subscriber);
    try {
      let readsAlone = false;
      while (!options.signal.aborted) {
        const feed: SharedFeed | null = readsAlone ? null : await this.#join(subscriber);
        if (feed === null) {
          yield* this.#readAlone(subscriber, asked);
          readsAlone = false;
        } else readsAlone = yield* feed.batches(subscriber.cursor, asked);
      }
    } finally {
      this.#subscribers.delete(subscriber);
      if (this.#subscribers.size === 0) this.#feed?.retire();
    }
  }

  /** Reads without the feed until a feed covers the cursor, or may begin there. */
  async *#readAlone(subscriber: Subscriber, asked: SharedSubscription): AsyncGenerator<Batch> {
    const { cursor, partitions } = subscriber;
    const joins = new AbortController();
    const signal = AbortSignal.any([asked.signal, joins.signal]);
    subscriber.isNear = false;
    try {
      for await (const batch of this.#log.subscribe({ ...asked, after: new Map(cursor), signal })) {
        yield batch;
        cursor.set(batch.partition, batch.last);
        if (batch.hasMore || batch.hasOthers) continue;
        const feed = this.#feedFor();
        if (feed === null ? await this.#isNear(subscriber) : feed.covers(cursor, partitions)) return;
      }
    } finally {
      joins.abort();
    }
  }

  /** The feed, or a new one. Null: the subscriber is too far behind. */
  async #join(subscriber: Subscriber): Promise<SharedFeed | null> {
    if (this.#feedFor() === null) {
      subscriber.isNear = await this.#isNear(subscriber);
      if (!subscriber.isNear) return null;
      await pause(GATHER_MS);
    }
    const feed: SharedFeed = this.#feedFor() ?? this.#begin();
    subscriber.isNear = feed.covers(subscriber.cursor, subscriber.partitions);
    return subscriber.isNear ? feed : null;
  }

  /** The feed, if it reads just the partitions of all subscribers. They change when instances share them again. */
  #feedFor(): SharedFeed | null {
    const wanted = this.#partitions();
    if (this.#feed?.isReading !== true || this.#feed.partitions.size !== wanted.size) return null;
    return [...wanted].every((each) => this.#feed!.partitions.has(each)) ? this.#feed : null;
  }

  #partitions(): ReadonlySet<number> {
    return new Set([...this.#subscribers].flatMap(({ partitions }) => [...partitions]));
  }

  async #isNear({ cursor, partitions }: Subscriber): Promise<boolean> {
    this.#end = await this.#log.endCursor();
    const from = new Map(this.#end);
    for (const partition of partitions) {
      const position = cursor.get(partition);
      if (position === undefined) from.delete(partition);
      else from.set(partition, position);
    }
    return (await this.#log.lag(from)).commits <= NEAR_COMMITS;
  }

  /** Begins a feed at the least cursor of the near subscribers. The others read alone until it covers their cursors. */
  #begin(): SharedFeed {
    this.#feed?.retire();
    const partitions = this.#partitions();
    const after = new Map<number, Position>();
    for (const partition of partitions) {
      const near = [...this.#subscribers].filter((each) => each.isNear && each.partitions.has(partition));
      const cursors = near.length > 0 ? near.map(({ cursor }) => cursor) : [this.#end];
      const [first] = cursors.map((cursor) => cursor.get(partition) ?? '').sort();
      if (first !== '') after.set(partition, first!);
    }
    const options = { categories: [...this.#categories], after, partitions, maxCommits: MAX_COMMITS };
    this.#feed = new SharedFeed(this.#log, this.#options, options);
    return this.#feed;
  }
}
