import type { Attempt, FunnelRules, FunnelWalk } from './funnel-attempt.ts';

/**
 * Funnels whose steps come in any order: the most steps that different events of one window fill, each event one step.
 * Where an event can be several steps that is a matching, and more events that can be the same n steps than n of them
 * never make it larger: so only the last n of each kind are remembered, however many there are in the window.
 */
export function walkInAnyOrder({ windowMs, steps }: FunnelRules): FunnelWalk {
  return ({ begin, end, dates, marks }) => {
    /** Places of events by the steps that they can be, the latest first. */
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
   * Events are tried from the latest back, and one that fits in is kept: that gives as many as any choice does, and of
   * the choices of so many the one whose earliest event is latest (what can be matched is a matroid).
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

  /** Finds a step for an event, if need be by moving others to other steps of theirs. */
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
