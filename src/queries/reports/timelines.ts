import type { Timeline } from '../../domain/reports/timeline.ts';
import { type Chunk, type ColumnName, numbersOf, placesOf } from '../../projections/events/packed/chunk.ts';
import type { Combinations } from './combinations.ts';
import { type Group, Heaps, NONE, type Part, UNDATED } from './heaps.ts';
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
        for (const { ends, dates, marks, combinations } of parts)
          for (const array of [ends, dates, marks, combinations]) walk.arrays.free(array);
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

interface Gathered {
  /** Users in their order. None if there are more events than fit. */
  readonly parts: readonly Part[];
  /** How many events each user of the group has, if there are more than fit. */
  readonly counts: Uint32Array | null;
}

async function gather(
  walk: Walk,
  { columns, dated, hits, combinations }: TimelineOptions,
  group: Group,
  { most, together }: Limits,
): Promise<Gathered> {
  const heaps = new Heaps({ arrays: walk.arrays, group, together, dated, brokenDown: combinations !== null });
  const isPart = group.to - group.from < walk.users;
  let counts: Uint32Array | null = null;
  let size = 0;
  let own = new Uint32Array(0);
  let numbers = new Uint32Array(0);

  /** Those of users of the group. */
  function ownOf(positions: Positions, users: Uint32Array): Positions {
    own = atLeast(own, positions.length);
    let found = 0;
    for (let i = 0; i < positions.length; i++) {
      const at = positions[i]!;
      const user = users[at]!;
      if (user >= group.from && user < group.to) own[found++] = at;
    }
    return own.subarray(0, found);
  }

  function numbersOfCombinations(chunk: Chunk, positions: Positions): Uint32Array {
    if (combinations === null) return NONE;
    numbers = atLeast(numbers, positions.length);
    combinations.number(chunk, positions, numbers);
    return numbers;
  }

  /** Of what does not fit, only how many each user has matters, and what was held so far is not needed. */
  function count(users: Uint32Array, positions: Positions): void {
    if (counts === null) {
      counts = new Uint32Array(group.to - group.from);
      heaps.count(counts);
      heaps.free();
    }
    for (let i = 0; i < positions.length; i++) counts[users[positions[i]!]! - group.from]!++;
  }

  await walk.events.each(['user_idx', ...columns, ...(combinations?.columns ?? [])], (chunk, begin, end) => {
    const users = placesOf(chunk, 'user_idx');
    const dates = dated ? numbersOf(chunk, 'date') : UNDATED;
    hits(chunk, begin, end, (found, mark) => {
      const positions = isPart ? ownOf(found, users) : found;
      size += positions.length;
      if (size > most) count(users, positions);
      else heaps.add({ positions, users, dates, mark, combinations: numbersOfCombinations(chunk, positions) });
    });
  });
  return { parts: heaps.sort(), counts };
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

function giveUsers(parts: readonly Part[], onUser: (timeline: BrokenDown) => void): void {
  for (const { ends, ...columns } of parts) {
    const timeline = { begin: 0, end: 0, ...columns };
    for (let user = 0; user < ends.length; user++) {
      timeline.begin = timeline.end;
      timeline.end = ends[user]!;
      if (timeline.begin < timeline.end) onUser(timeline);
    }
  }
}
