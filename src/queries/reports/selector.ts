import type { Selection } from '../../domain/reports/timeline.ts';
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
  /** By position, a bit for each that is hit: 32 in a look. */
  let words = new Int32Array(0);
  return (chunk, begin, end, add) => {
    if (marks.length < chunk.size) {
      marks = new Uint32Array(2 * chunk.size);
      hits = new Uint32Array(2 * chunk.size);
      words = new Int32Array(Math.ceil(marks.length / WORD_BITS));
    } else marks.fill(0, begin, end);
    for (const [i, selector] of selectors.entries()) {
      const bit = 1 << i;
      const positions = selector.on(chunk, begin, end);
      for (let k = 0; k < positions.length; k++) {
        const at = positions[k]!;
        marks[at]! |= bit;
        words[at >>> 5]! |= 1 << at;
      }
    }
    const found = all ? range(begin, end, hits) : takeBits(words, begin, end, hits);
    add(hits.subarray(0, found), marks);
  };
}

const WORD_BITS = 32;

/** Writes the numbers from `begin` to before `end`, and says how many they are. */
function range(begin: number, end: number, into: Uint32Array): number {
  for (let at = begin; at < end; at++) into[at - begin] = at;
  return end - begin;
}

/** Writes the positions, from `begin` to before `end`, of the bits that are set, ascending; clears them; says how many they were. */
function takeBits(words: Int32Array, begin: number, end: number, into: Uint32Array): number {
  let found = 0;
  for (let index = begin >>> 5; index * WORD_BITS < end; index++) {
    for (let rest = words[index]!; rest !== 0; rest &= rest - 1)
      into[found++] = index * WORD_BITS + 31 - Math.clz32(rest & -rest);
    words[index] = 0;
  }
  return found;
}
