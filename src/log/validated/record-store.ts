import type { LogRecord } from './record.ts';

/**
 * What a log that is validated on read stands on: a store that appends whatever it is given and hands it out in one order
 * per partition. Offsets count the records of a partition from 0; they are numbers, JSON-safe for 2^53 records.
 */
export interface RecordStore {
  /** Resolves when it makes sense to send; until then appends wait, and are certainly not in the store. Default: always. */
  ready?(): Promise<void>;
  /**
   * Appends records.
   * @returns the offset of each, in the order given
   * @throws RangeError too large for the store
   * @throws LogUnavailableError certainly not in the store, nor will be
   * @throws NotSentError
   * @throws after long retries; any of the records may be in the store all the same
   */
  send(records: readonly NewRecord[]): Promise<number[]>;
  /** Per partition, the offset after its last record. */
  endOffsets(): Promise<number[]>;
  /** Seconds since the oldest record at or after these offsets was appended, one a partition; an upper bound. There is one. */
  ageOfOldest(from: readonly number[]): Promise<number>;
  /**
   * Reads all partitions from the offsets given, for ever, in order within a partition, without gaps or repeats, over restarts of the
   * server; each step yields what has arrived since the one before. Buffers a bounded amount.
   * @throws when records that were there are gone
   */
  tail(from: readonly number[], signal: AbortSignal): AsyncGenerator<Chunk[]>;
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

/** There was no connection: the records may be sent once the store is ready. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
}
