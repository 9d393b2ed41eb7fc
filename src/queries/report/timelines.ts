import type { TimelineEvent } from '../../domain/report/timeline.ts';
import { type Chunk, type ColumnName, numbersOf, placesOf } from '../../projections/events/packed/chunk.ts';
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

/** Takes the events of one user after another, each in order. */
export interface TimelineTaker {
  take(event: TimelineEvent, marks: number): void;
  /** After the user's last event. */
  end(): void;
}

export interface Timelines {
  /** May be called again. */
  each(taker: TimelineTaker): Promise<void>;
}

/**
 * Sorts events by their users. As many as fit are held in memory, 20 bytes each, 36 while they are sorted; where there are
 * more, users are taken in groups, each of which looks at all events again.
 */
export async function gatherTimelines(walk: Walk, options: TimelineOptions, most = MOST_EVENTS): Promise<Timelines> {
  const counts = new Uint32Array(walk.users);
  const whole = await gather(walk, options, { from: 0, to: walk.users }, { most, counts });
  if (whole !== null) {
    const sorted = byUser(whole);
    return { each: async (taker) => giveUsers(sorted, taker) };
  }
  const groups = groupsOf(counts, most);
  return {
    async each(taker) {
      for (const group of groups) {
        const gathered = await gather(walk, options, group, { most: Number.POSITIVE_INFINITY, counts: null });
        giveUsers(byUser(gathered!), taker);
      }
    },
  };
}

const MOST_EVENTS = 2 ** 22;

/** Users by their places. */
interface Group {
  readonly from: number;
  readonly to: number;
}

interface Gathered extends Group {
  readonly size: number;
  readonly users: Uint32Array;
  readonly dates: Float64Array;
  readonly marks: Uint32Array;
  readonly combinations: Uint32Array;
}

/** Null when there are more than `most`; `counts`, if given, then has how many each user has. */
async function gather(
  walk: Walk,
  { columns, mark, all, combinations }: TimelineOptions,
  { from, to }: Group,
  { most, counts }: { readonly most: number; readonly counts: Uint32Array | null },
): Promise<Gathered | null> {
  let size = 0;
  let users = new Uint32Array(1024);
  let dates = new Float64Array(1024);
  let marked = new Uint32Array(1024);
  let numbers = new Uint32Array(1024);
  let marks = new Uint32Array(0);
  let hits = new Uint32Array(0);
  const onChunk: OnChunk = (chunk, begin, end) => {
    if (marks.length < chunk.size) marks = new Uint32Array(2 * chunk.size);
    else marks.fill(0, begin, end);
    mark(marks, chunk, begin, end);
    const [usersAt, datesAt] = [placesOf(chunk, 'user_idx'), numbersOf(chunk, 'date')];
    if (hits.length < end - begin) hits = new Uint32Array(2 * chunk.size);
    if (size < most) makeRoom(size + end - begin);
    const [marksAt, usersInto, datesInto, marksInto, hitsInto] = [marks, users, dates, marked, hits];
    let next = size;
    for (let at = begin; at < end; at++) {
      const mark = marksAt[at]!;
      if (mark === 0 && !all) continue;
      const user = usersAt[at]!;
      if (user < from || user >= to) continue;
      if (counts !== null) counts[user]!++;
      // Of what does not fit, only the counts matter.
      if (next < most) {
        usersInto[next] = user;
        datesInto[next] = datesAt[at]!;
        marksInto[next] = mark;
        hitsInto[next - size] = at;
      }
      next++;
    }
    const fits = Math.min(next, most);
    if (fits > size) combinations?.number(chunk, hits.subarray(0, fits - size), numbers.subarray(size));
    size = next;
  };
  function makeRoom(room: number): void {
    if (users.length >= room) return;
    const length = Math.max(room, 2 * users.length);
    users = copied(users, new Uint32Array(length));
    dates = copied(dates, new Float64Array(length));
    marked = copied(marked, new Uint32Array(length));
    numbers = copied(numbers, new Uint32Array(length));
  }
  await walk.events.each(['user_idx', ...columns, ...(combinations?.columns ?? [])], onChunk);
  return size > most ? null : { from, to, size, users, dates, marks: marked, combinations: numbers };
}

function copied<A extends Uint32Array | Float64Array>(small: A, large: A): A {
  large.set(small);
  return large;
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
interface Sorted extends Pick<Gathered, 'dates' | 'marks' | 'combinations'> {
  readonly starts: Uint32Array;
}

/** Moves what belongs together to one place, once, so that it is read from one end to the other. */
function byUser({ from, to, size, users, dates, marks, combinations }: Gathered): Sorted {
  const starts = new Uint32Array(to - from + 1);
  for (let i = 0; i < size; i++) starts[users[i]! - from + 1]!++;
  for (let user = 0; user < to - from; user++) starts[user + 1]! += starts[user]!;
  const next = starts.slice();
  const sorted = {
    starts,
    dates: new Float64Array(size),
    marks: new Uint32Array(size),
    combinations: new Uint32Array(size),
  };
  for (let i = 0; i < size; i++) {
    const place = next[users[i]! - from]!++;
    sorted.dates[place] = dates[i]!;
    sorted.marks[place] = marks[i]!;
    sorted.combinations[place] = combinations[i]!;
  }
  return sorted;
}

function giveUsers({ starts, dates, marks, combinations }: Sorted, { take, end }: TimelineTaker): void {
  let next = 0;
  for (let user = 1; user < starts.length; user++) {
    const last = starts[user]!;
    if (next === last) continue;
    for (; next < last; next++) take({ date: dates[next]!, combination: combinations[next]! }, marks[next]!);
    end();
  }
}
