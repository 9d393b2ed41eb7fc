import type { RetentionCalendar, RetentionType, Timeline } from './report.ts';

/** The cohorts and returns of one user; valid until the next user. */
export interface UserRetention {
  /** How many cohorts the user belongs to. */
  readonly memberships: number;
  /** Indexes of the cohorts' intervals in the calendar, ascending, `memberships` of them. */
  readonly cohorts: Int32Array;
  /** For each membership, the index of the event that made the user a member. */
  readonly starts: Uint32Array;
  /** In how many intervals the user has a returning event. */
  readonly returns: number;
  /** Indexes of those intervals, ascending, `returns` of them. */
  readonly returned: Int32Array;
}

/** Folds the events of one user. Events must come in the order of their intervals, and starts by date. */
type RetentionFold = (timeline: Pick<Timeline, 'begin' | 'end' | 'marks'>) => UserRetention;

/**
 * Marks of events: START (in the period) or RETURN, plus PER_INTERVAL times the index of the interval in the calendar; or
 * STARTED_BEFORE, a start before the period.
 */
export const START = 1;
export const RETURN = 2;
export const STARTED_BEFORE = 3;
const KIND_BITS = 2;
export const PER_INTERVAL = 1 << KIND_BITS;
const KIND = PER_INTERVAL - 1;

export function retentionFold(retention: RetentionType, calendar: Pick<RetentionCalendar, 'starts'>): RetentionFold {
  const intervals = calendar.starts.length;
  const user = {
    memberships: 0,
    cohorts: new Int32Array(intervals),
    starts: new Uint32Array(intervals),
    returns: 0,
    returned: new Int32Array(intervals),
  };
  const isRecurring = retention === 'retention_recurring';
  // A first start ever before the period excludes the user.
  const isEver = retention === 'retention_first_time_ever';

  return ({ begin, end, marks }) => {
    const { cohorts, starts, returned } = user;
    let memberships = 0;
    let returns = 0;
    let isExcluded = false;
    for (let event = begin; event < end; event += 1) {
      const mark = marks[event]!;
      const interval = mark >>> KIND_BITS;
      switch (mark & KIND) {
        case START:
          if (isExcluded || (memberships > 0 && (!isRecurring || cohorts[memberships - 1] === interval))) break;
          cohorts[memberships] = interval;
          starts[memberships++] = event;
          break;
        case RETURN:
          if (returns === 0 || returned[returns - 1] !== interval) returned[returns++] = interval;
          break;
        default:
          isExcluded = isEver;
      }
    }
    user.memberships = memberships;
    user.returns = returns;
    return user;
  };
}

/** One row of retention (decisions.md#report-rows), without its breakdown. */
interface CohortCounts {
  readonly size: number;
  /** For each interval from the cohort's own: how many members returned in it. Null: the interval has not begun. */
  readonly users: readonly (number | null)[];
}

/** Counts the members of cohorts, and their returns. */
export interface RetentionTally {
  /** Adds a member of a cohort. */
  add(cohort: number, user: Pick<UserRetention, 'returns' | 'returned'>): void;
  /** The counts so far, for another tally to {@link join}. */
  part(): RetentionPart;
  join(part: RetentionPart): void;
  /** The counts of a cohort, empty or not, by its index in the calendar. */
  cohort(index: number): CohortCounts;
}

interface RetentionPart {
  readonly sizes: Uint32Array;
  readonly users: Uint32Array;
}

/** Whether a member of a cohort returned in one of its intervals, as {@link retentionTally} counts it. */
export function hasReturned(
  { returns, returned }: Pick<UserRetention, 'returns' | 'returned'>,
  cohort: number,
  interval: number,
): boolean {
  return returned.subarray(0, returns).includes(cohort + interval);
}

/** Keeps a number for each interval of each cohort. `now`: milliseconds since 1970 UTC. */
export function retentionTally({ starts, cohorts, intervals }: RetentionCalendar, now: number): RetentionTally {
  const sizes = new Uint32Array(cohorts);
  const users = new Uint32Array(cohorts * intervals);
  return {
    add(cohort, { returns, returned }) {
      sizes[cohort]! += 1;
      for (let i = 0; i < returns; i += 1) {
        const cell = returned[i]! - cohort;
        if (cell >= 0 && cell < intervals) users[cohort * intervals + cell]! += 1;
      }
    },
    part: () => ({ sizes, users }),
    join(part) {
      for (const [i, size] of part.sizes.entries()) sizes[i]! += size;
      for (const [i, count] of part.users.entries()) users[i]! += count;
    },
    cohort(index) {
      const cells = Array.from({ length: intervals }, (_, cell) =>
        starts[index + cell]! > now ? null : users[index * intervals + cell]!,
      );
      return { size: sizes[index]!, users: cells };
    },
  };
}
