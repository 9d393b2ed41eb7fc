import kafkajs, { type Consumer, type PartitionAssigner } from 'kafkajs';
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
 * A session that delivers none of the waiting records for this long is replaced. kafkajs can stop fetching for good without
 * an error: if the metadata of a broker that has just started names no broker, its fetch loop ends at once, since
 * src/consumer/fetchManager.js then waits for an empty list of fetchers. It happened twice in some sixty starts beside a
 * loaded broker. Joining a group takes 0.3 s.
 */
export const STALLED_MS = 5000;

/** Options of a consumer. */
export const CONSUMER = {
  retry: READ_RETRY,
  allowAutoTopicCreation: false,
  // Otherwise the visible records of another writer's transaction would depend on the time of the read.
  readUncommitted: true,
  sessionTimeout: 30_000,
  heartbeatInterval: 3000,
  minBytes: 1,
  maxWaitTimeInMs: 500,
  maxBytesPerPartition: 1 << 20,
  maxBytes: BUFFER_BYTES,
};

/**
 * Assigns these partitions of a topic to the only member of a group. kafkajs fetches from the assigned partitions alone, and
 * its own assigner would assign all.
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

export interface Session {
  /** Takes the records that have arrived; waits for some. Null once the signal aborts. Rejects when the consumer has failed. */
  take(): Promise<Chunk[] | null>;
  /** Fails the session if no record has arrived since the last check, although the topic has more. */
  failIfStalled(endOffsets: () => Promise<readonly number[]>): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Reads with one consumer from the offsets `from` on (by partition), until it fails. kafkajs has no `assign()`: after every
 * join, rebalance and out-of-range error it starts at the group's committed offsets, and there are none. So the session seeks
 * after each join, and compares every delivered record with the offset that must come next.
 */
export function startSession(
  consumer: Consumer,
  { topic, compacted, restMs }: { readonly topic: string; readonly compacted: boolean; readonly restMs: number },
  from: ReadonlyMap<number, number>,
  signal: AbortSignal,
): Session {
  const expected = new Map(from);
  let buffer: Chunk[] = [];
  let bytes = 0;
  let failure: unknown = null;
  let stopped = false;
  let wake = new AbortController();
  let drained = new AbortController();
  /** When the next fetch may begin. */
  let restUntil = 0;
  let arrivals = 0;
  let arrivalsChecked = -1;

  const fail = (error: unknown): void => {
    failure ??= error;
    wake.abort();
    drained.abort();
  };
  const seek = (partition: number): void =>
    consumer.seek({ topic, partition, offset: String(expected.get(partition)) });
  consumer.on(consumer.events.GROUP_JOIN, () => {
    for (const partition of expected.keys()) seek(partition);
  });
  // One answer has batches of several partitions. They share a rest.
  consumer.on(consumer.events.FETCH, () => {
    restUntil = performance.now() + restMs;
  });
  consumer.on(consumer.events.CRASH, ({ payload }) => fail(payload.error));

  const take = async (
    partition: number,
    records: readonly LogRecord[],
    heartbeat: () => Promise<void>,
  ): Promise<void> => {
    arrivals++;
    buffer.push({ partition, records });
    for (const { value } of records) bytes += 100 + (value?.length ?? 0);
    wake.abort();
    // Backpressure: kafkajs fetches nothing more while this waits.
    while (bytes > BUFFER_BYTES && !stopped && failure === null) {
      drained = new AbortController();
      await pause(1000, signal, drained.signal);
      await heartbeat();
    }
  };
  const running = (async () => {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async ({ batch, resolveOffset, heartbeat }) => {
        const partition = batch.partition;
        const want = expected.get(partition);
        if (want === undefined) return resolveOffset(batch.lastOffset());
        const records = batch.messages.flatMap(({ offset, key, value }) =>
          Number(offset) < want ? [] : [{ offset: Number(offset), key, value }],
        );
        try {
          checkEnd(topic, partition, want, Number(batch.highWatermark));
          if (!compacted) checkContinuity(topic, partition, want, records);
        } catch (error) {
          return fail(error);
        }
        if (records.length === 0) return seek(partition);
        expected.set(partition, records[records.length - 1]!.offset + 1);
        resolveOffset(batch.lastOffset());
        await take(partition, records, heartbeat);
        // kafkajs fetches nothing more while this waits.
        const left = restUntil - performance.now();
        if (left > 0) await pause(left, signal);
      },
    });
  })().catch(fail);

  const leave = (): Promise<void> => {
    signal.removeEventListener('abort', stop);
    stopped = true;
    drained.abort();
    // Leaving the group needs a broker that answers. Without one the group expires by itself.
    const left = running.then(() => consumer.disconnect()).catch(() => {});
    return Promise.race([left, pause(2 * CONSUMER.maxWaitTimeInMs)]);
  };
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    stopping ??= leave();
    return stopping;
  };
  // Stops at once, since the reader may never call `take` again.
  signal.addEventListener('abort', stop);

  return {
    async take() {
      while (buffer.length === 0 && failure === null && !signal.aborted) {
        wake = new AbortController();
        await pause(60_000, signal, wake.signal);
      }
      if (signal.aborted) return null;
      if (buffer.length === 0) throw failure;
      const taken = buffer;
      buffer = [];
      bytes = 0;
      drained.abort();
      return taken;
    },
    async failIfStalled(endOffsets) {
      const nothingArrived = arrivals === arrivalsChecked && buffer.length === 0;
      arrivalsChecked = arrivals;
      if (!nothingArrived) return;
      const hasMore = await endOffsets().then(
        (ends) => ends.some((end, partition) => end > (expected.get(partition) ?? end)),
        () => false, // no broker answers, so none can deliver
      );
      if (hasMore && arrivals === arrivalsChecked)
        fail(new Error(`kafkajs has delivered no record for ${STALLED_MS} ms, though the topic has more`));
    },
    stop,
  };
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
