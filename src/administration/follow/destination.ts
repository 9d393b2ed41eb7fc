import type { Position } from '../../log/port.ts';
import type { TextRow } from '../../queries/export/columns.ts';

/** Rows of one partition, of whole commits, in the order of the log. */
export interface FollowBatch {
  readonly partition: number;
  /** The last position of the partition that the destination has; null: it has none. */
  readonly after: Position | null;
  /** The position of the last row. */
  readonly last: Position;
  readonly rows: readonly TextRow[];
}

/**
 * Where a follower puts events. It holds the position itself: the last one of its rows. So events and position change together,
 * whatever is killed.
 */
export interface Destination {
  /** Prepares the destination for its first rows. @throws UnfitDestinationError it is another follower's, or loses the guarantee */
  open(): Promise<void>;
  /** The last position of each partition of the log; absent: no rows. */
  positions(partitions: number): Promise<ReadonlyMap<number, Position>>;
  /**
   * Puts the rows, all or none, if the destination's last position is still `after`; of all calls with one `after`, also by others and
   * by earlier ones that are still under way, one takes effect.
   * @returns the destination's last position of the partition. It differs from `last` if another call took effect
   */
  put(batch: FollowBatch): Promise<Position | null>;
  close(): Promise<void>;
}

/** The destination cannot be used as it is: an operator must change it, or choose another. */
export class UnfitDestinationError extends Error {
  override readonly name = 'UnfitDestinationError';
}
