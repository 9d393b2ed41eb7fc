import { atLeast } from './array-pool.ts';
import type { Chunk, ColumnName } from './chunk.ts';
import { allOf, type EventCondition } from './event-condition.ts';
import { type Positions, positionsOf, within } from './positions.ts';
import type { TimelineOptions } from './timelines.ts';

/** Finds the events of a selection that also pass the report's common filter. */
export interface EventFilter {
  readonly columns: readonly ColumnName[];
  /** Those from position `begin` to before `end`, ascending. The result is valid until the next call. */
  positionsIn(chunk: Chunk, begin: number, end: number): Positions;
  /** How many {@link positionsIn} finds, if that takes less time. */
  readonly countIn?: ((chunk: Chunk, begin: number, end: number) => number) | undefined;
}

/**
 * @param eventId the type of the events; null: of any type
 * @param all the conditions that the events fulfil
 */
export function eventFilter(eventId: number | null, all: readonly EventCondition[]): EventFilter {
  const conditions = allOf(all);
  let found = new Uint32Array(0);
  const { count } = conditions;
  return {
    columns: [...(eventId === null ? [] : ['event_id' as const]), ...conditions.columns],
    countIn:
      count === undefined || eventId !== null
        ? undefined
        : (chunk, begin, end) => {
            const listed = conditions.listed?.(chunk);
            return listed ? within(listed, begin, end).length : count(chunk, begin, end);
          },
    positionsIn(chunk, begin, end) {
      const listed = eventId === null ? conditions.listed?.(chunk) : null;
      if (listed) return within(listed, begin, end);
      const positions = within(positionsOf(chunk, eventId), begin, end);
      if (all.length === 0) return positions;
      found = atLeast(found, positions.length);
      return found.subarray(0, conditions.select(chunk, positions, found));
    },
  };
}

/**
 * Gives the events that any of the filters finds, in their order. Each event's mark has bit i set if filter i finds it.
 * @param all whether to also give events that no filter finds
 */
export function markedEvents(filters: readonly EventFilter[], all: boolean): TimelineOptions['select'] {
  let marks = new Uint32Array(0);
  let found = new Uint32Array(0);
  /** A bitmap of the found positions, 32 in a word. */
  let bitmap = new Int32Array(0);
  return (chunk, begin, end, add) => {
    if (marks.length < chunk.size) {
      marks = new Uint32Array(2 * chunk.size);
      found = new Uint32Array(2 * chunk.size);
      bitmap = new Int32Array(Math.ceil(marks.length / WORD_BITS));
    } else marks.fill(0, begin, end);
    for (const [i, filter] of filters.entries()) {
      const bit = 1 << i;
      const positions = filter.positionsIn(chunk, begin, end);
      for (let k = 0; k < positions.length; k++) {
        const at = positions[k]!;
        marks[at]! |= bit;
        bitmap[at >>> 5]! |= 1 << at;
      }
    }
    if (all) add(within(positionsOf(chunk, null), begin, end), marks);
    else add(found.subarray(0, takeBits(bitmap, begin, end, found)), marks);
  };
}

const WORD_BITS = 32;

/** Writes the positions of the bits that are set from `begin` to before `end`, ascending, and clears them. @returns how many */
function takeBits(bitmap: Int32Array, begin: number, end: number, into: Uint32Array): number {
  let count = 0;
  for (let index = begin >>> 5; index * WORD_BITS < end; index++) {
    for (let rest = bitmap[index]!; rest !== 0; rest &= rest - 1)
      into[count++] = index * WORD_BITS + 31 - Math.clz32(rest & -rest);
    bitmap[index] = 0;
  }
  return count;
}
