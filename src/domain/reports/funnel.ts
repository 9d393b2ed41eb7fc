import type { FunnelReport, Timeline } from './report.ts';

/** A user's best attempt at a funnel. */
export interface Attempt {
  /** How many steps the attempt took, at least 1. */
  readonly level: number;
  /** The index of its first event: the event of step 1, or of the earliest step if steps come in any order. */
  readonly start: number;
  /** The date of that event, in milliseconds since 1970 UTC. */
  readonly date: number;
  /** The dates of its `level` steps, valid until the next user; empty if steps come in any order. */
  readonly times: ArrayLike<number>;
}

/**
 * Finds the best attempt of a user. Null: no event is a step 1, or any step if steps come in any order. Bit k of an event's
 * mark is set if the event can be step k + 1.
 */
type FunnelFold = (timeline: Timeline) => Attempt | null;

type FunnelRules = Pick<FunnelReport, 'order' | 'windowMs'> & {
  /** How many steps the funnel has, 2 to 20. */
  readonly steps: number;
};

/**
 * Folds funnels whose steps come one after another, in one pass. It keeps one chain of events for each step: of the chains
 * that have taken step k, the one that began last. Its window ends last, so it can do whatever the others can. Each event
 * fills at most one step of a chain, because steps are handled from the last to the first.
 *
 * `ordered`: the earliest later event fills a step. `strict`: only the user's very next event does, so an event ends the
 * chains that it does not continue.
 */
export function orderedFunnel({ order, windowMs, steps }: FunnelRules): FunnelFold {
  /** The index of the first event of each step's chain. */
  const starts = new Int32Array(steps);
  /** The dates of the steps of step k's chain, from index `k * steps`. */
  const times = new Float64Array(steps * steps);
  const bestTimes = new Float64Array(steps);
  const allSteps = (1 << steps) - 1;

  return ({ begin, end, dates, marks }) => {
    /** Bit k is set if step k has a chain. */
    let chains = 0;
    let level = 0;
    let best = begin;
    for (let event = begin; event < end; event += 1) {
      const matches = marks[event]!;
      /** Steps that the event can take: the first one, and each step whose previous step has a chain. */
      const open = matches & ((chains << 1) | 1);
      // A strict funnel checks every step, because the event may end the step's chain.
      for (let rest = order === 'strict' ? allSteps : open; rest !== 0; ) {
        const step = 31 - Math.clz32(rest);
        const bit = 1 << step;
        rest ^= bit;
        const start = step === 0 ? event : starts[step - 1]!;
        const date = dates[event]!;
        if ((open & bit) === 0 || date - dates[start]! > windowMs) {
          if (order === 'strict') chains &= ~bit;
          continue;
        }
        // The same attempt took this step before, with an earlier event.
        if (order === 'ordered' && (chains & bit) !== 0 && starts[step] === start) continue;
        extend(step, start, date);
        chains |= bit;
        if (step + 1 < level) continue;
        level = step + 1;
        best = start;
      }
    }
    if (level === 0) return null;
    // Of several attempts at this level the last is the best. The step's chain is that attempt.
    for (let i = 0; i < level; i += 1) bestTimes[i] = times[(level - 1) * steps + i]!;
    return { level, start: best, date: dates[best]!, times: bestTimes };
  };

  /** Makes the chain of the previous step, with the event added, the chain of `step`. */
  function extend(step: number, start: number, date: number): void {
    const row = step * steps;
    for (let i = 0; i < step; i += 1) times[row + i] = times[row - steps + i]!;
    times[row + step] = date;
    starts[step] = start;
  }
}

/**
 * Folds funnels whose steps come in any order: finds the most steps that different events of one window fill, each event one
 * step. If events can be several steps, this is a bipartite matching. Of the events that can be the same n steps, a matching
 * uses at most n. So only the last n are kept, however many are in the window.
 */
