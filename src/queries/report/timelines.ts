import type { Timeline } from '../../domain/report/timeline.ts';
import { type Chunk, type ColumnName, numbersOf, placesOf } from '../../projections/events/packed/chunk.ts';
import type { Arrays } from './arrays.ts';
import type { Combinations } from './combinations.ts';
import type { Positions } from './positions.ts';
import { atLeast } from './slots.ts';
import type { Walk } from './walk.ts';

/** Which events of a bot make its users' timelines. */
export interface TimelineOptions {
  readonly columns: readonly ColumnName[];
  /** Whether their dates matter. */
  readonly dated: boolean;
  /** Adds those of a chunk from `begin` to before `end`, in any order that users' events may come in. */
  readonly hits: (chunk: Chunk, begin: number, end: number, add: AddHits) => void;
  readonly combinations: Combinations | null;
}

/** @param mark what they are, or by position what each is */
export type AddHits = (positions: Positions, mark: number | Uint32Array) => void;

/** By place, the number of what an event has in the combinations; without any it is empty. */
export interface BrokenDown extends Timeline {
  readonly combinations: Uint32Array;
}

export interface Timelines {
  /** Gives one user after another. May be called again. */
  each(onUser: (timeline: BrokenDown) => void): Promise<void>;
}

/**
 * Sorts events by their users. As many as fit are held in memory, 8 to 40 bytes each; where there are more, users are taken in
 * groups, each of which looks at all events again.
 */
export async function gatherTimelines(
  walk: Walk,
  options: TimelineOptions,
  { most, together }: Limits = { most: 2 ** 22, together: 2 ** 15 },
): Promise<Timelines> {
  const everybody = { from: 0, to: walk.users };
  const { parts, counts } = await gather(walk, options, everybody, { most, together });
  if (counts === null) return { each: async (onUser) => giveUsers(parts, onUser) };
  const groups = groupsOf(counts, most);
  return {
    async each(onUser) {
      for (const group of groups) {
        const { parts } = await gather(walk, options, group, { most: Number.POSITIVE_INFINITY, together });
        giveUsers(parts, onUser);
        for (const { starts, dates, marks, combinations } of parts)
          for (const array of [starts, dates, marks, combinations]) walk.arrays.free(array);
      }
    },
  };
}

export interface Limits {
  /** Events that are held at once. */
  readonly most: number;
  /** Users, a power of two, whose events are sorted at once: small enough that the processor's cache holds them. */
  readonly together: number;
}

const FIRST = 1024;
const NONE = new Uint32Array(0);
const UNDATED = new Float64Array(0);

/** Users by their places. */
interface Group {
  readonly from: number;
  readonly to: number;
}

interface Gathered {
  /** Users in their order. None if there are more events than fit. */
  readonly parts: readonly Part[];
  /** How many events each user of the group has, if there are more than fit. */
  readonly counts: Uint32Array | null;
}

/** Events of neighbouring users, one user's after those of the one before. */
interface Part {
  /** Where each user's begin, and at the end how many there are. */
  readonly starts: Uint32Array;
  /** None where they do not matter. */
  readonly dates: Float64Array;
  readonly marks: Uint32Array;
  /** None without a breakdown. */
  readonly combinations: Uint32Array;
}

/** Events of neighbouring users, as they came. */
interface Heap extends Omit<Part, 'starts'> {
  /** By event, its place among those of the heap. */
  readonly users: Uint32Array;
}

