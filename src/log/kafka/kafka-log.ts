import { readFileSync } from 'node:fs';
import { createPool } from '../../database/pool.ts';
import { addressOf, type OpenOptions } from '../engine.ts';
import { type EventLog, LogSilentError, LogUnavailableError, LogUnfitError } from '../port.ts';
import { askForTls } from '../tls-probe.ts';
import { Progress } from '../validated/index-progress.ts';
import type { Index } from '../validated/index-schema.ts';
import { prepareIndex } from '../validated/index-writer.ts';
import type { GroupLimits } from '../validated/validated-appender.ts';
import { openValidatedLog, type VoidCounts } from '../validated/validated-log.ts';
import { MAX_BATCH_BYTES } from './client-topic.ts';
import { causes, isSilence, isTemporary, type KafkaClient, openKafkaClient } from './kafka-client.ts';
import { KafkaKeyring } from './kafka-keyring.ts';
import { KEYS_PARTITION, nextKeyOffset, runKeyIndexer } from './key-index.ts';
import { migrations, SCHEMA } from './migrations.ts';
import { type KafkaSecurity, NO_SECURITY } from './security.ts';

export interface KafkaLogOptions extends OpenOptions {
  readonly brokers: readonly string[];
  /** Default: neither TLS nor a user. */
  readonly security?: KafkaSecurity;
  /** Default `botledger`. The topic of keys is named after it, `<topic>-keys`. */
  readonly topic?: string;
  /** Partitions of the topic, fixed when it is created. Default 12. */
  readonly partitions?: number;
  /** The replication factor of a topic that this creates. Default: the broker's. */
  readonly replicationFactor?: number;
  readonly maxQueuedBytes?: number;
}

const BROKER_DEFAULT = -1;
const GROUPS: GroupLimits = {
  maxRecords: 1000,
  // All records of one send may be of one partition. They are then one batch, so this is well below a batch's limit.
  maxBytes: 8 << 20,
  // Measured: 0.7 k records/s with one record a send, 32 k records/s with 1,000.
  maxSends: 3,
};
/** Leaves room in a batch for Kafka's own fields. */
const MAX_COMMIT_BYTES = MAX_BATCH_BYTES - 4096;

/**
 * Opens the log on a Kafka topic. Creates the topic if it is missing. Which records count is decided in validated/validity.ts.
 * @throws TopicUnfitError, ForeignIndexError, LogUnavailableError
 */
