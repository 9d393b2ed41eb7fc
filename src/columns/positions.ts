import { type Chunk, type CodedColumn, codedOf } from './chunk.ts';

/** Positions of events in a chunk, ascending: a selection vector. */
export type Positions = Uint32Array;

/** The positions of the events of a type. A type of null: of all events. */
export function positionsOf(chunk: Chunk, eventId: number | null): Positions {
  if (eventId === null) return allPositions(chunk.size);
  const types = codedOf(chunk, 'event_id');
  const code = types.values.indexOf(eventId);
  if (code < 0) return NO_POSITIONS;
  const { positions, starts } = postingLists(types);
  return positions.subarray(starts[code], starts[code + 1]);
}

/** Columns that were searched by value: the second search makes posting lists. A column of rows that are not kept is searched once. */
const searched = new WeakSet<CodedColumn>();

/** The positions of the events with a code. Null: there are no posting lists of the column yet. */
export function listedByCode(column: CodedColumn, code: number): Positions | null {
  if (!searched.has(column)) {
    searched.add(column);
    return null;
  }
  const { positions, starts } = postingLists(column);
  return positions.subarray(starts[code], starts[code + 1]);
}

export const NO_POSITIONS = new Uint32Array(0);

/** The positions from `begin` to before `end`. */
export function within(positions: Positions, begin: number, end: number): Positions {
  const [from, to] = [firstFrom(positions, begin), firstFrom(positions, end)];
  return to - from === positions.length ? positions : positions.subarray(from, to);
}

/** The index of the first of ascending numbers that is at least `least`; their count if there is none. */
export function firstFrom(sorted: ArrayLike<number>, least: number): number {
  let [low, high] = [0, sorted.length];
  // Most calls ask where a day begins among the events of one hour. All these events lie on one side.
  if (high === 0 || sorted[0]! >= least) return 0;
  if (sorted[high - 1]! < least) return high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

let ascending = new Uint32Array(0);

function allPositions(size: number): Positions {
  if (ascending.length < size) ascending = Uint32Array.from({ length: size * 2 }, (_, i) => i);
  return ascending.subarray(0, size);
}

/** A posting list for each code of a column, one after the other: code c has `positions` from `starts[c]` to `starts[c + 1]`. */
interface PostingLists {
  readonly positions: Positions;
  readonly starts: Uint32Array;
}

const postingListsOf = new WeakMap<CodedColumn, PostingLists>();

/** Built once for each column, by a counting sort. */
function postingLists(column: CodedColumn): PostingLists {
  const known = postingListsOf.get(column);
  if (known !== undefined) return known;
  const { codes, values } = column;
  const starts = new Uint32Array(values.length + 1);
  for (let at = 0; at < codes.length; at++) starts[codes[at]! + 1]!++;
  for (let code = 0; code < values.length; code++) starts[code + 1]! += starts[code]!;
  const next = starts.slice();
  const positions = new Uint32Array(codes.length);
  for (let at = 0; at < codes.length; at++) positions[next[codes[at]!]!++] = at;
  const lists = { positions, starts };
  postingListsOf.set(column, lists);
  return lists;
}

/** Consecutive events of a chunk in one time bucket, up to before position `end`. */
export interface BucketRange {
  /** The index of the bucket; -1: before the first. */
  readonly bucket: number;
  readonly end: number;
}

/**
 * Splits the events from position `begin` to before `end` by time buckets.
 * @param dates of the chunk's events, ascending
 * @param starts of the buckets, ascending, in milliseconds since 1970 UTC
 */
export function bucketRanges(
  dates: Float64Array,
  { begin, end }: { readonly begin: number; readonly end: number },
  starts: readonly number[],
): BucketRange[] {
  const ranges: BucketRange[] = [];
  for (let at = begin; at < end; ) {
    const next = firstFrom(starts, dates[at]! + 1);
    at = next === starts.length ? end : Math.min(end, firstFrom(dates, starts[next]!));
    ranges.push({ bucket: next - 1, end: at });
  }
  return ranges;
}

/** Calls `onBucket` for each bucket that has some of the positions, with the first of their indexes and the one after the last. */
export function eachBucket(
  positions: Positions,
  ranges: readonly BucketRange[],
  onBucket: (bucket: number, from: number, to: number) => void,
): void {
  let from = 0;
  for (const { bucket, end } of ranges) {
    const to = firstFrom(positions, end);
    if (from < to) onBucket(bucket, from, to);
    from = to;
  }
}
