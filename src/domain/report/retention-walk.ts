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

/** Says of one user after another what it did. */
export type RetentionWalk = (timeline: Timeline) => Returns;

/** What an event can be: bits of its mark. */
export const START = 1;
export const RETURN = 2;

export interface RetentionRules {
  readonly retention: RetentionType;
  readonly calendar: RetentionCalendar;
  /** Only starts in it count; returns count anywhere in their interval. */
  readonly period: { readonly from: number; readonly to: number };
}

export function walkRetention({ retention, calendar, period }: RetentionRules): RetentionWalk {
  const starts = Float64Array.from(calendar.starts);
  const last = starts.length - 1;
  const length = (starts[last]! - starts[0]!) / last;
  const did = {
    memberships: 0,
    cohorts: new Int32Array(starts.length),
    starts: new Uint32Array(starts.length),
    returns: 0,
    returned: new Int32Array(starts.length),
  };

  return ({ begin, end, dates, marks }) => {
    let memberships = 0;
    let returns = 0;
    /** The interval of the current event; -1 before the first. Events come by date, so it only moves forward. */
    let interval = -1;
    let started = false;
    for (let event = begin; event < end; event += 1) {
      const date = dates[event]!;
      if (interval < last && date >= starts[interval + 1]!) interval = intervalOf(date);
      const mark = marks[event]!;
      if ((mark & START) !== 0) {
        const inPeriod = date >= period.from && date < period.to;
        // The very first start counts even where it keeps a user out.
        if (inPeriod || retention === 'retention_first_time_ever') {
          const inCohort = memberships > 0 && did.cohorts[memberships - 1] === interval;
          const isNew = retention === 'retention_recurring' ? !inCohort : !started;
          started = true;
          if (inPeriod && isNew) {
            did.cohorts[memberships] = interval;
            did.starts[memberships++] = event;
          }
        }
      }
      if ((mark & RETURN) === 0 || interval < 0 || interval >= last) continue;
      if (returns === 0 || did.returned[returns - 1] !== interval) did.returned[returns++] = interval;
    }
    did.memberships = memberships;
    did.returns = returns;
    return did;
  };

  /** The last interval that has begun at `date`. They are about as long as each other, so a guess is close. */
  function intervalOf(date: number): number {
    let interval = Math.min(last, Math.floor((date - starts[0]!) / length));
    while (starts[interval]! > date) interval -= 1;
    while (interval < last && starts[interval + 1]! <= date) interval += 1;
    return interval;
  }
}