export async function openKafkaLog(options: KafkaLogOptions): Promise<EventLog & VoidCounts> {
  const { logger, holder, topic = 'botledger', partitions = 12, maxWaitMs = 5000, leadUntil } = options;
  const onError = (error: unknown): void => logger.warn({ err: error, topic }, 'failed to read the index; retrying');
  const pool = createPool({
    connectionString: options.connectionString,
    max: 8,
    name: 'log index',
    maxWaitMs,
    onError,
  });
  const clients: KafkaClient[] = [];
  const closing = new AbortController();
  const keysProgress = new Progress({ poll: async () => [await nextKeyOffset(pool)], onError });
  let indexingKeys: Promise<unknown> = Promise.resolve();
  const closeAll = async (): Promise<void> => {
    closing.abort();
    keysProgress.close();
    await indexingKeys;
    await Promise.all(clients.map((each) => each.close()));
    await pool.end();
  };
  const open = async (name: string, partitions: number, compacted: boolean): Promise<KafkaClient> => {
    const opened = await connect(options, name, compacted);
    clients.push(opened);
    await prepareTopic(opened, partitions, options);
    return opened;
  };
  const keysTopic = `${topic}-keys`;
  const index: Index = { pool, schema: SCHEMA, migrations, source: topic, partitions };
  const prepare = (): Promise<void> => prepareIndex(index);
  try {
    const store = await open(topic, partitions, false);
    const keysClient = await open(keysTopic, 1, true);
    await prepare();
    const keys = new KafkaKeyring({
      client: keysClient,
      pool,
      progress: keysProgress,
      target: (await keysClient.endOffsets().catch(throwSilentIfTemporary))[KEYS_PARTITION]!,
      maxWaitMs,
      onError,
    });
    const log = await openValidatedLog({
      ...options,
      engine: 'kafka',
      store,
      index,
      keys,
      partitionOf: (key) => partitionOfKey(key, partitions),
      maxWaitMs,
      maxCommitBytes: MAX_COMMIT_BYTES,
      groups: GROUPS,
    });
    if (options.mayLead ?? true)
      indexingKeys = runKeyIndexer({
        client: keysClient,
        pool,
        holder,
        logger,
        signal: leadUntil === undefined ? closing.signal : AbortSignal.any([closing.signal, leadUntil]),
        topic: keysTopic,
        prepare,
        onProgress: (next) => keysProgress.publish([next]),
      });
    return {
      ...log,
      async close() {
        await log.close();
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function connect(options: KafkaLogOptions, topic: string, compacted: boolean): Promise<KafkaClient> {
  const { security = NO_SECURITY } = options;
  try {
    return await openKafkaClient({ ...options, security, topic, compacted });
  } catch (error) {
    const refusal = await refusalOf(error, { brokers: options.brokers, topic, security });
    if (refusal !== null) throw new LogUnavailableError(refusal, { cause: error });
    const Kind = isSilence(error) ? LogSilentError : LogUnavailableError;
    throw new Kind(`no Kafka broker at ${options.brokers.join(', ')}`, { cause: error });
  }
}

async function prepareTopic(client: KafkaClient, partitions: number, options: KafkaLogOptions): Promise<void> {
  const { brokers, topic = 'botledger', security = NO_SECURITY, replicationFactor = BROKER_DEFAULT } = options;
  await client.prepareTopic({ partitions, replicationFactor }).catch(async (error: unknown) => {
    const refusal = error instanceof LogUnfitError ? null : await refusalOf(error, { brokers, topic, security });
    if (refusal !== null) throw new LogUnavailableError(refusal, { cause: error });
    throwSilentIfTemporary(error);
  });
}

/** Throws a LogSilentError for a temporary error: the broker has answered before, so it is slow or changes its leader. */
function throwSilentIfTemporary(error: unknown): never {
  throw isTemporary(error) ? new LogSilentError('the Kafka broker does not answer', { cause: error }) : error;
}

/**
 * The partition of a key, by Kafka's own default partitioner (murmur2, seed 0x9747b28c), so that every client comes to the
 * same. It must never change: the records of a stream are in this partition.
 * Source: org.apache.kafka.common.utils.Utils.murmur2.
 */
export function partitionOfKey(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions;
}

const M = 0x5bd1e995;

function murmur2(data: Buffer): number {
  const whole = data.length & ~3;
  let h = 0x9747b28c ^ data.length;
  for (let i = 0; i < whole; i += 4) {
    let k = Math.imul(data.readInt32LE(i), M);
    k = Math.imul(k ^ (k >>> 24), M);
    h = Math.imul(h, M) ^ k;
  }
  const rest = data.length - whole;
  if (rest === 3) h ^= data[whole + 2]! << 16;
  if (rest >= 2) h ^= data[whole + 1]! << 8;
  if (rest >= 1) h = Math.imul(h ^ data[whole]!, M);
  h = Math.imul(h ^ (h >>> 13), M);
  return h ^ (h >>> 15);
}

const PORT = 9092;
/** kafkajs, src/broker/saslAuthenticator/index.js. */
const UNKNOWN_MECHANISM = /SASL/;
const RIGHTS = /^(TOPIC|CLUSTER|GROUP)_AUTHORIZATION_FAILED$/;

/** Finds why the brokers refuse, and which variable to set. Null: they do not answer, or the error says something else. */
async function refusalOf(
  error: unknown,
  {
    brokers,
    topic,
    security,
  }: { readonly brokers: readonly string[]; readonly topic: string; readonly security: KafkaSecurity },
): Promise<string | null> {
  const all = [...causes(error)] as (Error & { readonly type?: unknown })[];
  const refused = all.find(({ type }) => typeof type === 'string' && RIGHTS.test(type));
  if (refused !== undefined)
    return `the broker refuses a right (${String(refused.type)}): the user needs Create, Describe, DescribeConfigs, Read and Write on the topics ${topic} and ${topic}-keys`;
  const sasl = all.find(
    ({ name, message }) => name === 'KafkaJSSASLAuthenticationError' || UNKNOWN_MECHANISM.test(message),
  );
  if (sasl !== undefined)
    return `the broker refuses the log-in (${sasl.message}): correct KAFKA_SASL, KAFKA_USERNAME, KAFKA_PASSWORD`;
  return (await refusedTls(brokers, security)) ?? (closes(all, security) ? CLOSED : null);
}

async function refusedTls(brokers: readonly string[], { tls, caFile }: KafkaSecurity): Promise<string | null> {
  const ca = caFile === undefined ? undefined : readFileSync(caFile);
  for (const broker of brokers) {
    const answer = await askForTls(addressOf(broker, PORT), ca);
    if (answer === 'silent') continue;
    if (!tls && answer !== 'plain') return `the broker ${broker} speaks only TLS: set KAFKA_TLS=on`;
    if (tls && answer === 'plain') return `the broker ${broker} does not speak TLS: set KAFKA_TLS=off`;
    if (tls && answer !== 'trusted' && answer !== 'plain')
      return `the certificate of ${broker} is not trusted (${answer.untrusted}): set KAFKA_TLS_CA_FILE to a file with the certificate of its authority`;
  }
  return null;
}

const CLOSED =
  'the broker closes each connection without an answer, as brokers do that want a user: set KAFKA_SASL, KAFKA_USERNAME and KAFKA_PASSWORD';

function closes(all: readonly Error[], { sasl }: KafkaSecurity): boolean {
  return (
    sasl === undefined &&
    all.some(({ name, message }) => name === 'KafkaJSConnectionClosedError' || /closed connection/i.test(message))
  );
}
