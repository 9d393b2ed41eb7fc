import { type Chunk, type CodedColumn, codedOf, type IndexColumn, usersOf } from './chunk.ts';

/** Positions of events in a chunk, ascending: a selection vector. */
export type Positions = Uint32Array;

/** A part of the users, of which each thread that shares in a scan has one. */
export interface Part {
  /** How many parts there are. */
  readonly size: number;
  /** Users whose index, divided by `size`, has this rest. */
  readonly part: number;
}

/** The positions of the events of a type, of a part of the users. A type of null: of all events. */
export function positionsOf(chunk: Chunk, eventId: number | null, part: Part): Positions {
  if (eventId === null) return part.size === 1 ? allPositions(chunk.size) : positionsOfPart(chunk, part);
  const types = codedOf(chunk, 'event_id');
  const code = types.values.indexOf(eventId);
  if (code < 0) return NO_POSITIONS;
  const { positions, starts } = postingLists(types, chunk, part);
  return positions.subarray(starts[code], starts[code + 1]);
}

/** Columns that were searched by value: the second search makes posting lists. A column that was merged is searched once. */
const searched = new WeakSet<CodedColumn>();

/** The positions of the events with a code, of a part of the users. Null: there are no posting lists of the column yet. */
export function listedByCode(column: CodedColumn, code: number, chunk: Chunk, part: Part): Positions | null {
  if (!searched.has(column)) {
    searched.add(column);
    return null;
  }
  const { positions, starts } = postingLists(column, chunk, part);
  return positions.subarray(starts[code], starts[code + 1]);
}

/** The columns that {@link positionsOf} reads. */
export function columnsOfPositions(eventId: number | null, { size }: Part): ('event_id' | 'user_idx')[] {
  return [...(eventId === null ? [] : ['event_id' as const]), ...(size === 1 ? [] : ['user_idx' as const])];
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
  // Most calls ask where a day begins among the events of one hour, which all lie on one side.
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

/** By {@link keyOf} a part. */
const postingListsOf = new WeakMap<CodedColumn, PostingLists[]>();

/** Each part of each number of parts has a small number of its own. */
function keyOf({ part, size }: Part): number {
  return (size * (size - 1)) / 2 + part;
}

/** Built once for each column and part, by a counting sort. */
function postingLists(column: CodedColumn, chunk: Chunk, part: Part): PostingLists {
  const byPart = postingListsOf.get(column) ?? [];
  const known = byPart[keyOf(part)];
  if (known !== undefined) return known;
  const { codes, values } = column;
  const own = part.size === 1 ? allPositions(chunk.size) : positionsOfPart(chunk, part);
  const starts = new Uint32Array(values.length + 1);
  for (let i = 0; i < own.length; i++) starts[codes[own[i]!]! + 1]!++;
  for (let code = 0; code < values.length; code++) starts[code + 1]! += starts[code]!;
  const next = starts.slice();
  const positions = new Uint32Array(own.length);
  for (let i = 0; i < own.length; i++) positions[next[codes[own[i]!]!]!++] = own[i]!;
  const lists = { positions, starts };
  byPart[keyOf(part)] = lists;
  postingListsOf.set(column, byPart);
  return lists;
}

/** By {@link keyOf} a part. */
const partsOf = new WeakMap<IndexColumn, Positions[]>();

/** The positions of the events of a part of the users. Built once for each column and part. */
function positionsOfPart(chunk: Chunk, { part, size }: Part): Positions {
  const column = usersOf(chunk);
  const byPart = partsOf.get(column) ?? [];
  const key = keyOf({ part, size });
  const known = byPart[key];
  if (known !== undefined) return known;
  const { indexes } = column;
  const found = new Uint32Array(indexes.length);
  let count = 0;
  for (let at = 0; at < indexes.length; at++) if (indexes[at]! % size === part) found[count++] = at;
  const positions = found.slice(0, count);
  byPart[key] = positions;
  partsOf.set(column, byPart);
  return positions;
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
