import type { Selection } from '../../domain/report/timeline.ts';
import type { Chunk, ColumnName } from '../../projections/events/packed/chunk.ts';
import { type Matcher, type MatcherSource, matcherOf, type Test } from './matcher.ts';
import { type Positions, positionsOf, within } from './positions.ts';
import type { TimelineOptions } from './timelines.ts';

/** Finds the events that a selection looks for and that pass the shared filter. */
export interface Selector {
  readonly columns: readonly ColumnName[];
  /** Those between `begin` and `end`, ascending; good until the next call. */
  on(chunk: Chunk, begin: number, end: number): Positions;
}

export async function selectorOf(
  { eventId, filter }: Selection,
  shared: Matcher | null,
  source: MatcherSource,
): Promise<Selector> {
  const own = filter && (await matcherOf(filter, source));
  const matchers = [shared, own].filter((matcher) => matcher !== null);
  let found = new Uint32Array(0);
  return {
    columns: [...(eventId === null ? [] : ['event_id' as const]), ...matchers.flatMap(({ columns }) => columns)],
    on(chunk, begin, end) {
      const positions = within(positionsOf(chunk, eventId), begin, end);
      const [first, second] = matchers;
      if (first === undefined || positions.length === 0) return positions;
      if (found.length < positions.length) found = new Uint32Array(2 * positions.length);
      const test = both(first.on(chunk), second?.on(chunk));
      let size = 0;
      for (let i = 0; i < positions.length; i++) {
        const at = positions[i]!;
        if (test(at)) found[size++] = at;
      }
      return found.subarray(0, size);
    },
  };
}

function both(first: Test, second: Test | undefined): Test {
  return second === undefined ? first : (at) => first(at) && second(at);
}

/**
 * Adds the events that selectors find in their order, marked with a bit for each that finds them, the first's the lowest.
 * @param all adds those that none finds, too
 */
export function hitsOf(selectors: readonly Selector[], all: boolean): TimelineOptions['hits'] {
  let marks = new Uint32Array(0);
  let hits = new Uint32Array(0);
  return (chunk, begin, end, add) => {
    if (marks.length < chunk.size) {
      marks = new Uint32Array(2 * chunk.size);
      hits = new Uint32Array(2 * chunk.size);
    } else marks.fill(0, begin, end);
    for (const [i, selector] of selectors.entries()) {
      const bit = 1 << i;
      const positions = selector.on(chunk, begin, end);
      for (let k = 0; k < positions.length; k++) marks[positions[k]!]! |= bit;
    }
    const [marksAt, hitsInto] = [marks, hits];
    let found = 0;
    // Without a branch, which would be guessed wrong for every event of a step: adds 1 for each mark that is not 0.
    for (let at = begin; at < end; at++) {
      const mark = all ? 1 : marksAt[at]!;
      hitsInto[found] = at;
      found += (mark | -mark) >>> 31;
    }
    add(hits.subarray(0, found), marks);
  };
}
