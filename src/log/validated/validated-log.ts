import type { Logger } from 'pino';
import { inTime } from '../../util/in-time.ts';
import { encodeCommit, headAt, headWith } from '../commit-codec.ts';
import {
  type Appended,
  type AppendOptions,
  CommitTooLargeError,
  ConflictError,
  type Cursor,
  EMPTY_STREAM,
  type EventLog,
  type Keyring,
  type Lag,
  LogUnavailableError,
  type NewCommit,
  OutcomeUnknownError,
  type RecordedCommit,
  type StreamHead,
  type StreamSlice,
} from '../port.ts';
import { categoryOf, keyOf } from '../stream-name.ts';
import { Appender, type GroupLimits } from './appender.ts';
import { commandHolder, headOf, holderOf, nextOffsets, readStream, streamHeadsOf, verdictOn } from './index-reader.ts';
import type { Index } from './index-schema.ts';
import { prepareIndex } from './index-writer.ts';
import { runIndexer } from './indexer.ts';
import { Progress } from './progress.ts';
import { canonicalUuid, isStreamName, offsetAfter, positionOf } from './record.ts';
import type { RecordStore } from './record-store.ts';
import { indexedStreamHeads, readStoredRecords } from './stored-records.ts';
import { subscribeToIndex, subscribeToRecords } from './subscription.ts';

export interface ValidatedLogOptions {
  readonly engine: string;
  readonly store: RecordStore;
  readonly index: Index;
  readonly keys: Keyring;
  /** The partition of a stream's key. */
  readonly partitionOf: (key: string) => number;
  /** Unique per instance of the service. */
  readonly holder: string;
  readonly logger: Logger;
  /** Categories of *any* streams. A reader of other categories reads the index alone. */
  readonly anyCategories: readonly string[];
  /** The longest wait of an append, in milliseconds. Default 5,000. */
  readonly maxWaitMs?: number | undefined;
  readonly maxQueuedBytes?: number | undefined;
  /** The largest text of a commit. */
  readonly maxCommitBytes: number;
  /** How appends are grouped. */
  readonly groups: GroupLimits;
  /** Whether this instance may lead the index. Default true; without any leader nothing of exact streams resolves. */
  readonly mayLead?: boolean | undefined;
  /** When it aborts, this instance stops leading the index: for a command that lowers its priority. */
  readonly leadUntil?: AbortSignal | undefined;
  /** Called with the number of commits of each group of appends that is sent at once. */
  readonly onGroup?: ((commits: number) => void) | undefined;
}

/**
 * Opens a validated log: a store of records with an index of their verdicts. The rules are in validity.ts. The caller closes
 * the store and the pool after the log.
 * @throws ForeignIndexError
 */
