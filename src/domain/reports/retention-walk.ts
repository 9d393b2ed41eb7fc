import type { RetentionCalendar, RetentionType } from './report.ts';
import type { Timeline } from './timeline.ts';

/** What one user did, for retention; good until the next user. */
export interface Returns {
  /** How many cohorts the user is in, each once, ascending. */
  readonly memberships: number;
  /** Indexes of the cohorts' intervals in the calendar. */
  readonly cohorts: Int32Array;
  /** The places of the events that made the user one of them. */
  readonly starts: Uint32Array;
  /** In how many intervals there is a returning event, each once, ascending. */
  readonly returns: number;
  /** Their indexes. */
  readonly returned: Int32Array;
}

/** Says of one user after another what it did. Events come in the order of their intervals, starts by date. */
export type RetentionWalk = (timeline: Pick<Timeline, 'begin' | 'end' | 'marks'>) => Returns;

/**
 * What an event is: a start in the period or a return in one of the intervals, plus OF_INTERVAL times the index of its
 * interval in the calendar; or a start before the period.
 */
export const START = 1;
export const RETURN = 2;
export const STARTED_BEFORE = 3;
const KIND_BITS = 2;
export const OF_INTERVAL = 1 << KIND_BITS;
const KIND = OF_INTERVAL - 1;

export function walkRetention(retention: RetentionType, calendar: Pick<RetentionCalendar, 'starts'>): RetentionWalk {
  const intervals = calendar.starts.length;
  const did = {
    memberships: 0,
    cohorts: new Int32Array(intervals),
    starts: new Uint32Array(intervals),
    returns: 0,
    returned: new Int32Array(intervals),
  };
  const isRecurring = retention === 'retention_recurring';
  // The very first start counts even where it keeps a user out.
  const isEver = retention === 'retention_first_time_ever';

  return ({ begin, end, marks }) => {
    const { cohorts, starts, returned } = did;
    let memberships = 0;
    let returns = 0;
    let keptOut = false;
    for (let event = begin; event < end; event += 1) {
      const mark = marks[event]!;
      const interval = mark >>> KIND_BITS;
      switch (mark & KIND) {
        case START:
          if (keptOut || (memberships > 0 && (!isRecurring || cohorts[memberships - 1] === interval))) break;
          cohorts[memberships] = interval;
          starts[memberships++] = event;
          break;
        case RETURN:
          if (returns === 0 || returned[returns - 1] !== interval) returned[returns++] = interval;
          break;
        default:
          keptOut = isEver;
      }
    }
    did.memberships = memberships;
    did.returns = returns;
    return did;
  };
}
