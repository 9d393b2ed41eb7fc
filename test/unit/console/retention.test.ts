import { describe, expect, it } from 'vitest';
import type { Row } from '../../../console/src/reports/answer.ts';
import { averageOf, isOver } from '../../../console/src/reports/retention-cells.ts';

/** Three cohorts of days; the last two intervals of the diagonal still run at noon of the 4th. */
const ROWS: readonly Row[] = [
  {
    cohort: '2026-03-01T00:00:00+01:00',
    size: 100,
    users_0: 100,
    share_0: 1,
    users_1: 70,
    share_1: 0.7,
    users_2: 60,
    share_2: 0.6,
  },
  {
    cohort: '2026-03-02T00:00:00+01:00',
    size: 300,
    users_0: 300,
    share_0: 1,
    users_1: 190,
    share_1: 0.633,
    users_2: 5,
    share_2: 0.017,
  },
  {
    cohort: '2026-03-03T00:00:00+01:00',
    size: 50,
    users_0: 50,
    share_0: 1,
    users_1: 1,
    share_1: 0.02,
    users_2: null,
    share_2: null,
  },
];
const NOON = '2026-03-04T12:00:00+01:00';

describe('a cell of retention', () => {
  it.each([
    ['day', '2026-03-01T00:00:00+01:00', 2, '2026-03-03T23:59:59+01:00', false],
    ['day', '2026-03-01T00:00:00+01:00', 2, '2026-03-04T00:00:00+01:00', true],
    ['week', '2026-03-02T00:00:00+01:00', 0, '2026-03-08T23:00:00+01:00', false],
    ['week', '2026-03-02T00:00:00+01:00', 0, '2026-03-09T00:00:00+01:00', true],
    // The clocks change on the 29th; the interval still ends at midnight.
    ['week', '2026-03-23T00:00:00+01:00', 0, '2026-03-29T23:30:00+02:00', false],
    ['week', '2026-03-23T00:00:00+01:00', 0, '2026-03-30T00:00:00+02:00', true],
  ] as const)(
    'is over when its interval has been counted to its end: %s from %s, %i, at %s',
    (by, cohort, n, at, over) => {
      expect(isOver(cohort, n, by, at)).toBe(over);
    },
  );

  it('is left out of the average while its interval runs', () => {
    const average = (n: number): number | null => averageOf(ROWS, n, 'day', NOON);
    expect(average(0)).toBe(1);
    expect(average(1)).toBe((70 + 190) / 400);
    expect(average(2)).toBe(0.6);
  });

  it('has no average where no interval is over', () => {
    expect(averageOf(ROWS.slice(2), 1, 'day', NOON)).toBeNull();
  });
});
