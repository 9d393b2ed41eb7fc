import type { RetentionCalendar } from './report.ts';
import type { Returns } from './retention-walk.ts';

/** One row of retention (decisions.md#report-rows), without its breakdown. */
export interface CohortCounts {
  readonly size: number;
  /** By interval, the cohort's own first: how many came back in it; null: it has not begun. */
  readonly users: readonly (number | null)[];
}

/** Adds up what users did. */
export interface RetentionTally {
  add(cohort: number, did: Pick<Returns, 'returns' | 'returned'>): void;
  /** By its index in the calendar, an empty one too. */
  cohort(index: number): CohortCounts;
}

/** Keeps a number for every interval of every cohort. `now`: milliseconds since 1970 UTC. */
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
    cohort(index) {
      const cells = Array.from({ length: intervals }, (_, cell) =>
        starts[index + cell]! > now ? null : users[index * intervals + cell]!,
      );
      return { size: sizes[index]!, users: cells };
    },
  };
}
