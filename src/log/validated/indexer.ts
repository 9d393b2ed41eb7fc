import type { Logger } from 'pino';
import { holdLease } from '../../database/lease.ts';
import { pause } from '../../util/pause.ts';
import { nextOffsets } from './index-reader.ts';
import type { Index } from './index-schema.ts';
import {
  loadPartitionStates,
  type PartitionReadings,
  prepareIndex,
  StaleIndexError,
  writeVerdicts,
} from './index-writer.ts';
import { readRecord } from './record.ts';
import type { Chunk, RecordStore } from './record-store.ts';
import { EMPTY_PARTITION, validate } from './validity.ts';

export interface IndexerOptions {
  readonly store: Pick<RecordStore, 'tail'>;
  readonly index: Index;
  readonly partitionOf: (key: string) => number;
  readonly holder: string;
  readonly logger: Logger;
  /** Ends the indexer. */
  readonly signal: AbortSignal;
  /** Called after each transaction with the first offset without a verdict of each partition. */
  readonly onProgress: (next: readonly number[]) => void;
}

const RETRY_MS = 500;
/** Records validated in one transaction. */
const MAX_RECORDS = 2000;

/**
 * Keeps the index up to date with the records, in one instance at a time, by a lease that another takes over within seconds.
 * If two instances index at once, one loses the compare-and-set on the offsets and starts over; that costs time only.
 * Resolves when the signal aborts.
 */
export async function runIndexer(options: IndexerOptions): Promise<void> {
  const { index, holder, logger, signal } = options;
  const { source } = index;
  while (!signal.aborted) {
    try {
      await holdLease(index.pool, `${index.schema} ${source}`, holder, { signal, logger }, (whileHeld) =>
        lead(options, whileHeld),
      );
    } catch (error) {
      const level = error instanceof StaleIndexError ? 'warn' : 'error';
      logger[level]({ err: error, source }, 'failed to index the log; retrying');
      await pause(RETRY_MS, signal);
    }
  }
}

async function lead(options: IndexerOptions, signal: AbortSignal): Promise<void> {
  const { store, index, partitionOf, logger, onProgress } = options;
  await prepareIndex(index);
  const next = await nextOffsets(index);
  logger.info({ source: index.source }, 'leading the index');
  for await (const chunks of store.tail(new Map(next.entries()), signal)) {
    for (const portion of portions(chunks)) {
      const work = readPartitions(portion, next, partitionOf);
      const states = await loadPartitionStates(index, work);
      const validated = work.map((readings) => ({
        readings,
        validation: validate(states.get(readings.partition) ?? EMPTY_PARTITION, readings.readings),
      }));
      await writeVerdicts(index, validated);
      for (const { readings } of validated) next[readings.partition] = readings.next;
      onProgress([...next]);
      for (const { readings, validation } of validated)
        for (const verdict of validation.verdicts)
          if (verdict.void === 'malformed')
            logger.warn(
              { source: index.source, partition: readings.partition, offset: verdict.offset, why: verdict.detail },
              'malformed record',
            );
    }
  }
}

/** Cuts chunks into portions of at most MAX_RECORDS records. */
function* portions(chunks: readonly Chunk[]): Generator<Chunk[]> {
  let portion: Chunk[] = [];
  let size = 0;
  for (const { partition, records } of chunks) {
    for (let start = 0; start < records.length; ) {
      const part = records.slice(start, start + MAX_RECORDS - size);
      portion.push({ partition, records: part });
      start += part.length;
      size += part.length;
      if (size < MAX_RECORDS) continue;
      yield portion;
      portion = [];
      size = 0;
    }
  }
  if (portion.length > 0) yield portion;
}

/** One entry per partition, its records in order. */
function readPartitions(
  chunks: readonly Chunk[],
  next: readonly number[],
  partitionOf: (key: string) => number,
): PartitionReadings[] {
  const byPartition = new Map<number, PartitionReadings['readings'][number][]>();
  for (const { partition, records } of chunks) {
    const readings = byPartition.get(partition) ?? [];
    for (const record of records) readings.push(readRecord(record, partition, partitionOf));
    byPartition.set(partition, readings);
  }
  return [...byPartition].map(([partition, readings]) => ({
    partition,
    from: next[partition]!,
    next: readings[readings.length - 1]!.offset + 1,
    readings,
  }));
}
