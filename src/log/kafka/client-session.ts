import kafkajs, { type Consumer, type EachBatchPayload, type PartitionAssigner } from 'kafkajs';
import { pause } from '../../util/pause.ts';
import type { LogRecord } from '../validated/record.ts';
import type { Chunk } from '../validated/record-store.ts';

// kafkajs is CommonJS, and Node does not detect its named exports.
const { AssignerProtocol } = kafkajs;

/** Records are missing, or another writer's transaction is among them. Reading further would lose events silently. */
export class TopicDamagedError extends Error {
  override readonly name = 'TopicDamagedError';
}

/** Retries of reads. They are few: the caller has its own deadline, and `tail` replaces a consumer that fails. */
export const READ_RETRY = {
  retries: 5,
  initialRetryTime: 50,
  maxRetryTime: 500,
  restartOnFailure: () => Promise.resolve(false),
};
const BUFFER_BYTES = 8 << 20;
/**
 * A session that delivers none of the waiting records for this long is replaced. kafkajs can stop fetching for good
 * without an error: if the metadata of a broker that has just started names no broker, its fetch loop ends at once,
 * since src/consumer/fetchManager.js then waits for an empty list of fetchers. It happened twice in about sixty starts
 * with a loaded broker. Joining a group takes 0.3 s.
 */
export const STALLED_MS = 5000;

/** Options of a consumer. */
export const CONSUMER = {
  retry: READ_RETRY,
  allowAutoTopicCreation: false,
  // Otherwise the time of the read would decide which records of another writer's transaction are visible.
  readUncommitted: true,
  sessionTimeout: 30_000,
  heartbeatInterval: 3000,
  minBytes: 1,
  maxWaitTimeInMs: 500,
  maxBytesPerPartition: 1 << 20,
  maxBytes: BUFFER_BYTES,
};

/**
 * Assigns these partitions of a topic to the only member of a group. kafkajs fetches only from the assigned partitions,
 * and its own assigner would assign all.
 */
export function assignerOf(topic: string, partitions: readonly number[]): PartitionAssigner {
  const name = 'botledger';
  const version = 0;
  const userData = Buffer.alloc(0);
  return () => ({
    name,
    version,
    async assign({ members }) {
      const assignment = { [topic]: [...partitions] };
      const memberAssignment = AssignerProtocol.MemberAssignment.encode({ version, assignment, userData });
      return members.map(({ memberId }) => ({ memberId, memberAssignment }));
    },
    protocol: ({ topics }) => ({
      name,
      metadata: AssignerProtocol.MemberMetadata.encode({ version, topics, userData }),
    }),
  });
}

export interface SessionOptions {
  readonly topic: string;
  readonly compacted: boolean;
  /** How long to wait after an answer with records before the next fetch. */
  readonly restMs: number;
}

/**
 * Reads with one consumer from the offsets `from` on (by partition), until it fails. kafkajs has no `assign()`: after every
 * join, rebalance and out-of-range error it starts at the group's committed offsets, and there are none. So the session seeks
 * after each join, and compares every delivered record with the offset that must come next.
 */
export class Session {
  private readonly expected: Map<number, number>;
  private buffer: Chunk[] = [];
  private bytes = 0;
  private failure: unknown = null;
  private stopped = false;
  private wake = new AbortController();
  private drained = new AbortController();
  /** When the next fetch may begin. */
  private restUntil = 0;
  private arrivals = 0;
  private arrivalsChecked = -1;
  private stopping: Promise<void> | null = null;
  private readonly running: Promise<void>;

  /** Starts the session. It stops by itself when the signal aborts. */
  constructor(
    private readonly consumer: Consumer,
    private readonly options: SessionOptions,
    from: ReadonlyMap<number, number>,
    private readonly signal: AbortSignal,
  ) {
    this.expected = new Map(from);
    consumer.on(consumer.events.GROUP_JOIN, () => {
      for (const partition of this.expected.keys()) this.seek(partition);
    });
    // One answer has batches of several partitions. They share a rest.
    consumer.on(consumer.events.FETCH, () => {
      this.restUntil = performance.now() + options.restMs;
    });
    consumer.on(consumer.events.CRASH, ({ payload }) => this.fail(payload.error));
    this.running = this.run().catch((error: unknown) => this.fail(error));
    // Stops at once, since the reader may never call `take` again.
    signal.addEventListener('abort', this.onAbort);
  }

