import { type Cursor, type Position, partitionOf } from '../../log/port.ts';

/**
 * How far events were walked. What a read model has set aside may be applied later, at a place that has been passed by
 * then; it may be what earns, or what tells who referred whom. So it is remembered from where to walk once more as soon as
 * it is not set aside any longer; until then no more than that is noted, for whoever goes on after a restart.
 */
export interface Places {
  readonly reached: Map<number, Position>;
  /** By what is set aside; `from` undefined: from the beginning. */
  readonly waiting: Map<string, { readonly partition: number; readonly from: Position | undefined }>;
}

/** @param deadLettered where it is in the log, by whatever names it */
export function takeIn({ reached, waiting }: Places, deadLettered: ReadonlyMap<string, Position>): void {
  for (const [id, { partition, from }] of waiting) {
    if (deadLettered.has(id)) continue;
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

/** Up to where nothing is to be walked again. */
export function settled({ reached, waiting }: Places): Cursor {
  const cursor = new Map(reached);
  for (const { partition, from } of waiting.values()) goBack(cursor, partition, from);
  return cursor;
}

function goBack(cursor: Map<number, Position>, partition: number, from: Position | undefined): void {
  if (from === undefined) cursor.delete(partition);
  else if ((cursor.get(partition) ?? '') > from) cursor.set(partition, from);
}
