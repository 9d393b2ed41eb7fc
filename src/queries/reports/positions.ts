import type { Chunk, CodedColumn } from '../../projections/events/packed/chunk.ts';
import { codedOf } from '../../projections/events/packed/chunk.ts';

/** Where events stand in a chunk, ascending. */
export type Positions = Uint32Array;

/** Where the events of a type stand; null: of all types. */
export function positionsOf(chunk: Chunk, eventId: number | null): Positions {
  if (eventId === null) return allPositions(chunk.size);
  const types = codedOf(chunk, 'event_id');
  const code = types.values.indexOf(eventId);
  if (code < 0) return NOWHERE;
  const { positions, starts } = indexOf(types);
  return positions.subarray(starts[code], starts[code + 1]);
}

const NOWHERE = new Uint32Array(0);

/** The positions between `begin` and `end`. */
export function within(positions: Positions, begin: number, end: number): Positions {
  const [from, to] = [firstFrom(positions, begin), firstFrom(positions, end)];
  return to - from === positions.length ? positions : positions.subarray(from, to);
}

/** The index of the first that is not less than `least`; of sorted numbers. */
export function firstFrom(sorted: ArrayLike<number>, least: number): number {
  let [low, high] = [0, sorted.length];
  // Mostly it is asked where a day begins of the events of an hour, all of which are on one side.
  if (high === 0 || sorted[0]! >= least) return 0;
  if (sorted[high - 1]! < least) return high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

let all = new Uint32Array(0);

function allPositions(size: number): Positions {
  if (all.length < size) all = Uint32Array.from({ length: size * 2 }, (_, i) => i);
  return all.subarray(0, size);
}

/** All positions, those of one code after those of the one before; where each code's begin. */
interface Index {
  readonly positions: Positions;
  readonly starts: Uint32Array;
}

const indexes = new WeakMap<CodedColumn, Index>();

function indexOf(column: CodedColumn): Index {
  const known = indexes.get(column);
  if (known !== undefined) return known;
  const { codes, values } = column;
  const starts = new Uint32Array(values.length + 1);
  for (let i = 0; i < codes.length; i++) starts[codes[i]! + 1]!++;
  for (let code = 0; code < values.length; code++) starts[code + 1]! += starts[code]!;
  const next = starts.slice();
  const positions = new Uint32Array(codes.length);
  for (let i = 0; i < codes.length; i++) positions[next[codes[i]!]!++] = i;
  const index = { positions, starts };
  indexes.set(column, index);
  return index;
}
