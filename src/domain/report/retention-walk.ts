import type { RetentionCalendar, RetentionType } from './report.ts';

/** A user's place in a cohort. */
export interface Membership<E> {
  /** Index of the cohort's interval in the calendar. */
  readonly cohort: number;
  /** The event that made it one. */
  readonly start: E;
}

/** What one user did, for retention. */
export interface Returns<E> {
  /** At most one a cohort, ascending. */
  readonly memberships: readonly Membership<E>[];
  /** Indexes of the intervals with a returning event, ascending, each once. */
  readonly returned: readonly number[];
}

/** Walks the events of one user after another, each in the order of a timeline. */
export interface RetentionWalk<E> {
  take(event: E, is: { readonly start: boolean; readonly returning: boolean }): void;
  returns(): Returns<E>;
  /** What comes is the next user's. */
  reset(): void;
}

export interface RetentionRules {
  readonly retention: RetentionType;
  readonly calendar: RetentionCalendar;
  /** Only starts in it count; returns count anywhere in their interval. */
  readonly period: { readonly from: number; readonly to: number };
}

export function walkRetention<E extends { readonly date: number }>({
  retention,
  calendar: { starts },
  period,
}: RetentionRules): RetentionWalk<E> {
  let memberships: Membership<E>[] = [];
  let returned: number[] = [];
  /** The interval of the current event; -1 before the first. Events come by date, so it only moves forward. */
  let interval = -1;
  let started = false;

  return {
    take(event, is) {
      while (interval + 1 < starts.length && event.date >= starts[interval + 1]!) interval += 1;
      if (is.start) start(event);
      const inCalendar = interval >= 0 && interval < starts.length - 1;
      if (is.returning && inCalendar && returned.at(-1) !== interval) returned.push(interval);
    },
    returns: () => ({ memberships, returned }),
    reset() {
      memberships = [];
      returned = [];
      interval = -1;
      started = false;
    },
  };

  function start(event: E): void {
    const inPeriod = event.date >= period.from && event.date < period.to;
    // The very first start counts even where it keeps a user out.
    if (!inPeriod && retention !== 'retention_first_time_ever') return;
    const isNew = retention === 'retention_recurring' ? memberships.at(-1)?.cohort !== interval : !started;
    started = true;
    if (inPeriod && isNew) memberships.push({ cohort: interval, start: event });
  }
}
