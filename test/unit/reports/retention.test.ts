import { describe, expect, it } from 'vitest';
import type { RetentionType } from '../../../src/domain/reports/report.ts';
import {
  PER_INTERVAL,
  RETURN,
  retentionFold,
  retentionTally,
  START,
  STARTED_BEFORE,
} from '../../../src/domain/reports/retention.ts';

const calendar = { starts: [10, 20, 30, 40, 50, 60], cohorts: 3, intervals: 3 };

/**
 * S: start, R: return, each with its interval; B: start before the period.
 * @returns cohorts with the indexes of their starts, and intervals with returns
 */
function foldOf(retention: RetentionType, events: string) {
  const kinds: Record<string, number> = { S: START, R: RETURN, B: STARTED_BEFORE };
  const all = events.split(' ');
  const marks = Uint32Array.from(all, ([kind, interval]) => kinds[kind!]! + PER_INTERVAL * Number(interval ?? 0));
  const user = retentionFold(retention, calendar)({ begin: 0, end: all.length, marks });
  const cohorts = Array.from({ length: user.memberships }, (_, i) => [user.cohorts[i], user.starts[i]]);
  return { cohorts, returned: [...user.returned.subarray(0, user.returns)] };
}

describe('cohorts', () => {
  it.each<[RetentionType, string, number[][]]>([
    ['retention_first_time', 'S0 S0 S2', [[0, 0]]],
    ['retention_first_time', 'R0 S1 S2', [[1, 1]]],
    ['retention_first_time', 'R0 R1', []],
    ['retention_first_time_ever', 'B S0 S2', []],
    ['retention_first_time_ever', 'R0 S0 S2', [[0, 1]]],
    [
      'retention_recurring',
      'S0 S0 R1 S2 S2',
      [
        [0, 0],
        [2, 3],
      ],
    ],
  ])('%s of %s', (retention, events, cohorts) => {
    expect(foldOf(retention, events).cohorts).toEqual(cohorts);
  });
});

it('counts returns once an interval, also before the start and without a cohort', () => {
  expect(foldOf('retention_first_time', 'R0 R0 S1 R1 R3 R3 R4').returned).toEqual([0, 1, 3, 4]);
  expect(foldOf('retention_first_time_ever', 'B R0 S0 R2').returned).toEqual([0, 2]);
});

it('keeps nothing of one user for the next', () => {
  const marks = Uint32Array.from([STARTED_BEFORE, START, RETURN, START + PER_INTERVAL]);
  const fold = retentionFold('retention_first_time_ever', calendar);
  expect(fold({ begin: 0, end: 3, marks })).toMatchObject({ memberships: 0, returns: 1 });
  expect(fold({ begin: 3, end: 4, marks })).toMatchObject({ memberships: 1, returns: 0 });
});

describe('cells', () => {
  it('count the cohort’s users by interval; an interval that has not begun is null', () => {
    const tally = retentionTally(calendar, 39);
    const returning = (...intervals: number[]) => ({ returns: intervals.length, returned: Int32Array.from(intervals) });
    tally.add(0, returning(0, 2, 4));
    tally.add(0, returning(2));
    tally.add(2, returning(0, 2));
    expect([0, 1, 2].map((index) => tally.cohort(index))).toEqual([
      { size: 2, users: [1, 0, 2] },
      { size: 0, users: [0, 0, null] },
      { size: 1, users: [1, null, null] },
    ]);
  });

  it('an interval begins with its first millisecond', () => {
    expect(retentionTally(calendar, 40).cohort(2).users).toEqual([0, 0, null]);
  });
});
