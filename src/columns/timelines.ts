import type { Timeline } from '../domain/reports/report.ts';
import { atLeast } from './array-pool.ts';
import { type Chunk, type ColumnName, indexesOf, numbersOf } from './chunk.ts';
import type { Combinations } from './combinations.ts';
import type { ScanSource } from './event-source.ts';
import type { Positions } from './positions.ts';
import { NO_DATES, NO_NUMBERS, type SortedBin, UserBins, type UserRange } from './user-bins.ts';

/** The selection of events for users' timelines, and the fields that are kept of each. */
export interface TimelineOptions {
  readonly columns: readonly ColumnName[];
  /** Whether the folds of timelines need dates. */
  readonly dated: boolean;
  /**
   * Calls `add` with the events to keep, from position `begin` to before `end`. The order of the calls decides the order of
   * each user's events.
   */
  readonly select: (chunk: Chunk, begin: number, end: number, add: AddEvents) => void;
  readonly combinations: Combinations | null;
}

/** @param mark of all events, or marks by position */
type AddEvents = (positions: Positions, mark: number | Uint32Array) => void;

/** The timeline of one user, with the numbers of its events' combinations; empty without a breakdown. */
interface UserTimeline extends Timeline {
  readonly combinations: Uint32Array;
  /** The user's index among the bot's users. */
  readonly user: number;
}

interface Timelines {
  /** Calls `onUser` for one user after another. May be called again. */
  each(onUser: (timeline: UserTimeline) => void): Promise<void>;
}

/**
 * Sorts events by user. Up to `maxEvents` are held in memory, 8 to 40 bytes each. If there are more, each call of `each`
 * takes the users in ranges, and scans all events once for each range.
 */
export async function gatherTimelines(
  scan: ScanSource,
  options: TimelineOptions,
  { maxEvents, usersPerBin }: TimelineLimits = { maxEvents: 2 ** 22, usersPerBin: 2 ** 15 },
): Promise<Timelines> {
  const allUsers = { from: 0, to: scan.events.users };
  const { bins, counts } = await gather(scan, options, allUsers, { maxEvents, usersPerBin });
  if (counts === null) return { each: async (onUser) => eachUser(bins, 0, onUser) };
  const ranges = userRanges(counts, maxEvents);
  return {
    async each(onUser) {
      for (const range of ranges) {
        const { bins } = await gather(scan, options, range, { maxEvents: Number.POSITIVE_INFINITY, usersPerBin });
        eachUser(bins, range.from, onUser);
        for (const { ends, dates, marks, combinations } of bins)
          for (const array of [ends, dates, marks, combinations]) scan.arrays.free(array);
      }
    },
  };
}

export interface TimelineLimits {
  /** Events held in memory at once. */
  readonly maxEvents: number;
  /** See {@link UserBinsOptions}. */
  readonly usersPerBin: number;
}

interface Gathered {
  /** In the order of users; empty if there are more than `maxEvents`. */
  readonly bins: readonly SortedBin[];
  /** The number of events of each user of the range, if there are more than `maxEvents`; else null. */
  readonly counts: Uint32Array | null;
}

async function gather(
  scan: ScanSource,
  { columns, dated, select, combinations }: TimelineOptions,
  range: UserRange,
  { maxEvents, usersPerBin }: TimelineLimits,
): Promise<Gathered> {
  const bins = new UserBins({
    arrays: scan.arrays,
    users: range,
    usersPerBin,
    dated,
    brokenDown: combinations !== null,
  });
  const isSubset = range.to - range.from < scan.events.users;
  let counts: Uint32Array | null = null;
  let size = 0;
  let own = new Uint32Array(0);
  let numbers = new Uint32Array(0);

  /** The positions of events of users of the range. */
  function inRange(positions: Positions, users: Uint32Array): Positions {
    own = atLeast(own, positions.length);
    let found = 0;
    for (let i = 0; i < positions.length; i++) {
      const at = positions[i]!;
      const user = users[at]!;
      if (user >= range.from && user < range.to) own[found++] = at;
    }
    return own.subarray(0, found);
  }

  function combinationNumbers(chunk: Chunk, positions: Positions): Uint32Array {
    if (combinations === null) return NO_NUMBERS;
    numbers = atLeast(numbers, positions.length);
    combinations.number(chunk, positions, numbers);
    return numbers;
  }

  /** Counts events of each user, after dropping the events held so far: there are too many to hold all. */
  function count(users: Uint32Array, positions: Positions): void {
    if (counts === null) {
      counts = new Uint32Array(range.to - range.from);
      bins.count(counts);
      bins.free();
    }
    for (let i = 0; i < positions.length; i++) counts[users[positions[i]!]! - range.from]!++;
  }

  await scan.events.each(['user_idx', ...columns, ...(combinations?.columns ?? [])], (chunk, begin, end) => {
    const users = indexesOf(chunk, 'user_idx');
    const dates = dated ? numbersOf(chunk, 'date') : NO_DATES;
    select(chunk, begin, end, (found, mark) => {
      const positions = isSubset ? inRange(found, users) : found;
      size += positions.length;
      if (size > maxEvents) count(users, positions);
      else bins.add({ positions, users, dates, mark, combinations: combinationNumbers(chunk, positions) });
    });
  });
  return { bins: bins.sort(), counts };
}

/** Ranges of users with at most `maxEvents` together; a user with more has a range for itself. */
function userRanges(counts: Uint32Array, maxEvents: number): UserRange[] {
  const ranges: UserRange[] = [];
  let from = 0;
  let events = 0;
  for (let user = 0; user < counts.length; user++) {
    if (events + counts[user]! > maxEvents && user > from) {
      ranges.push({ from, to: user });
      from = user;
      events = 0;
    }
    events += counts[user]!;
  }
  return [...ranges, { from, to: counts.length }];
}

/** Calls `onUser` for each user that has events, always with the same object. @param first index of the bins' first user */
function eachUser(bins: readonly SortedBin[], first: number, onUser: (timeline: UserTimeline) => void): void {
  let from = first;
  for (const { ends, ...columns } of bins) {
    const timeline = { begin: 0, end: 0, user: 0, ...columns };
    for (let user = 0; user < ends.length; user++) {
      timeline.begin = timeline.end;
      timeline.end = ends[user]!;
      timeline.user = from + user;
      if (timeline.begin < timeline.end) onUser(timeline);
    }
    from += ends.length;
  }
}
