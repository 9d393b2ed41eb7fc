import { describe, expect, it } from 'vitest';
import type { RetentionType } from '../../../src/domain/report/report.ts';
import { retentionTally } from '../../../src/domain/report/retention-tally.ts';
import { RETURN, START, walkRetention } from '../../../src/domain/report/retention-walk.ts';

/** Intervals are tens; the period begins within the second and has three cohorts, of three intervals each. */
const calendar = { starts: [10, 20, 30, 40, 50, 60], cohorts: 3, intervals: 3 };
const period = { from: 15, to: 35 };

/** S: start, R: return, B: both, each with its date. @returns cohorts with the dates of their starts, and intervals. */
function walked(retention: RetentionType, events: string, starts: readonly number[] = calendar.starts) {
  const all = events.split(' ').map(([letter, ...date]) => ({ letter: letter!, date: Number(date.join('')) }));
  const dates = Float64Array.from(all, ({ date }) => date);
  const marks = Uint32Array.from(
    all,
    ({ letter }) => ('SB'.includes(letter) ? START : 0) | ('RB'.includes(letter) ? RETURN : 0),
  );
  const walk = walkRetention({ retention, calendar: { ...calendar, starts }, period });
  const did = walk({ begin: 0, end: all.length, dates, marks });
  const cohorts = Array.from({ length: did.memberships }, (_, i) => [did.cohorts[i], dates[did.starts[i]!]]);
  return { cohorts, returned: [...did.returned.subarray(0, did.returns)] };
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

it('intervals may be of any length', () => {
  const starts = [10, 12, 40, 41, 60];
  const intervals = ['R10', 'R11', 'R12', 'R39', 'R40', 'R41', 'R59', 'R60', 'R10 R41', 'R12 R13 R40', 'S39'];
  expect(intervals.map((events) => walked('retention_first_time', events, starts).returned)).toEqual([
    [0],
    [0],
    [1],
    [1],
    [2],
    [3],
    [3],
    [],
    [0, 3],
    [1, 2],
    [],
  ]);
});

describe('cells', () => {
  it('count users of the cohort, interval by interval; those that have not begun are null', () => {
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

  it('an interval has begun at its first millisecond', () => {
    expect(retentionTally(calendar, 40).cohort(2).users).toEqual([0, 0, null]);
  });
});