export function unorderedFunnel({ windowMs, steps }: FunnelRules): FunnelFold {
  return ({ begin, end, dates, marks }) => {
    /** Indexes of events by their marks, the latest first. */
    const recent = new Map<number, readonly number[]>();
    let best: Pick<Attempt, 'level' | 'start'> | null = null;
    for (let event = begin; event < end; event += 1) {
      const matches = marks[event]!;
      if (matches === 0) continue;
      recent.set(matches, [event, ...(recent.get(matches) ?? []).slice(0, bits(matches) - 1)]);
      const window = [...recent.values()]
        .flat()
        .filter((earlier) => dates[event]! - dates[earlier]! <= windowMs)
        .sort((a, b) => b - a);
      const attempt = largest(window, marks);
      if (best === null || attempt.level >= best.level) best = attempt;
    }
    return best && { ...best, date: dates[best.start]!, times: [] };
  };

  /**
   * Tries events from the latest to the earliest, and keeps each that fits. Sets of events that can be matched form a
   * matroid, so this greedy choice has the largest size, and of the choices of that size the latest first event.
   */
  function largest(window: readonly number[], marks: Uint32Array): Pick<Attempt, 'level' | 'start'> {
    const filledBy: (number | undefined)[] = new Array(steps).fill(undefined);
    let [level, start] = [0, window[0]!];
    for (const event of window) {
      if (level === steps || !fits(marks[event]!, filledBy, { seen: 0 })) continue;
      level += 1;
      start = event;
    }
    return { level, start };
  }

  /** Finds a step for an event by an augmenting path: it may move other events to other steps that they can be. */
  function fits(kinds: number, filledBy: (number | undefined)[], tried: { seen: number }): boolean {
    for (let step = 0; step < steps; step += 1) {
      const bit = 1 << step;
      if ((kinds & bit) === 0 || (tried.seen & bit) !== 0) continue;
      tried.seen |= bit;
      const other = filledBy[step];
      if (other !== undefined && !fits(other, filledBy, tried)) continue;
      filledBy[step] = kinds;
      return true;
    }
    return false;
  }
}

function bits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** One row of a funnel (decisions.md#report-rows), without its breakdown and label. */
interface StepCounts {
  readonly users: number;
  /** Users who took the previous step but not this one, and have no more time for it. */
  readonly dropped: number;
  /** Users who took the previous step but not yet this one, and still have time. */
  readonly in_progress: number;
  /** Exact median time from the previous step. Null for the first step, without users, and if steps come in any order. */
  readonly median_seconds: number | null;
}

/** Counts users by their best attempts. */
export interface FunnelTally {
  add(attempt: Pick<Attempt, 'level' | 'date' | 'times'>): void;
  /** The counts so far, for another tally to {@link join}. */
  part(): FunnelPart;
  join(part: FunnelPart): void;
  steps(): StepCounts[];
}

/** By step: numbers of users, and their times from the previous step in milliseconds. */
type FunnelPart = readonly (Omit<StepCounts, 'median_seconds'> & { readonly waits: Float64Array })[];

export interface FunnelClock {
  readonly windowMs: number;
  /** The end of the period, and the current time, in milliseconds since 1970 UTC. */
  readonly to: number;
  readonly now: number;
}

/** Keeps a few numbers for each step and, for the medians, one number for each user and step. */
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
      if (missed !== undefined) missed[missedAs(date, clock)] += 1;
    },
    part: () => rows.map(({ waits, ...counts }) => ({ ...counts, waits: Float64Array.from(waits) })),
    join(part) {
      for (const [step, { users, dropped, in_progress, waits }] of part.entries()) {
        const row = rows[step]!;
        row.users += users;
        row.dropped += dropped;
        row.in_progress += in_progress;
        for (const wait of waits) row.waits.push(wait);
      }
    },
    steps: () => rows.map(({ waits, ...counts }) => ({ ...counts, median_seconds: medianSeconds(waits) })),
  };
}

export const ATTEMPT_STATES = ['reached', 'dropped', 'in_progress'] as const;
/** The state of an attempt at a step: taken; or not taken by a user who took the step before, without or with time left. */
export type AttemptState = (typeof ATTEMPT_STATES)[number];

/** The number of the step's row that counts the attempt. Null: no number does. @param step from 1 */
export function stateAt(
  step: number,
  { level, date }: Pick<Attempt, 'level' | 'date'>,
  clock: FunnelClock,
): AttemptState | null {
  if (level >= step) return 'reached';
  return level === step - 1 ? missedAs(date, clock) : null;
}

function missedAs(date: number, { now, windowMs, to }: FunnelClock): 'in_progress' | 'dropped' {
  return now < date + windowMs && now < to ? 'in_progress' : 'dropped';
}

function medianSeconds(waits: readonly number[]): number | null {
  if (waits.length === 0) return null;
  const sorted = Float64Array.from(waits).sort();
  return (sorted[Math.ceil(sorted.length / 2) - 1]! + sorted[Math.floor(sorted.length / 2)]!) / 2000;
}
