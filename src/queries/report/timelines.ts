import type { Timeline } from '../../domain/report/timeline.ts';
import { type Chunk, type ColumnName, numbersOf, placesOf } from '../../projections/events/packed/chunk.ts';
import type { Arrays } from './arrays.ts';
import type { Combinations } from './combinations.ts';
import type { OnChunk } from './event-source.ts';
import type { Walk } from './walk.ts';

/** Which events of a bot make its users' timelines. */
export interface TimelineOptions {
  readonly columns: readonly ColumnName[];
  /** Says for events of a chunk from `begin` to before `end`, in any order, what each is, in bits; what is 0 is left out. */
  readonly mark: (marks: Uint32Array, chunk: Chunk, begin: number, end: number) => void;
  /** Leaves in events that are nothing, too. */
  readonly all: boolean;
  readonly combinations: Combinations | null;
}

/** By place, the number of what an event has in the combinations; without any it is empty. */
export interface BrokenDown extends Timeline {
  readonly combinations: Uint32Array;
}

export interface Timelines {
  /** Gives one user after another. May be called again. */
  each(onUser: (timeline: BrokenDown) => void): Promise<void>;
}

/**
 * Sorts events by their users. As many as fit are held in memory, 20 to 40 bytes each, 72 at most while they are sorted; where there are
 * more, users are taken in groups, each of which looks at all events again.
 */
export async function gatherTimelines(walk: Walk, options: TimelineOptions, most = MOST_EVENTS): Promise<Timelines> {
  const everybody = { from: 0, to: walk.users };
  const { counts, events } = await gather(walk, options, everybody, most);
  if (events !== null) {
    const sorted = byUser(walk.arrays, everybody, counts, events);
    return { each: async (onUser) => giveUsers(sorted, onUser) };
  }
  const groups = groupsOf(counts, most);
  return {
    async each(onUser) {
      for (const group of groups) {
        const gathered = await gather(walk, options, group, Number.POSITIVE_INFINITY);
        const sorted = byUser(walk.arrays, group, gathered.counts, gathered.events!);
        giveUsers(sorted, onUser);
        for (const array of [sorted.dates, sorted.marks, sorted.combinations]) walk.arrays.free(array);
      }
    },
  };
}

const MOST_EVENTS = 2 ** 22;
const FIRST = 1024;
const NONE = new Uint32Array(0);

/** Users by their places. */
interface Group {
  readonly from: number;
  readonly to: number;
}

interface Gathered {
  /** How many events each user of the group has. */
  readonly counts: Uint32Array;
  /** Null: there are more than were wanted. */
  readonly events: Events | null;
}

/** As they came. */
interface Events {
  readonly size: number;
  readonly users: Uint32Array;
  readonly dates: Float64Array;
  readonly marks: Uint32Array;
  /** None without a breakdown. */
  readonly combinations: Uint32Array;
}