  /** Takes the records that have arrived; waits for some. Null once the signal aborts. Rejects when the consumer has failed. */
  async take(): Promise<Chunk[] | null> {
    while (this.buffer.length === 0 && this.failure === null && !this.signal.aborted) {
      this.wake = new AbortController();
      await pause(60_000, this.signal, this.wake.signal);
    }
    if (this.signal.aborted) return null;
    if (this.buffer.length === 0) throw this.failure;
    const taken = this.buffer;
    this.buffer = [];
    this.bytes = 0;
    this.drained.abort();
    return taken;
  }

  /** Fails the session if no record has arrived since the last check, although the topic has more. */
  async failIfStalled(endOffsets: () => Promise<readonly number[]>): Promise<void> {
    const nothingArrived = this.arrivals === this.arrivalsChecked && this.buffer.length === 0;
    this.arrivalsChecked = this.arrivals;
    if (!nothingArrived) return;
    const hasMore = await endOffsets().then(
      (ends) => ends.some((end, partition) => end > (this.expected.get(partition) ?? end)),
      () => false, // no broker answers, so none can deliver
    );
    if (hasMore && this.arrivals === this.arrivalsChecked)
      this.fail(new Error(`kafkajs has delivered no record for ${STALLED_MS} ms, though the topic has more`));
  }

  stop(): Promise<void> {
    this.stopping ??= this.leave();
    return this.stopping;
  }

  private readonly onAbort = (): void => void this.stop();

  private async run(): Promise<void> {
    const { consumer } = this;
    await consumer.connect();
    await consumer.subscribe({ topic: this.options.topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: (payload) => this.receive(payload),
    });
  }

  private async receive({ batch, resolveOffset, heartbeat }: EachBatchPayload): Promise<void> {
    const { topic, compacted } = this.options;
    const partition = batch.partition;
    const want = this.expected.get(partition);
    if (want === undefined) return resolveOffset(batch.lastOffset());
    const records = batch.messages.flatMap(({ offset, key, value }) =>
      Number(offset) < want ? [] : [{ offset: Number(offset), key, value }],
    );
    try {
      checkEnd(topic, partition, want, Number(batch.highWatermark));
      if (!compacted) checkContinuity(topic, partition, want, records);
    } catch (error) {
      return this.fail(error);
    }
    if (records.length === 0) return this.seek(partition);
    this.expected.set(partition, records[records.length - 1]!.offset + 1);
    resolveOffset(batch.lastOffset());
    await this.keep({ partition, records }, heartbeat);
    // kafkajs fetches nothing more while this waits.
    const left = this.restUntil - performance.now();
    if (left > 0) await pause(left, this.signal);
  }

  /** Buffers the records. Returns once the buffer has room for more. */
  private async keep(chunk: Chunk, heartbeat: () => Promise<void>): Promise<void> {
    this.arrivals++;
    this.buffer.push(chunk);
    for (const { value } of chunk.records) this.bytes += 100 + (value?.length ?? 0);
    this.wake.abort();
    // Backpressure: kafkajs fetches nothing more while this waits.
    while (this.bytes > BUFFER_BYTES && !this.stopped && this.failure === null) {
      this.drained = new AbortController();
      await pause(1000, this.signal, this.drained.signal);
      await heartbeat();
    }
  }

  private seek(partition: number): void {
    this.consumer.seek({ topic: this.options.topic, partition, offset: String(this.expected.get(partition)) });
  }

  private fail(error: unknown): void {
    this.failure ??= error;
    this.wake.abort();
    this.drained.abort();
  }

  private leave(): Promise<void> {
    this.signal.removeEventListener('abort', this.onAbort);
    this.stopped = true;
    this.drained.abort();
    // Leaving the group needs a broker that answers. Without one the group expires by itself.
    const left = this.running.then(() => this.consumer.disconnect()).catch(() => {});
    return Promise.race([left, pause(2 * CONSUMER.maxWaitTimeInMs)]);
  }
}

function checkEnd(topic: string, partition: number, want: number, end: number): void {
  if (end < want)
    throw new TopicDamagedError(`${topic}/${partition} ends at ${end}, but was read up to ${want} before`);
}

function checkContinuity(topic: string, partition: number, want: number, records: readonly LogRecord[]): void {
  let next = want;
  for (const { offset } of records) {
    if (offset !== next)
      throw new TopicDamagedError(
        `${topic}/${partition}: offsets ${next} to ${offset - 1} are gone, or belong to another writer's transaction`,
      );
    next++;
  }
}
