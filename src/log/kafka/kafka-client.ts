import { readFileSync } from 'node:fs';
import kafkajs, { type KafkaConfig, type Kafka as KafkaJs, type RetryOptions, type SASLOptions } from 'kafkajs';
import type { Logger } from 'pino';
import { pause } from '../../util/pause.ts';
import type { Chunk, NewRecord, RecordStore } from '../validated/record-store.ts';
import { assignerOf, CONSUMER, READ_RETRY, Session, STALLED_MS, TopicDamagedError } from './client-session.ts';
import { prepareTopic } from './client-topic.ts';
import type { KafkaSecurity } from './security.ts';

// kafkajs is CommonJS, and Node does not detect its named exports.
const { Kafka, logLevel, Partitioners } = kafkajs;

/**
 * All that the engine needs of a Kafka client for one topic. Only this file, client-session.ts and client-topic.ts know the
 * client: kafkajs 2.2.4, whose last release was in 2023. Offsets are numbers: they stay JSON-safe for 2^53 records.
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
   * @throws after long retries; any of the records may be in the topic nevertheless
   */
  send(records: readonly (NewRecord | Tombstone)[]): Promise<number[]>;
  /** Per partition, the offset after its last record. */
  endOffsets(): Promise<number[]>;
  /** Seconds since the oldest record at or after these offsets (one a partition) was appended; an upper bound. */
  ageOfOldest(from: readonly number[]): Promise<number>;
  /**
   * Reads partitions from these offsets on (by partition), forever, also over restarts of the brokers. Fetches no others.
   * Within a partition the records come in order, without repeats and (unless the topic is compacted) without gaps. Each step
   * yields the records that have arrived since the one before. Buffers a bounded amount.
   * @param restMs how long to wait after an answer with records before the next fetch. Default 0
   * @throws TopicDamagedError
   */
  tail(from: ReadonlyMap<number, number>, signal: AbortSignal, restMs?: number): AsyncGenerator<Chunk[]>;
  close(): Promise<void>;
}

/** In a compacted topic: Kafka removes the earlier records of the key. */
export interface Tombstone extends Omit<NewRecord, 'value'> {
  readonly value: null;
}

export interface KafkaClientOptions {
  readonly brokers: readonly string[];
  readonly security: KafkaSecurity;
  readonly topic: string;
  /** Whether the topic keeps only the last record of each key. */
  readonly compacted: boolean;
  /** Unique per instance of the service; consumer groups are named after it. */
  readonly holder: string;
  readonly logger: Logger;
}

/**
 * Retries of appends. With a broker killed three times by kill -9 they lost nothing in seven runs; with `idempotent: true`
 * kafkajs lost records in three of four.
 */
const SEND_RETRY = { retries: 60, initialRetryTime: 100, maxRetryTime: 500 };
const REQUEST_TIMEOUT_MS = 3000;
const RESUME_MS = 200;
/** The error and its causes, the outermost first: kafkajs wraps errors in each other. */
export function* causes(error: unknown): Generator<Error & { readonly retriable?: boolean }> {
  for (let each = error; each instanceof Error; each = each.cause) {
    yield each;
    // `KafkaJSAggregateError`, of a request about several topics.
    for (const part of (each as { errors?: readonly unknown[] }).errors ?? []) yield* causes(part);
  }
}

/** Whether the error says that a broker neither answered nor refused. */
export function isSilence(error: unknown): boolean {
  return [...causes(error)].some(
    ({ name, message }) => name === 'KafkaJSRequestTimeoutError' || message === 'Connection timeout',
  );
}

/** Whether the error is temporary, so that the same call may succeed later. */
export function isTemporary(error: unknown): boolean {
  return [...causes(error)].some(({ retriable }) => retriable === true);
}

/** @throws if the file of the authority cannot be read */
function securityOptions({ tls, caFile, sasl }: KafkaSecurity): Pick<KafkaConfig, 'ssl' | 'sasl'> {
  const ssl = tls && caFile !== undefined ? { ca: [readFileSync(caFile)] } : tls;
  return { ssl, ...(sasl === undefined ? {} : { sasl: sasl as SASLOptions }) };
}