async function gather(
  walk: Walk,
  { columns, dated, hits, combinations }: TimelineOptions,
  { from, to }: Group,
  { most, together }: Limits,
): Promise<Gathered> {
  const { arrays } = walk;
  const isPart = to - from < walk.users;
  const bits = Math.log2(together);
  const heaps = Array.from({ length: Math.ceil((to - from) / together) }, () => newHeap(FIRST));
  const sizes = new Uint32Array(heaps.length);
  let counts: Uint32Array | null = null;
  let size = 0;
  let own = new Uint32Array(0);
  let numbers = new Uint32Array(0);

  /** Those of users of the group. */
  function ownOf(positions: Positions, usersAt: Uint32Array): Positions {
    own = atLeast(own, positions.length);
    let found = 0;
    for (let i = 0; i < positions.length; i++) {
      const at = positions[i]!;
      const user = usersAt[at]!;
      if (user >= from && user < to) own[found++] = at;
    }
    return own.subarray(0, found);
  }

  function take(chunk: Chunk, usersAt: Uint32Array, positions: Positions, mark: number | Uint32Array): void {
    const datesAt = dated ? numbersOf(chunk, 'date') : null;
    if (combinations !== null) {
      numbers = atLeast(numbers, positions.length);
      combinations.number(chunk, positions, numbers);
    }
    for (let i = 0; i < positions.length; i++) {
      const at = positions[i]!;
      const user = usersAt[at]! - from;
      const index = user >>> bits;
      let heap = heaps[index]!;
      const place = sizes[index]!++;
      if (place === heap.users.length) {
        heap = grown(heap);
        heaps[index] = heap;
      }
      heap.users[place] = user & (together - 1);
      heap.marks[place] = typeof mark === 'number' ? mark : mark[at]!;
      if (datesAt !== null) heap.dates[place] = datesAt[at]!;
      if (combinations !== null) heap.combinations[place] = numbers[i]!;
    }
  }

  /** Of what does not fit, only how many each user has matters, and what was held so far is not needed. */
  function count(usersAt: Uint32Array, found: Uint32Array): void {
    if (counts === null) {
      counts = new Uint32Array(to - from);
      for (const [index, { users }] of heaps.entries())
        for (let i = 0; i < sizes[index]!; i++) counts[index * together + users[i]!]!++;
      for (const heap of heaps.splice(0)) free(heap);
    }
    for (let i = 0; i < found.length; i++) counts[usersAt[found[i]!]! - from]!++;
  }

  function newHeap(length: number): Heap {
    return {
      users: arrays.uint32(length),
      dates: dated ? arrays.float64(length) : UNDATED,
      marks: arrays.uint32(length),
      combinations: combinations === null ? NONE : arrays.uint32(length),
    };
  }

  function grown(heap: Heap): Heap {
    const larger = newHeap(2 * heap.users.length);
    larger.users.set(heap.users);
    larger.dates.set(heap.dates);
    larger.marks.set(heap.marks);
    larger.combinations.set(heap.combinations);
    free(heap);
    return larger;
  }

  function free({ users, dates, marks, combinations }: Heap): void {
    for (const array of [users, dates, marks, combinations]) arrays.free(array);
  }

  await walk.events.each(['user_idx', ...columns, ...(combinations?.columns ?? [])], (chunk, begin, end) => {
    const usersAt = placesOf(chunk, 'user_idx');
    hits(chunk, begin, end, (positions, mark) => {
      const found = isPart ? ownOf(positions, usersAt) : positions;
      size += found.length;
      if (size <= most) take(chunk, usersAt, found, mark);
      else count(usersAt, found);
    });
  });
  const parts = heaps.map((heap, index) => {
    const part = byUser(arrays, heap, sizes[index]!, Math.min(together, to - from - index * together));
    free(heap);
    return part;
  });
  return { parts, counts };
}

/** Neighbours, who together have no more than so many events, or are alone. */
function groupsOf(counts: Uint32Array, most: number): Group[] {
  const groups: Group[] = [];
  let from = 0;
  let events = 0;
  for (let user = 0; user < counts.length; user++) {
    if (events + counts[user]! > most && user > from) {
      groups.push({ from, to: user });
      from = user;
      events = 0;
    }
    events += counts[user]!;
  }
  return [...groups, { from, to: counts.length }];
}

/** Moves what belongs together to one place, once, so that it is read from one end to the other. */
function byUser(arrays: Arrays, { users, dates, marks, combinations }: Heap, size: number, count: number): Part {
  const starts = arrays.uint32(count + 1).fill(0);
  for (let i = 0; i < size; i++) starts[users[i]! + 1]!++;
  for (let user = 0; user < count; user++) starts[user + 1]! += starts[user]!;
  const next = arrays.uint32(count + 1);
  next.set(starts);
  const [dated, brokenDown] = [dates !== UNDATED, combinations !== NONE];
  const datesInto = dated ? arrays.float64(size) : UNDATED;
  const marksInto = arrays.uint32(size);
  const numbersInto = brokenDown ? arrays.uint32(size) : NONE;
  for (let i = 0; i < size; i++) {
    const place = next[users[i]!]!++;
    marksInto[place] = marks[i]!;
    if (dated) datesInto[place] = dates[i]!;
    if (brokenDown) numbersInto[place] = combinations[i]!;
  }
  arrays.free(next);
  return { starts, dates: datesInto, marks: marksInto, combinations: numbersInto };
}

function giveUsers(parts: readonly Part[], onUser: (timeline: BrokenDown) => void): void {
  for (const { starts, ...columns } of parts) {
    const timeline = { begin: 0, end: 0, ...columns };
    for (let user = 1; user < starts.length; user++) {
      timeline.begin = timeline.end;
      timeline.end = starts[user]!;
      if (timeline.begin < timeline.end) onUser(timeline);
    }
  }
}
