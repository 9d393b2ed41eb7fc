import type { LogRecord } from './record.ts';

/**
 * The store under a validated log: it appends every record, and delivers the records of a partition in one order. Offsets
 * count the records of a partition from 0. They are numbers, JSON-safe for 2^53 records.
 */
export interface RecordStore {
  /** Resolves when the store can take records. Until then appends wait, certainly not in the store. Default: always ready. */
  ready?(): Promise<void>;
  /**
   * Appends records.
   * @returns the offset of each, in the order given
   * @throws RangeError too large for the store
   * @throws LogUnavailableError the records are certainly not in the store, and never will be
   * @throws NotSentError
   * @throws after long retries; any of the records may be in the store nevertheless
   */
  send(records: readonly NewRecord[]): Promise<number[]>;
  /** Per partition, the offset after its last record. */
  endOffsets(): Promise<number[]>;
  /**
   * Seconds since the oldest record at or after these offsets (one a partition) was appended; an upper bound. The caller
   * knows that there is such a record.
   */
  ageOfOldest(from: readonly number[]): Promise<number>;
  /**
   * Reads partitions from these offsets on (by partition), forever, also over restarts of the server. Within a partition the records
   * come in order, without gaps or repeats. Each step yields the records that have arrived since the one before. Buffers a
   * bounded amount.
   * @param restMs how long the store may rest after it has got records, before it asks for more. Default 0
   * @throws if records are missing
   */
  tail(from: ReadonlyMap<number, number>, signal: AbortSignal, restMs?: number): AsyncGenerator<Chunk[]>;
}

export interface NewRecord {
  readonly partition: number;
  readonly key: string;
  readonly value: Buffer;
}

/** Consecutive records of one partition. */
export interface Chunk {
  readonly partition: number;
  readonly records: readonly LogRecord[];
}

/** The store had no connection, so no record was sent. The caller may send them once the store is ready. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
}