function kafkaOf(
  { brokers, logger }: KafkaClientOptions,
  security: ReturnType<typeof securityOptions>,
  retry: RetryOptions,
): KafkaJs {
  return new Kafka({
    clientId: 'botledger',
    brokers: [...brokers],
    ...security,
    connectionTimeout: 1000,
    requestTimeout: REQUEST_TIMEOUT_MS,
    retry,
    logLevel: logLevel.WARN,
    // kafkajs logs every failed attempt as an error. The caller logs the outcome of all attempts.
    logCreator: () => (entry) => logger.debug({ kafkajs: entry.log }, entry.log.message),
  });
}

export async function openKafkaClient(options: KafkaClientOptions): Promise<KafkaClient> {
  const { topic, compacted, holder, logger } = options;
  const security = securityOptions(options.security);
  const connectWith = (retry: RetryOptions): KafkaJs => kafkaOf(options, security, retry);
  const producer = connectWith(SEND_RETRY).producer({
    allowAutoTopicCreation: false,
    idempotent: false,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  const kafka = connectWith(READ_RETRY);
  const admin = kafka.admin();
  const disconnect = async (): Promise<void> => {
    await Promise.allSettled([admin.disconnect(), producer.disconnect()]);
  };
  try {
    // `admin` first: it gives up soon, while the producer retries for half a minute.
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
        messages: records.map(({ partition, key, value }) => ({ partition, key, value })),
      });
      return offsetsOf(records, new Map(sent.map(({ partition, baseOffset }) => [partition, Number(baseOffset)])));
    },

    endOffsets,
    ageOfOldest: (from) =>
      ageOfOldest(async (time) => byPartition(await admin.fetchTopicOffsetsByTimestamp(topic, time)), from),

    async *tail(from, signal, restMs = 0) {
      const next = new Map(from);
      while (!signal.aborted) {
        // Every session has its own group, since a restarted broker may still count the old member of a group.
        const groupId = `${topic}.${holder}.${groups++}`;
        const partitionAssigners = [assignerOf(topic, [...next.keys()])];
        const consumer = kafka.consumer({ groupId, ...CONSUMER, partitionAssigners });
        const session = new Session(consumer, { topic, compacted, restMs }, next, signal);
        const stallCheck = setInterval(() => void session.failIfStalled(endOffsets), STALLED_MS);
        try {
          for (let chunks = await session.take(); chunks !== null; chunks = await session.take()) {
            for (const { partition, records } of chunks) next.set(partition, records[records.length - 1]!.offset + 1);
            yield chunks;
          }
        } catch (error) {
          if (error instanceof TopicDamagedError) throw error;
          logger.warn({ err: error, topic }, 'failed to read from Kafka; retrying');
        } finally {
          clearInterval(stallCheck);
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

/** The offset of each record of a request, from the offset of each partition's first record. */
function offsetsOf(records: readonly { readonly partition: number }[], firsts: ReadonlyMap<number, number>): number[] {
  const next = new Map(firsts);
  return records.map(({ partition }) => {
    const offset = next.get(partition);
    if (offset === undefined || Number.isNaN(offset))
      throw new Error(`no offset for partition ${partition} in the answer`);
    next.set(partition, offset + 1);
    return offset;
  });
}

function byPartition(offsets: readonly { partition: number; offset: string }[]): number[] {
  const ends: number[] = [];
  for (const { partition, offset } of offsets) ends[partition] = Number(offset);
  return ends;
}

/** Steps of the binary search. They narrow the age down to a sixteenth of itself. */
const AGE_STEPS = 4;
const GREATEST_AGE_S = 10 * 365 * 24 * 3600;

/**
 * Finds the age, in seconds, of the oldest record that a reader at `next` has not read; an upper bound, at least 1.
 * @param offsetsAt per partition, the offset of the first record appended at or after a time (ms), or the partition's end
 */
export async function ageOfOldest(
  offsetsAt: (time: number) => Promise<readonly number[]>,
  next: readonly number[],
): Promise<number> {
  const now = Date.now();
  const olderExists = async (seconds: number): Promise<boolean> =>
    (await offsetsAt(now - Math.round(seconds * 1000))).some((offset, partition) => offset > next[partition]!);
  let low = 0;
  let high = 1;
  while (high < GREATEST_AGE_S && (await olderExists(high))) {
    low = high;
    high *= 2;
  }
  for (let step = 0; low > 0 && step < AGE_STEPS; step++) {
    const middle = (low + high) / 2;
    if (await olderExists(middle)) low = middle;
    else high = middle;
  }
  return high;
}
