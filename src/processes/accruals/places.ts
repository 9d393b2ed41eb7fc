import { type Cursor, laneOf, type Position } from '../../log/port.ts';

/**
 * How far events were walked. What a read model has set aside may be applied later, at a place that has been passed by
 * then; it may be what earns, or what tells who referred whom. So it is remembered from where to walk once more as soon as
 * it is not set aside any longer; until then no more than that is noted, for whoever goes on after a restart.
 */
export interface Places {
  readonly reached: Map<number, Position>;
  /** By what is set aside; `from` undefined: from the beginning. */
  readonly waiting: Map<string, { readonly lane: number; readonly from: Position | undefined }>;
}

/** @param setAside where it is in the log, by whatever names it */
export function takeIn({ reached, waiting }: Places, setAside: ReadonlyMap<string, Position>): void {
  for (const [id, { lane, from }] of waiting) {
    if (setAside.has(id)) continue;
    waiting.delete(id);
    goBack(reached, lane, from);
  }
  for (const [id, position] of setAside) {
    if (waiting.has(id)) continue;
    const lane = laneOf(position);
    const at = reached.get(lane);
    waiting.set(id, { lane, from: at !== undefined && at < position ? at : undefined });
  }
}

/** Up to where nothing is to be walked again. */
export function settled({ reached, waiting }: Places): Cursor {
  const cursor = new Map(reached);
  for (const { lane, from } of waiting.values()) goBack(cursor, lane, from);
  return cursor;
}

function goBack(cursor: Map<number, Position>, lane: number, from: Position | undefined): void {
  if (from === undefined) cursor.delete(lane);
  else if ((cursor.get(lane) ?? '') > from) cursor.set(lane, from);
}
