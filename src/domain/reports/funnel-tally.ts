import type { Attempt } from './funnel-attempt.ts';

/** One row of a funnel (decisions.md#report-rows), without its breakdown and label. */
export interface StepCounts {
  readonly users: number;
  /** Of those that took the step before: missed this one, and have no more time for it. */
  readonly dropped: number;
  /** Missed it so far. */
  readonly in_progress: number;
  /** Median time from the step before, exact; null for the first step, for none, and where steps have no order. */
  readonly median_seconds: number | null;
}

/** Adds up the best attempts of users. */
export interface FunnelTally {
  add(attempt: Pick<Attempt, 'level' | 'date' | 'times'>): void;
  steps(): StepCounts[];
}

export interface FunnelClock {
  readonly windowMs: number;
  /** End of the period, and the present; milliseconds since 1970 UTC. */
  readonly to: number;
  readonly now: number;
}

/** Keeps one number a user and step for the medians, else a few a step. */
export function funnelTally(steps: number, clock: FunnelClock): FunnelTally {
  const rows = Array.from({ length: steps }, () => ({ users: 0, dropped: 0, in_progress: 0, waits: [] as number[] }));
  return {
    add({ level, date, times }) {
      for (let step = 0; step < level; step += 1) {
        const row = rows[step]!;
        row.users += 1;
        if (step > 0 && times.length > 0) row.waits.push(times[step]! - times[step - 1]!);
      }
      const missed = rows[level];
      if (missed === undefined) return;
      const hasTime = clock.now < date + clock.windowMs && clock.now < clock.to;
      missed[hasTime ? 'in_progress' : 'dropped'] += 1;
    },
    steps: () => rows.map(({ waits, ...counts }) => ({ ...counts, median_seconds: medianSeconds(waits) })),
  };
}

function medianSeconds(waits: readonly number[]): number | null {
  if (waits.length === 0) return null;
  const sorted = Float64Array.from(waits).sort();
  return (sorted[Math.ceil(sorted.length / 2) - 1]! + sorted[Math.floor(sorted.length / 2)]!) / 2000;
}
