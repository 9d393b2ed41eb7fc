import type { Logger } from 'pino';
import { decodeCommit, readDigest } from '../commit-codec.ts';
import type { EventLog, Keyring, NewCommit } from '../port.ts';
import { categoryOf } from '../stream-name.ts';
import { Progress } from './index-progress.ts';
import { nextOffsets } from './index-reader.ts';
import type { Index } from './index-schema.ts';
import { prepareIndex } from './index-writer.ts';
import { runIndexer } from './indexer.ts';
import { canonicalUuid, isStreamName } from './record.ts';
import type { RecordStore } from './record-store.ts';
import { subscribeToIndex, subscribeToRecords } from './subscription.ts';
import { Appender, type GroupLimits } from './validated-appender.ts';
import { ValidatedAppends } from './validated-appends.ts';
import { catchUpTo, validatedReads } from './validated-reads.ts';
import { indexedStreamHeads, readStoredRecords } from './validated-records.ts';

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
  /** Categories of *any* streams. A reader of other categories reads only the index. */
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

/** Counts the log's void records by reason: lost races, repeats, and records that are no commits. */
export interface VoidCounts {
  voids(): Promise<ReadonlyMap<string, number>>;
}

/**
 * Opens a validated log: a store of records with an index of their verdicts. The rules are in validity.ts. The caller closes
 * the store and the pool after the log.
 * @throws ForeignIndexError
 */
export async function openValidatedLog(options: ValidatedLogOptions): Promise<EventLog & VoidCounts> {
  const { store, index, partitionOf, logger, maxWaitMs = 5000 } = options;
  const closing = new AbortController();
  const progress = new Progress({
    poll: () => nextOffsets(index),
    onError: (error) => logger.warn({ err: error, source: index.source }, 'failed to read the index; retrying'),
  });
  await prepareIndex(index);
  const catchUp = catchUpTo(await store.endOffsets(), progress);
  const indexing = lead(options, progress, closing.signal);
  const { maxQueuedBytes = 32 << 20, onGroup, maxCommitBytes } = options;
  const appender = new Appender({ store, maxQueuedBytes, onGroup, ...options.groups });
  const anyCategories = new Set(options.anyCategories);
  const reader = { store, index, progress };
  const shared = { index, progress, partitionOf, maxWaitMs, catchUp };
  const appends = new ValidatedAppends({ ...shared, appender, maxCommitBytes });

  return {
    engine: options.engine,
    partitions: index.partitions,
    keys: options.keys,
    partitionOf,
    ...validatedReads({ ...shared, store }),

    async append(commit, options = {}) {
      check(commit, anyCategories);
      return appends.append(commit, options);
    },

    subscribe(asked) {
      const options = { ...asked, signal: AbortSignal.any([asked.signal, closing.signal]) };
      const exactOnly = !asked.categories.some((category) => anyCategories.has(category));
      return exactOnly ? subscribeToIndex(reader, options) : subscribeToRecords(reader, decodeCommit, options);
    },
    digests: (asked) =>
      subscribeToRecords(reader, readDigest, { ...asked, signal: AbortSignal.any([asked.signal, closing.signal]) }),

    grown: () => progress.moved(),
    storedRecords: (signal) => readStoredRecords({ ...reader, partitionOf }, AbortSignal.any([signal, closing.signal])),
    indexedStreamHeads: () => indexedStreamHeads(index),

    async voids() {
      const { rows } = await index.pool.query<{ reason: string; count: string }>(
        `SELECT reason, count(*) FROM ${index.schema}.voids GROUP BY reason`,
      );
      return new Map(rows.map(({ reason, count }) => [reason, Number(count)]));
    },

    async close() {
      await appender.close();
      await appends.settled();
      closing.abort();
      progress.close();
      await indexing;
    },
  };
}

/** Leads the index, if this instance may. Resolves when it has stopped. */
async function lead(options: ValidatedLogOptions, progress: Progress, closing: AbortSignal): Promise<void> {
  const { store, index, partitionOf, holder, logger, mayLead = true, leadUntil } = options;
  if (!mayLead) return;
  const signal = leadUntil === undefined ? closing : AbortSignal.any([closing, leadUntil]);
  const onProgress = (next: readonly number[]): void => progress.publish(next);
  await runIndexer({ store, index, partitionOf, holder, logger, signal, onProgress });
}

function check({ id, command, stream, expected }: NewCommit, anyCategories: ReadonlySet<string>): void {
  if (canonicalUuid(id) === undefined) throw new RangeError(`not a UUID: ${id}`);
  if (command !== undefined && canonicalUuid(command.id) === undefined)
    throw new RangeError(`not a UUID: ${command.id}`);
  if (!isStreamName(stream)) throw new RangeError(`not a name of a stream: ${stream}`);
  const isAny = anyCategories.has(categoryOf(stream));
  if ((expected === 'any') !== isAny)
    throw new RangeError(`stream ${stream} is ${isAny ? 'an *any* stream' : 'an exact stream'}`);
}
