import type { ArrayPool } from './array-pool.ts';
import type { Chunk, ColumnName } from './chunk.ts';

/** Takes the events of a chunk that are in the span: from position `begin` to before `end`. */
export type OnChunk = (chunk: Chunk, begin: number, end: number) => void;

/** The events of a bot in a span of time, ordered by (date, ord), wherever they are stored. */
export interface EventSource {
  /** How many users the bot has. The indexes of users are below that. */
  readonly users: number;
  /** Calls `onChunk` for all events of the span, in the order of time, with these columns and `date`. */
  each(columns: Iterable<ColumnName>, onChunk: OnChunk): Promise<void>;
}

/** The events of a scan, and arrays for its state. */
export interface ScanSource {
  readonly events: EventSource;
  readonly arrays: ArrayPool;
}
