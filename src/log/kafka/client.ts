import kafkajs, { type Consumer, type Kafka as KafkaJs, type RetryOptions } from 'kafkajs';
import type { Logger } from 'pino';
import { pause } from '../../util/pause.ts';
import type { LogRecord } from '../validated/record.ts';
import type { Chunk, NewRecord, RecordStore } from '../validated/record-store.ts';
import { ageOfOldest } from './age.ts';
import { prepareTopic } from './client-topic.ts';

// It is CommonJS, and exports in a way that Node cannot see the names of.
const { Kafka, logLevel, Partitioners } = kafkajs;

/**
 * All that the engine asks of a Kafka client for one topic, and with client-topic.ts the only file that knows which one it
 * is (kafkajs 2.2.4, whose last release was in 2023). Offsets are numbers: they stay JSON-safe for 2^53 records.
 */
export interface KafkaClient extends RecordStore {
  /**
   * Creates the topic, or checks the one that is there.
   * @throws TopicUnfitError
   */
  prepareTopic(options: { partitions: number; replicationFactor: number }): Promise<void>;
  /**
   * Appends records in one request per broker, acknowledged by all replicas in sync.
   * @returns the offset of each, in the order given
   * @throws after long retries; any of the records may be in the topic all the same
   */
  send(records: readonly (NewRecord | Tombstone)[]): Promise<number[]>;
  /** Per partition, the offset after its last record. */
  endOffsets(): Promise<number[]>;
  /** Seconds since the oldest record at or after these offsets was appended, one a partition; an upper bound. There is one. */
  ageOfOldest(from: readonly number[]): Promise<number>;
  /**
   * Reads all partitions from the offsets given, for ever, in order within a partition, without repeats and (unless the topic is
   * compacted) gaps, over restarts of the brokers; each step yields what has arrived since the one before. Buffers a bounded amount.
   * @throws TopicDamagedError
   */
  tail(from: readonly number[], signal: AbortSignal): AsyncGenerator<Chunk[]>;
  close(): Promise<void>;
}

/** In a compacted topic: the records of the key before it are to go. */
export interface Tombstone extends Omit<NewRecord, 'value'> {
  readonly value: null;
}

export interface KafkaClientOptions {
  readonly brokers: readonly string[];
  readonly topic: string;
  /** Whether the topic keeps of each key the last record only. */
  readonly compacted: boolean;
  /** Unique per instance of the service; consumer groups are named after it. */
  readonly holder: string;
  readonly logger: Logger;
}

/** Records are missing, or were never ours. Reading further would lose events silently. */
export class TopicDamagedError extends Error {
  override readonly name = 'TopicDamagedError';
}

/** Under a broker killed three times with -9 these lost nothing in seven runs; `idempotent: true` did, in three of four. */
const SEND_RETRY = { retries: 60, initialRetryTime: 100, maxRetryTime: 500 };
/** The caller has a deadline of its own; a consumer that fails is replaced below. */
const ASK_RETRY = {
  retries: 5,
  initialRetryTime: 50,
  maxRetryTime: 500,
  restartOnFailure: () => Promise.resolve(false),
};
const REQUEST_TIMEOUT_MS = 3000;
const BUFFER_BYTES = 8 << 20;
const RESUME_MS = 200;
/**
 * kafkajs can go quiet for good without an error: its fetch loop ends at once where the metadata of a broker that has just
 * started names no broker (src/consumer/fetchManager.js waits for all of no fetchers). Seen twice in some sixty starts
 * beside a loaded broker. Joining a group takes 0.3 s, so a session that brings nothing for this long is replaced.
 */
const STALLED_MS = 5000;

/** The errors that kafkajs has wrapped in each other, the outermost first. */
function* causes(error: unknown): Generator<Error & { readonly retriable?: boolean }> {
  for (let each = error; each instanceof Error; each = each.cause) yield each;
}

/** Whether a broker neither answered nor refused. */
export function isSilence(error: unknown): boolean {
  return [...causes(error)].some(
    ({ name, message }) => name === 'KafkaJSRequestTimeoutError' || message === 'Connection timeout',
  );
}

/** Whether the same may succeed later. */
export function isPassing(error: unknown): boolean {
  return [...causes(error)].some(({ retriable }) => retriable === true);
}

