import { describe, expect, it } from 'vitest';
import type { RetentionType } from '../../../src/domain/report/report.ts';
import { retentionTally } from '../../../src/domain/report/retention-tally.ts';
import { walkRetention } from '../../../src/domain/report/retention-walk.ts';

/** Intervals are tens; the period begins within the second and has three cohorts, of three intervals each. */
const calendar = { starts: [10, 20, 30, 40, 50, 60], cohorts: 3, intervals: 3 };
const period = { from: 15, to: 35 };

/** S: start, R: return, B: both, each with its date. @returns cohorts with the dates of their starts, and intervals. */
function walked(retention: RetentionType, events: string) {
  const walk = walkRetention<{ date: number }>({ retention, calendar, period });
  for (const [letter, ...date] of events.split(' ').map((event) => [...event]))
    walk.take({ date: Number(date.join('')) }, { start: 'SB'.includes(letter!), returning: 'RB'.includes(letter!) });
  const { memberships, returned } = walk.returns();
  return { cohorts: memberships.map(({ cohort, start }) => [cohort, start.date]), returned };
}

describe('cohorts', () => {
  it.each<[RetentionType, string, number[][]]>([
    ['retention_first_time', 'S14 S16 S17 S31', [[0, 16]]],
    ['retention_first_time', 'S14 S35', []],
    ['retention_first_time_ever', 'S14 S16 S31', []],
    ['retention_first_time_ever', 'S5 S16', []],
    ['retention_first_time_ever', 'R5 S16 S31', [[0, 16]]],
    [
      'retention_recurring',
      'S14 S16 S17 S31 S32 S35',
      [
        [0, 16],
        [2, 31],
      ],
    ],
  ])('%s of %s', (retention, events, cohorts) => {
    expect(walked(retention, events).cohorts).toEqual(cohorts);
  });
});

it('returns count anywhere in their interval, even before the start and outside the period', () => {
  expect(walked('retention_first_time', 'R9 R10 R11 S16 B20 R49 R59 R60').returned).toEqual([0, 1, 3, 4]);
});

describe('cells', () => {
  it('count users of the cohort, interval by interval; those that have not begun are null', () => {
    const tally = retentionTally(calendar, 39);
    tally.add({ cohort: 0, start: null }, [0, 2, 4]);
    tally.add({ cohort: 0, start: null }, [2]);
    tally.add({ cohort: 2, start: null }, [0, 2]);
    expect([0, 1, 2].map((index) => tally.cohort(index))).toEqual([
      { size: 2, users: [1, 0, 2] },
      { size: 0, users: [0, 0, null] },
      { size: 1, users: [1, null, null] },
    ]);
  });

  it('an interval has begun at its first millisecond', () => {
    expect(retentionTally(calendar, 40).cohort(2).users).toEqual([0, 0, null]);
  });
});
