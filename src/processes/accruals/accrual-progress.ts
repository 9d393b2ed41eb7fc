import { type Cursor, type Position, partitionOf } from '../../log/port.ts';

/**
 * How far events were walked. A dead letter of a read model may be applied later, at a position that was passed by then, and
 * may be an event that earns a reward, or one that makes a referral. So for each dead letter this remembers from where to
 * walk once more when it has been applied. Until then no later position is saved, for the process after a restart.
 */
export interface Progress {
  readonly reached: Map<number, Position>;
  /** By the ids of dead letters; `from` undefined: from the beginning. */
  readonly waiting: Map<string, { readonly partition: number; readonly from: Position | undefined }>;
}

/** Remembers that an account could not take its rewards: from there on, walk once more when it is tried again. */
export function leaveOut(
  { waiting }: Progress,
  account: string,
  { partition, after }: { partition: number; after: Position },
): void {
  if (!waiting.has(account)) waiting.set(account, { partition, from: after === '' ? undefined : after });
}

/**
 * @param deadLettered positions of dead letters, by their ids
 * @param leftOut accounts that were left out and are not tried again yet
 */
export function takeIn(
  { reached, waiting }: Progress,
  deadLettered: ReadonlyMap<string, Position>,
  leftOut: ReadonlySet<string>,
): void {
  for (const [id, { partition, from }] of waiting) {
    if (deadLettered.has(id) || leftOut.has(id)) continue;
    waiting.delete(id);
    goBack(reached, partition, from);
  }
  for (const [id, position] of deadLettered) {
    if (waiting.has(id)) continue;
    const partition = partitionOf(position);
    const at = reached.get(partition);
    waiting.set(id, { partition, from: at !== undefined && at < position ? at : undefined });
  }
}

/** The cursor up to which no event will be walked again. */
export function safeCursor({ reached, waiting }: Progress): Cursor {
  const cursor = new Map(reached);
  for (const { partition, from } of waiting.values()) goBack(cursor, partition, from);
  return cursor;
}

function goBack(cursor: Map<number, Position>, partition: number, from: Position | undefined): void {
  if (from === undefined) cursor.delete(partition);
  else if ((cursor.get(partition) ?? '') > from) cursor.set(partition, from);
}