export async function openKafkaClient(options: KafkaClientOptions): Promise<KafkaClient> {
  const { brokers, topic, compacted, holder, logger } = options;
  const connectWith = (retry: RetryOptions): KafkaJs =>
    new Kafka({
      clientId: 'botledger',
      brokers: [...brokers],
      connectionTimeout: 1000,
      requestTimeout: REQUEST_TIMEOUT_MS,
      retry,
      logLevel: logLevel.WARN,
      // Every failed attempt is an error to kafkajs; the caller reports their result.
      logCreator: () => (entry) => logger.debug({ kafkajs: entry.log }, entry.log.message),
    });
  const producer = connectWith(SEND_RETRY).producer({
    allowAutoTopicCreation: false,
    idempotent: false,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  const kafka = connectWith(ASK_RETRY);
  const admin = kafka.admin();
  // The one that gives up soon comes first: the other would try for half a minute.
  const disconnect = async (): Promise<void> => {
    await Promise.allSettled([admin.disconnect(), producer.disconnect()]);
  };
  try {
    await admin.connect();
    await producer.connect();
  } catch (error) {
    await disconnect();
    throw error;
  }
  let groups = 0;
  const endOffsets = async (): Promise<number[]> => byPartition(await admin.fetchTopicOffsets(topic));

  return {
    prepareTopic: (size) => prepareTopic(admin, { topic, compacted, ...size }),

    async send(records) {
      const sent = await producer.send({
        topic,
        acks: -1,
        timeout: REQUEST_TIMEOUT_MS,
        messages: records.map(({ partition, key, value }) => ({ partition: partition, key, value })),
      });
      const next = new Map(sent.map(({ partition, baseOffset }) => [partition, Number(baseOffset)]));
      return records.map(({ partition }) => {
        const offset = next.get(partition);
        if (offset === undefined || Number.isNaN(offset))
          throw new Error(`no offset for partition ${partition} in the answer`);
        next.set(partition, offset + 1);
        return offset;
      });
    },

    endOffsets,
    ageOfOldest: (from) =>
      ageOfOldest(async (time) => byPartition(await admin.fetchTopicOffsetsByTimestamp(topic, time)), from),

    async *tail(from, signal) {
      const next = [...from];
      while (!signal.aborted) {
        // A group of its own for every session: a broker that restarts holds no old member against us.
        const groupId = `${topic}.${holder}.${groups++}`;
        const session = startSession(kafka.consumer({ groupId, ...READER }), options, next, signal);
        const watch = setInterval(() => void session.lookAt(endOffsets), STALLED_MS);
        try {
          for (let chunks = await session.take(); chunks !== null; chunks = await session.take()) {
            for (const { partition, records } of chunks) next[partition] = records[records.length - 1]!.offset + 1;
            yield chunks;
          }
        } catch (error) {
          if (error instanceof TopicDamagedError) throw error;
          logger.warn({ err: error, topic }, 'failed to read from Kafka; retrying');
        } finally {
          clearInterval(watch);
          await session.stop();
        }
        await pause(RESUME_MS, signal);
      }
    },

    async close() {
      await Promise.all([producer.disconnect(), admin.disconnect()]);
    },
  };
}

const READER = {
  retry: ASK_RETRY,
  allowAutoTopicCreation: false,
  // What of a foreign transaction is visible must not depend on when one looks.
  readUncommitted: true,
  sessionTimeout: 30_000,
  heartbeatInterval: 3000,
  minBytes: 1,
  maxWaitTimeInMs: 500,
  maxBytesPerPartition: 1 << 20,
  maxBytes: BUFFER_BYTES,
};

interface Session {
  /** What has arrived; waits for some. Null once the signal aborts. Rejects when the consumer has failed. */
  take(): Promise<Chunk[] | null>;
  /** Fails the session when, between two such looks, it has got nothing of what is there. */
  lookAt(endOffsets: () => Promise<readonly number[]>): Promise<void>;
  stop(): Promise<void>;
}

/**
 * One consumer from `from` on, until it fails. kafkajs has no `assign()`: it starts at the group's committed offsets, of
 * which there are none, after every join, rebalance and out-of-range error. So each join seeks anew, and whatever is
 * delivered is checked against the offset that must come next.
 */
function startSession(
  consumer: Consumer,
  { topic, compacted }: Pick<KafkaClientOptions, 'topic' | 'compacted'>,
  from: readonly number[],
  signal: AbortSignal,
): Session {
  const expected = [...from];
  let buffer: Chunk[] = [];
  let bytes = 0;
  let failure: unknown = null;
  let stopped = false;
  let wake = new AbortController();
  let drained = new AbortController();
  let arrivals = 0;
  let arrivalsSeen = -1;

  const fail = (error: unknown): void => {
    failure ??= error;
    wake.abort();
    drained.abort();
  };
  const seek = (partition: number): void =>
    consumer.seek({ topic, partition: partition, offset: String(expected[partition]) });
  consumer.on(consumer.events.GROUP_JOIN, () => {
    for (const partition of expected.keys()) seek(partition);
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
    // Back pressure: nothing more is fetched while this waits.
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
        const want = expected[partition];
        // Somebody added partitions. No key is there, and the next start refuses the topic.
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
        expected[partition] = records[records.length - 1]!.offset + 1;
        resolveOffset(batch.lastOffset());
        await take(partition, records, heartbeat);
      },
    });
  })().catch(fail);

  const leave = (): Promise<void> => {
    signal.removeEventListener('abort', stop);
    stopped = true;
    drained.abort();
    // Leaving politely takes a broker that answers; without one the group runs out by itself.
    const left = running.then(() => consumer.disconnect()).catch(() => {});
    return Promise.race([left, pause(2 * READER.maxWaitTimeInMs)]);
  };
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    stopping ??= leave();
    return stopping;
  };
  // At once, and not when its reader comes back to look: it may never.
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
    async lookAt(endOffsets) {
      const quiet = arrivals === arrivalsSeen && buffer.length === 0;
      arrivalsSeen = arrivals;
      if (!quiet) return;
      const missed = await endOffsets().then(
        (found) => found.some((end, partition) => end > (expected[partition] ?? end)),
        () => false, // no broker answers, so no record can be missed
      );
      if (missed && arrivals === arrivalsSeen) fail(new Error(`nothing has come for ${STALLED_MS} ms`));
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
        `${topic}/${partition}: offsets ${next} to ${offset - 1} are gone, or are another's transaction`,
      );
    next++;
  }
}

function byPartition(offsets: readonly { partition: number; offset: string }[]): number[] {
  const ends: number[] = [];
  for (const { partition, offset } of offsets) ends[partition] = Number(offset);
  return ends;
}