async function gather(
  walk: Walk,
  { columns, mark, all, combinations }: TimelineOptions,
  { from, to }: Group,
  most: number,
): Promise<Gathered> {
  const counts = new Uint32Array(to - from);
  let size = 0;
  const { arrays } = walk;
  let users = arrays.uint32(FIRST);
  let dates = arrays.float64(FIRST);
  let marked = arrays.uint32(FIRST);
  let numbers = combinations === null ? NONE : arrays.uint32(FIRST);
  let marks = new Uint32Array(0);
  let hits = new Uint32Array(0);
  const onChunk: OnChunk = (chunk, begin, end) => {
    if (marks.length < chunk.size) {
      marks = new Uint32Array(2 * chunk.size);
      hits = new Uint32Array(2 * chunk.size);
    } else marks.fill(0, begin, end);
    mark(marks, chunk, begin, end);
    const usersAt = placesOf(chunk, 'user_idx');
    const count = countHits(usersAt, begin, end);
    // Of what does not fit, only the counts matter.
    if (size + count <= most) take(chunk, usersAt, hits.subarray(0, count));
    size += count;
  };

  /** Notes where the events stand that are something, of users of the group. */
  function countHits(usersAt: Uint32Array, begin: number, end: number): number {
    const [marksAt, hitsInto] = [marks, hits];
    let found = 0;
    // Without a branch, which would be guessed wrong for every event of a step: adds 1 for each mark that is not 0.
    for (let at = begin; at < end; at++) {
      const mark = all ? 1 : marksAt[at]!;
      hitsInto[found] = at;
      found += (mark | -mark) >>> 31;
    }
    let count = 0;
    for (let i = 0; i < found; i++) {
      const at = hitsInto[i]!;
      const user = usersAt[at]!;
      if (user < from || user >= to) continue;
      counts[user - from]!++;
      hitsInto[count++] = at;
    }
    return count;
  }

  function take(chunk: Chunk, usersAt: Uint32Array, found: Uint32Array): void {
    if (users.length < size + found.length) grow(2 ** Math.ceil(Math.log2(size + found.length)));
    const datesAt = numbersOf(chunk, 'date');
    const [usersInto, datesInto, marksInto] = [users, dates, marked];
    for (let i = 0; i < found.length; i++) {
      const at = found[i]!;
      usersInto[size + i] = usersAt[at]!;
      datesInto[size + i] = datesAt[at]!;
      marksInto[size + i] = marks[at]!;
    }
    combinations?.number(chunk, found, numbers.subarray(size));
  }

  function grow(length: number): void {
    users = moved(users, arrays.uint32(length));
    dates = moved(dates, arrays.float64(length));
    marked = moved(marked, arrays.uint32(length));
    if (combinations !== null) numbers = moved(numbers, arrays.uint32(length));
  }

  function moved<A extends Uint32Array | Float64Array>(from: A, to: A): A {
    to.set(from.subarray(0, size));
    arrays.free(from);
    return to;
  }

  await walk.events.each(['user_idx', ...columns, ...(combinations?.columns ?? [])], onChunk);
  if (size <= most) return { counts, events: { size, users, dates, marks: marked, combinations: numbers } };
  for (const array of [users, dates, marked, numbers]) arrays.free(array);
  return { counts, events: null };
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

/** Events user by user; those of the user at a place of the group begin at `starts`. */
interface Sorted extends Pick<Events, 'dates' | 'marks' | 'combinations'> {
  readonly starts: Uint32Array;
}

/** Moves what belongs together to one place, once, so that it is read from one end to the other. */
function byUser(
  arrays: Arrays,
  { from }: Group,
  counts: Uint32Array,
  { size, users, dates, marks, combinations }: Events,
): Sorted {
  const starts = new Uint32Array(counts.length + 1);
  for (let user = 0; user < counts.length; user++) starts[user + 1] = starts[user]! + counts[user]!;
  const next = starts.slice();
  const brokenDown = combinations !== NONE;
  const [datesInto, marksInto] = [arrays.float64(size), arrays.uint32(size)];
  const numbersInto = brokenDown ? arrays.uint32(size) : NONE;
  for (let i = 0; i < size; i++) {
    const place = next[users[i]! - from]!++;
    datesInto[place] = dates[i]!;
    marksInto[place] = marks[i]!;
    if (brokenDown) numbersInto[place] = combinations[i]!;
  }
  for (const array of [users, dates, marks, combinations]) arrays.free(array);
  return { starts, dates: datesInto, marks: marksInto, combinations: numbersInto };
}

function giveUsers({ starts, ...columns }: Sorted, onUser: (timeline: BrokenDown) => void): void {
  const timeline = { begin: 0, end: 0, ...columns };
  for (let user = 1; user < starts.length; user++) {
    timeline.begin = timeline.end;
    timeline.end = starts[user]!;
    if (timeline.begin < timeline.end) onUser(timeline);
  }
}
