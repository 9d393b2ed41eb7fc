import type pg from 'pg';
import type { Logger } from 'pino';
import { createPool } from '../../database/pool.ts';
import { inTime } from '../../in-time.ts';
import { encodeCommit } from '../commit-codec.ts';
import {
  type Appended,
  ConflictError,
  type Cursor,
  EMPTY_STREAM,
  type EventLog,
  type Lag,
  LogUnavailableError,
  type NewCommit,
  OutcomeUnknownError,
  type RecordedCommit,
  type StreamHead,
  type StreamSlice,
} from '../port.ts';
import { categoryOf, keyOf } from '../stream-name.ts';
import { Appender } from './appender.ts';
import { type KafkaClient, openKafkaClient } from './client.ts';
import { MAX_BATCH_BYTES } from './client-topic.ts';
import { headOf, holderOf, nextOffsets, readStream, verdictOn } from './index-reader.ts';
import { prepareIndex } from './index-writer.ts';
import { runIndexer } from './indexer.ts';
import { nextKeyOffset } from './key-index.ts';
import { runKeyIndexer } from './key-indexer.ts';
import { KEYS_LANE } from './key-record.ts';
import { kafkaKeyring } from './keyring.ts';
import { laneOfKey } from './lane.ts';
import { offsetAfter, positionOf } from './position.ts';
import { Progress } from './progress.ts';
import { canonicalUuid, isStreamName } from './record.ts';
import { subscribeToIndex, subscribeToTopic } from './subscription.ts';

export interface KafkaLogOptions {
  readonly brokers: readonly string[];
  /** The database of the index; the schema `runtime` (leases) must be there. */
  readonly connectionString: string;
  /** Unique per instance of the service. */
  readonly holder: string;
  readonly logger: Logger;
  /** Categories whose streams take appends in any order; readers of none of them read the index alone. */
  readonly anyCategories: readonly string[];
  /** Default `botledger`. The topic of keys is named after it, `<topic>-keys`. */
  readonly topic?: string;
  /** Of the topic, fixed when it is created. Default 12. */
  readonly partitions?: number;
  /** Of a topic that is created. Default: the broker's. */
  readonly replicationFactor?: number;
  /** No append waits longer, in milliseconds. Default 5,000. */
  readonly maxWaitMs?: number;
  readonly maxQueuedBytes?: number;
  /** Whether this instance may lead the index. Default true; without any leader nothing of exact streams resolves. */
  readonly mayLead?: boolean;
}

const BROKER_DEFAULT = -1;
/** Room in a batch for Kafka's own fields. */
const MAX_COMMIT_BYTES = MAX_BATCH_BYTES - 4096;

/**
 * Opens the log on a Kafka topic, creating it first if need be. Rules in validity.ts.
 * @throws TopicUnfitError, ForeignIndexError, LogUnavailableError
 */
