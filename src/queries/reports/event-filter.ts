import type { Selection } from '../../domain/reports/report.ts';
import type { Chunk, ColumnName } from '../../projections/events/packed/chunk.ts';
import { atLeast } from './array-pool.ts';
import { compileCondition } from './compiled-condition.ts';
import type { ConditionSource } from './condition-source.ts';
import { allOf, type CompiledCondition } from './event-condition.ts';
import { columnsOfPositions, type Part, type Positions, positionsOf, within } from './positions.ts';
import type { TimelineOptions } from './timelines.ts';

/** Finds the events of a selection that also pass the report's common filter. */
export interface EventFilter {
  readonly columns: readonly ColumnName[];
  /** Those from position `begin` to before `end`, ascending. The result is valid until the next call. */
  positionsIn(chunk: Chunk, begin: number, end: number): Positions;
  /** How many {@link positionsIn} finds, if that takes less time. */
  readonly countIn?: ((chunk: Chunk, begin: number, end: number) => number) | undefined;
}

export async function eventFilterOf(
  { eventId, filter }: Selection,
  common: CompiledCondition | null,
  source: ConditionSource,
): Promise<EventFilter> {
  const own = filter && (await compileCondition(filter, source));
  const conditions = allOf([common, own].filter((condition) => condition !== null));
  let found = new Uint32Array(0);
  const { count } = conditions;
  const countsAll = eventId === null && source.team.size === 1;
  return {
    columns: [...columnsOfPositions(eventId, source.team), ...conditions.columns],
    countIn:
      count === undefined || !countsAll
        ? undefined
        : (chunk, begin, end) => {
            const listed = conditions.listed?.(chunk, source.team);
            return listed ? within(listed, begin, end).length : count(chunk, begin, end);
          },
    positionsIn(chunk, begin, end) {
      const listed = eventId === null ? conditions.listed?.(chunk, source.team) : null;
      if (listed) return within(listed, begin, end);
      const positions = within(positionsOf(chunk, eventId, source.team), begin, end);
      if (common === null && own === null) return positions;
      found = atLeast(found, positions.length);
      return found.subarray(0, conditions.select(chunk, positions, found));
    },
  };
}

/**
 * Gives the events that any of the filters finds, in their order. Each event's mark has bit i set if filter i finds it.
 * @param all gives the events of this part of the users that no filter finds, too; null: it does not
 */
export function markedEvents(filters: readonly EventFilter[], all: Part | null): TimelineOptions['select'] {
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
    if (all !== null) add(within(positionsOf(chunk, null, all), begin, end), marks);
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