export async function openValidatedLog(options: ValidatedLogOptions): Promise<EventLog & VoidCounts> {
  const { store, index, partitionOf, logger, maxWaitMs = 5000, leadUntil } = options;
  const { partitions } = index;
  const closing = new AbortController();
  const progress = new Progress({
    poll: () => nextOffsets(index),
    onError: (error) => logger.warn({ err: error, source: index.source }, 'failed to read the index; retrying'),
  });
  await prepareIndex(index);
  const endsAtStart = await store.endOffsets();
  let indexing: Promise<void> = Promise.resolve();
  if (options.mayLead ?? true)
    indexing = runIndexer({
      store,
      index,
      partitionOf,
      holder: options.holder,
      logger,
      signal: leadUntil === undefined ? closing.signal : AbortSignal.any([closing.signal, leadUntil]),
      onProgress: (next) => progress.publish(next),
    });
  const appender = new Appender({
    store,
    maxQueuedBytes: options.maxQueuedBytes ?? 32 << 20,
    onGroup: options.onGroup,
    ...options.groups,
  });
  const anyCategories = new Set(options.anyCategories);
  const reader = { store, index, progress };
  const pending = new Set<Promise<unknown>>();

  /**
   * Waits until the index has reached the partition's end at the start. An index that is being rebuilt misses streams that
   * exist, so it would give wrong answers.
   */
  const catchUp = async (partition: number, deadline: number): Promise<void> => {
    const end = endsAtStart[partition]!;
    if (end === 0 || (progress.current()[partition] ?? 0) >= end) return;
    await progress.passed(partition, end - 1, deadline);
    if ((progress.current()[partition] ?? 0) < end)
      throw new LogUnavailableError('the index has not caught up with the log yet');
  };

  const append = async (
    commit: NewCommit,
    { unseen = false, deadline: giveUpAt = Number.POSITIVE_INFINITY }: AppendOptions,
  ): Promise<Appended> => {
    check(commit);
    const deadline = Math.min(giveUpAt, performance.now() + maxWaitMs);
    const text = encodeCommit(commit);
    const value = Buffer.from(text);
    if (value.length > options.maxCommitBytes)
      throw new CommitTooLargeError(`a commit of ${value.length} bytes is too large`);
    const key = keyOf(commit.stream);
    const partition = partitionOf(key);
    const produce = (): Promise<number> => appender.append({ partition, key, value }, deadline);
    if (commit.expected === 'any' && commit.command === undefined)
      return { position: positionOf(partition, await produce()), head: null, repeated: null };

    try {
      const earlier = unseen ? null : await inTime(lookUp(commit, text, partition, deadline), left(deadline), silent);
      if (earlier !== null) return { position: earlier.position, head: headAt(earlier), repeated: earlier };
    } catch (error) {
      if (error instanceof ConflictError || error instanceof RangeError || error instanceof LogUnavailableError)
        throw error;
      throw new LogUnavailableError('failed to read the index before the append', { cause: error });
    }
    const offset = await produce();
    try {
      return await inTime(outcome(commit, text, partition, offset, deadline), left(deadline), unanswered);
    } catch (error) {
      if (error instanceof ConflictError || error instanceof RangeError || error instanceof OutcomeUnknownError)
        throw error;
      throw new OutcomeUnknownError('failed to read the verdict on the append', { cause: error });
    }
  };

  /**
   * Finds the earlier commit with the same command or id, if there is one.
   * @throws ConflictError
   */
  const lookUp = async (
    commit: NewCommit,
    text: string,
    partition: number,
    deadline: number,
  ): Promise<RecordedCommit | null> => {
    await catchUp(partition, deadline);
    // Reads the head first. So if this very commit has moved the head, `holderOf` finds it.
    const head = await headOf(index, commit.stream);
    const earlier = await holderOf(index, partition, commit, text);
    if (earlier === null) refuseEarly(commit, head);
    return earlier;
  };

  /** Waits until the index has passed the record at `offset`, and returns the result of its append. */
  const outcome = async (
    commit: NewCommit,
    text: string,
    partition: number,
    offset: number,
    deadline: number,
  ): Promise<Appended> => {
    await progress.passed(partition, offset, deadline);
    const verdict = await verdictOn(index, partition, offset);
    if (verdict === null) throw unanswered();
    if (verdict.void === null)
      return { position: positionOf(partition, offset), head: headWith(commit, text), repeated: null };
    if (verdict.void === 'conflict') throw await conflict(index, commit);
    const earlier = await holderOf(index, partition, commit, text);
    if (earlier === null) throw new OutcomeUnknownError(`the record at ${positionOf(partition, offset)} is void`);
    // `earlier` may be this append itself, stored twice by the client's retry. The index cannot distinguish the two.
    return { position: earlier.position, head: headAt(earlier), repeated: earlier };
  };

  return {
    engine: options.engine,
    partitions,
    keys: options.keys,
    partitionOf,

    async append(commit, options = {}) {
      const appending = append(commit, options);
      pending.add(appending);
      try {
        return await appending;
      } finally {
        pending.delete(appending);
      }
    },

    async findCommand(stream, id, at): Promise<RecordedCommit | null> {
      const partition = partitionOf(keyOf(stream));
      const finding = catchUp(partition, performance.now() + maxWaitMs).then(() =>
        commandHolder(index, partition, id, at),
      );
      return inTime(finding, maxWaitMs, silent);
    },

    async read(stream, from = EMPTY_STREAM, atMost = Number.MAX_SAFE_INTEGER): Promise<StreamSlice> {
      const partition = partitionOf(keyOf(stream));
      const reading = catchUp(partition, performance.now() + maxWaitMs).then(() =>
        readStream(index, partition, stream, from, atMost),
      );
      return inTime(reading, maxWaitMs, silent);
    },

    async streamHeads(streams) {
      const deadline = performance.now() + maxWaitMs;
      const asked = new Set(streams.map((stream) => partitionOf(keyOf(stream))));
      const all = Promise.all([...asked].map((partition) => catchUp(partition, deadline)));
      return inTime(
        all.then(() => streamHeadsOf(index, streams)),
        maxWaitMs,
        silent,
      );
    },

    subscribe(asked) {
      const options = { ...asked, signal: AbortSignal.any([asked.signal, closing.signal]) };
      const exactOnly = !asked.categories.some((category) => anyCategories.has(category));
      return exactOnly ? subscribeToIndex(reader, options) : subscribeToRecords(reader, options);
    },

    grown: () => progress.moved(),

    async endCursor(): Promise<Cursor> {
      const ends = await inTime(store.endOffsets(), maxWaitMs, silent);
      return new Map(
        ends.flatMap((end, partition) => (end === 0 ? [] : [[partition, positionOf(partition, end - 1)] as const])),
      );
    },

    async lag(after): Promise<Lag> {
      const next = Array.from({ length: partitions }, (_, partition) => offsetAfter(after.get(partition), partition));
      const ends = await inTime(store.endOffsets(), maxWaitMs, silent);
      const commits = ends.reduce((sum, end, partition) => sum + Math.max(0, end - next[partition]!), 0);
      return { commits, seconds: commits === 0 ? 0 : await inTime(store.ageOfOldest(next), maxWaitMs, silent) };
    },

    storedRecords: (signal) => readStoredRecords({ ...reader, partitionOf }, AbortSignal.any([signal, closing.signal])),
    indexedStreamHeads: () => indexedStreamHeads(index),

    async ping() {
      await inTime(store.endOffsets(), maxWaitMs, silent);
    },

    async voids() {
      const { rows } = await index.pool.query<{ reason: string; count: string }>(
        `SELECT reason, count(*) FROM ${index.schema}.voids GROUP BY reason`,
      );
      return new Map(rows.map(({ reason, count }) => [reason, Number(count)]));
    },

    async close() {
      await appender.close();
      await Promise.allSettled(pending);
      closing.abort();
      progress.close();
      await indexing;
    },
  };

  function check(commit: NewCommit): void {
    if (canonicalUuid(commit.id) === undefined) throw new RangeError(`not a UUID: ${commit.id}`);
    if (commit.command !== undefined && canonicalUuid(commit.command.id) === undefined)
      throw new RangeError(`not a UUID: ${commit.command.id}`);
    if (!isStreamName(commit.stream)) throw new RangeError(`not a name of a stream: ${commit.stream}`);
    if ((commit.expected === 'any') !== anyCategories.has(categoryOf(commit.stream)))
      throw new RangeError(
        `stream ${commit.stream} is ${anyCategories.has(categoryOf(commit.stream)) ? 'an *any* stream' : 'an exact stream'}`,
      );
  }
}

/** Counts the log's void records by reason: lost races, repeats, and records that are no commits. */
export interface VoidCounts {
  voids(): Promise<ReadonlyMap<string, number>>;
}

/**
 * Refuses an append that would be void: the indexed head is beyond the expected one, and heads never go back. If the indexed
 * head is behind, the index may only be late.
 * @throws ConflictError
 */
function refuseEarly({ stream, expected }: NewCommit, head: StreamHead): void {
  if (expected === 'any') return;
  if (head.revision > expected.revision || (head.revision === expected.revision && head.hash !== expected.hash))
    throw new ConflictError(stream, expected.revision, head.revision);
}

/** The error of an append whose record lost its race. */
async function conflict(index: Index, { stream, expected }: NewCommit): Promise<ConflictError> {
  const head = await headOf(index, stream);
  return new ConflictError(stream, expected === 'any' ? 0 : expected.revision, head.revision);
}

const left = (deadline: number): number => deadline - performance.now();
const silent = (): Error => new LogUnavailableError('the log did not answer in time');
const unanswered = (): Error => new OutcomeUnknownError('the index did not pass the append in time');
