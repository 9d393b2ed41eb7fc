import type { Row } from './answer.ts';
import type { Granularity } from './state.ts';

const DAY_MS = 86_400_000;
const DAYS_OF: Readonly<Partial<Record<Granularity, number>>> = { day: 1, week: 7 };

/** Digits of a local time as milliseconds, so that a change of the clocks moves no midnight. */
const digits = (local: string): number => Date.parse(`${local.slice(0, 19).replace(' ', 'T')}Z`);

/**
 * Whether interval `n` of a cohort has been counted to its end.
 * @param cohort the start of interval 0, as the answer has it
 * @param dataAsOf how far the answer has counted, in the same zone
 */
export function isOver(cohort: string, n: number, granularity: Granularity, dataAsOf: string): boolean {
  return digits(cohort) + (n + 1) * DAYS_OF[granularity]! * DAY_MS <= digits(dataAsOf);
}

/** The share of interval `n` among the users of all cohorts whose interval is over; null: of none it is over. */
export function averageOf(rows: readonly Row[], n: number, granularity: Granularity, dataAsOf: string): number | null {
  const over = rows.filter((row) => isOver(String(row['cohort']), n, granularity, dataAsOf));
  const sum = (key: string): number => over.reduce((all, row) => all + Number(row[key]), 0);
  const size = sum('size');
  return size === 0 ? null : sum(`users_${n}`) / size;
}