export async function openKafkaLog(options: KafkaLogOptions): Promise<EventLog & VoidCounts> {
  const { logger, holder, topic = 'botledger', partitions: lanes = 12, maxWaitMs = 5000 } = options;
  const onTrouble = (error: unknown): void => logger.warn({ err: error, topic }, 'the index cannot be asked');
  const pool = createPool({
    connectionString: options.connectionString,
    max: 8,
    name: 'log index',
    maxWaitMs,
    onTrouble,
  });
  const clients: KafkaClient[] = [];
  const closing = new AbortController();
  const progress = new Progress({ poll: () => nextOffsets(pool), onTrouble });
  const keysProgress = new Progress({ poll: async () => [await nextKeyOffset(pool)], onTrouble });
  let indexing: Promise<unknown> = Promise.resolve();
  const shut = async (): Promise<void> => {
    closing.abort();
    progress.close();
    keysProgress.close();
    await indexing;
    await Promise.all(clients.map((each) => each.close()));
    await pool.end();
  };
  const open = async (name: string, partitions: number, compacted: boolean): Promise<KafkaClient> => {
    const opened = await connect(options, name, compacted);
    clients.push(opened);
    await opened.prepareTopic({ partitions, replicationFactor: options.replicationFactor ?? BROKER_DEFAULT });
    return opened;
  };
  const keysTopic = `${topic}-keys`;
  const prepare = (): Promise<void> => prepareIndex(pool, topic, lanes);
  let client: KafkaClient;
  let keysClient: KafkaClient;
  let target: readonly number[];
  let keysTarget: number;
  try {
    client = await open(topic, lanes, false);
    keysClient = await open(keysTopic, 1, true);
    await prepare();
    target = await client.ends();
    keysTarget = (await keysClient.ends())[KEYS_LANE]!;
  } catch (error) {
    await shut();
    throw error;
  }
  if (options.mayLead ?? true) {
    const common = { pool, holder, logger, signal: closing.signal };
    indexing = Promise.all([
      runIndexer({ ...common, client, topic, lanes, onProgress: (next) => progress.publish(next) }),
      runKeyIndexer({
        ...common,
        client: keysClient,
        topic: keysTopic,
        prepare,
        onProgress: (next) => keysProgress.publish([next]),
      }),
    ]);
  }
  const keys = kafkaKeyring({
    client: keysClient,
    pool,
    progress: keysProgress,
    target: keysTarget,
    maxWaitMs,
    onTrouble,
  });
  const appender = new Appender({ client, maxQueuedBytes: options.maxQueuedBytes ?? 32 << 20 });
  const anyCategories = new Set(options.anyCategories);
  const reader = { client, pool, progress, lanes };
  const pending = new Set<Promise<unknown>>();

  /** An index that is being made anew knows nothing of streams that exist: no answer is better than a wrong one. */
  const caughtUp = async (lane: number, deadline: number): Promise<void> => {
    const end = target[lane]!;
    if (end === 0 || (progress.current()[lane] ?? 0) >= end) return;
    await progress.passed(lane, end - 1, deadline);
    if ((progress.current()[lane] ?? 0) < end)
      throw new LogUnavailableError('the index has not caught up with the topic yet');
  };

  const append = async (commit: NewCommit): Promise<Appended> => {
    check(commit);
    const deadline = performance.now() + maxWaitMs;
    const text = encodeCommit(commit);
    const value = Buffer.from(text);
    if (value.length > MAX_COMMIT_BYTES) throw new RangeError(`a commit of ${value.length} bytes is too large`);
    const key = keyOf(commit.stream);
    const lane = laneOfKey(key, lanes);
    const produce = (): Promise<number> => appender.append({ lane, key, value }, deadline);
    if (commit.expected === 'any' && commit.command === undefined)
      return { position: positionOf(lane, await produce()), revision: null, repeated: null };

    try {
      const first = await inTime(lookUp(commit, text, lane, deadline), left(deadline), silent);
      if (first !== null) return { position: first.position, revision: first.revision, repeated: first };
    } catch (error) {
      if (error instanceof ConflictError || error instanceof RangeError || error instanceof LogUnavailableError)
        throw error;
      throw new LogUnavailableError('the index cannot be asked', { cause: error });
    }
    const offset = await produce();
    try {
      return await inTime(outcome(commit, text, lane, offset, deadline), left(deadline), unanswered);
    } catch (error) {
      if (error instanceof ConflictError || error instanceof RangeError || error instanceof OutcomeUnknownError)
        throw error;
      throw new OutcomeUnknownError('the index cannot be asked', { cause: error });
    }
  };

  /** The commit that is there already, if any. @throws ConflictError */
  const lookUp = async (
    commit: NewCommit,
    text: string,
    lane: number,
    deadline: number,
  ): Promise<RecordedCommit | null> => {
    await caughtUp(lane, deadline);
    // The head first: whatever took the stream beyond it is then among the holders.
    const head = await headOf(pool, commit.stream);
    const first = await holderOf(pool, lane, commit, text);
    if (first === null) refuseEarly(commit, head);
    return first;
  };

  /** What became of the record at `offset`, once the index has passed it. */
  const outcome = async (
    commit: NewCommit,
    text: string,
    lane: number,
    offset: number,
    deadline: number,
  ): Promise<Appended> => {
    await progress.passed(lane, offset, deadline);
    const verdict = await verdictOn(pool, lane, offset);
    if (verdict === null) throw unanswered();
    const revision = commit.expected === 'any' ? null : commit.expected.revision + 1;
    if (verdict.void === null) return { position: positionOf(lane, offset), revision, repeated: null };
    if (verdict.void === 'conflict') throw await conflict(pool, commit);
    const first = await holderOf(pool, lane, commit, text);
    if (first === null) throw new OutcomeUnknownError(`the record at ${positionOf(lane, offset)} is void`);
    // Perhaps only of the client's own retry, which looks the same.
    return { position: first.position, revision: first.revision, repeated: first };
  };

  return {
    engine: 'kafka',
    lanes,
    keys,

    async append(commit) {
      const appending = append(commit);
      pending.add(appending);
      try {
        return await appending;
      } finally {
        pending.delete(appending);
      }
    },

    async read(stream, from = EMPTY_STREAM): Promise<StreamSlice> {
      const lane = laneOfKey(keyOf(stream), lanes);
      const reading = caughtUp(lane, performance.now() + maxWaitMs).then(() => readStream(pool, lane, stream, from));
      return inTime(reading, maxWaitMs, silent);
    },

    subscribe(asked) {
      const options = { ...asked, signal: AbortSignal.any([asked.signal, closing.signal]) };
      const exactOnly = !asked.categories.some((category) => anyCategories.has(category));
      return exactOnly ? subscribeToIndex(reader, options) : subscribeToTopic(reader, options);
    },

    async head(): Promise<Cursor> {
      const ends = await inTime(client.ends(), maxWaitMs, silent);
      return new Map(ends.flatMap((end, lane) => (end === 0 ? [] : [[lane, positionOf(lane, end - 1)] as const])));
    },

    async lag(after): Promise<Lag> {
      const next = Array.from({ length: lanes }, (_, lane) => offsetAfter(after.get(lane), lane));
      const ends = await inTime(client.ends(), maxWaitMs, silent);
      const commits = ends.reduce((sum, end, lane) => sum + Math.max(0, end - next[lane]!), 0);
      return { commits, seconds: commits === 0 ? 0 : await inTime(ageOfOldest(client, next), maxWaitMs, silent) };
    },

    async ping() {
      await inTime(client.ends(), maxWaitMs, silent);
    },

    async voids() {
      const { rows } = await pool.query<{ reason: string; count: string }>(
        'SELECT reason, count(*) FROM kafka_index.voids GROUP BY reason',
      );
      return new Map(rows.map(({ reason, count }) => [reason, Number(count)]));
    },

    async close() {
      await appender.close();
      await Promise.allSettled(pending);
      await shut();
    },
  };

  function check(commit: NewCommit): void {
    if (canonicalUuid(commit.id) === undefined) throw new RangeError(`not a UUID: ${commit.id}`);
    if (commit.command !== undefined && canonicalUuid(commit.command.id) === undefined)
      throw new RangeError(`not a UUID: ${commit.command.id}`);
    if (!isStreamName(commit.stream)) throw new RangeError(`not a name of a stream: ${commit.stream}`);
    if ((commit.expected === 'any') !== anyCategories.has(categoryOf(commit.stream)))
      throw new RangeError(`stream ${commit.stream} is of the other kind`);
  }
}

