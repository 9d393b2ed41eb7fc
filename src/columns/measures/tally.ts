import type { Chunk, ColumnName } from '../chunk.ts';
import type { Positions } from '../positions.ts';

/**
 * Measures events for each line (a combination of a breakdown) and each time bucket. Events must be added in the order of
 * their dates.
 */
export interface Tally extends EventTally {
  /** Gives the results. The returned function does not hold the state of users, so that it can be collected. */
  values(): ValueOf;
}

/** A consumer of the events of lines and buckets. */
export interface EventTally {
  /** The columns that it reads, besides the columns of the filters. */
  readonly columns: readonly ColumnName[];
  /** Prepares for adding events of a chunk. */
  open(chunk: Chunk): void;
  /**
   * Adds the events at `positions[from]` to `positions[to - 1]` of the open chunk, all of one bucket.
   * @param lines the line of each event, by its index in `positions`; null: all events are of line 0
   */
  add(bucket: number, positions: Positions, lines: Uint32Array | null, from: number, to: number): void;
  /** Adds events of a line of which only the number is known. Undefined: the tally needs to know which they are. */
  addMany?(bucket: number, line: number, events: number): void;
}

/**
 * The measure of a line in a bucket, as decimal text; null where the measure of no events is undefined. Without a bucket
 * (null): over all buckets together, measured and not summed up.
 */
export type ValueOf = (line: number, bucket: number | null) => string | null;

export interface TallySize {
  readonly lines: number;
  /** At least 1. */
  readonly buckets: number;
  /** Users of the bot: `user_idx` is below that. */
  readonly users: number;
}