/** Records of the topic that do not count, by reason: lost races, repeats, and what is not of this service. */
export interface VoidCounts {
  voids(): Promise<ReadonlyMap<string, number>>;
}

async function connect(options: KafkaLogOptions, topic: string, compacted: boolean): Promise<KafkaClient> {
  try {
    return await openKafkaClient({ ...options, topic, compacted });
  } catch (error) {
    throw new LogUnavailableError(`no Kafka broker at ${options.brokers.join(', ')}`, { cause: error });
  }
}

/** A head beyond what is expected cannot come back, so the record would be void; one behind may only be late. */
function refuseEarly({ stream, expected }: NewCommit, head: StreamHead): void {
  if (expected === 'any') return;
  if (head.revision > expected.revision || (head.revision === expected.revision && head.hash !== expected.hash))
    throw new ConflictError(stream, expected.revision, head.revision);
}

async function conflict(pool: pg.Pool, { stream, expected }: NewCommit): Promise<ConflictError> {
  const head = await headOf(pool, stream);
  return new ConflictError(stream, expected === 'any' ? 0 : expected.revision, head.revision);
}

/** Steps of a search that narrows the age down to a sixteenth of itself. */
const AGE_STEPS = 4;
const GREATEST_AGE_S = 10 * 365 * 24 * 3600;

/** Seconds since the oldest record that a reader at `next` has not seen was appended; an upper bound, at least 1. */
async function ageOfOldest(client: KafkaClient, next: readonly number[]): Promise<number> {
  const now = Date.now();
  const olderExists = async (seconds: number): Promise<boolean> =>
    (await client.offsetsAt(now - seconds * 1000)).some((offset, lane) => offset > next[lane]!);
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

const left = (deadline: number): number => deadline - performance.now();
const silent = (): Error => new LogUnavailableError('the log did not answer in time');
const unanswered = (): Error => new OutcomeUnknownError('the index did not pass the append in time');
