import type { Attempt, FunnelRules, FunnelWalk } from './funnel-attempt.ts';

/**
 * Funnels whose steps come in any order: the most steps that different events of one window fill, each event one step.
 * Where an event can be several steps that is a matching, and more events that can be the same n steps than n of them
 * never make it larger: so only the last n of each kind are remembered, however many there are in the window.
 */
export function walkInAnyOrder<E extends { readonly date: number }>({ windowMs, steps }: FunnelRules): FunnelWalk<E> {
  /** By the steps that they can be, the latest first. */
  const recent = new Map<number, { readonly event: E; readonly place: number }[]>();
  let taken = 0;
  let best: Attempt<E> | null = null;

  return {
    take(event, matches) {
      if (matches === 0) return;
      taken += 1;
      const alike = recent.get(matches) ?? [];
      recent.set(matches, [{ event, place: taken }, ...alike.slice(0, bits(matches) - 1)]);
      const window = [...recent]
        .flatMap(([kinds, events]) => events.map((each) => ({ ...each, kinds })))
        .filter(({ event: { date } }) => event.date - date <= windowMs)
        .sort((a, b) => b.place - a.place);
      const attempt = largest(window);
      if (best === null || attempt.level >= best.level) best = attempt;
    },
    best: () => best,
    reset() {
      recent.clear();
      taken = 0;
      best = null;
    },
  };

  /**
   * Events are tried from the latest back, and one that fits in is kept: that gives as many as any choice does, and of
   * the choices of so many the one whose earliest event is latest (what can be matched is a matroid).
   */
  function largest(window: readonly { readonly event: E; readonly kinds: number }[]): Attempt<E> {
    const filledBy: (number | undefined)[] = new Array(steps).fill(undefined);
    let [level, start] = [0, window[0]!.event];
    for (const { event, kinds } of window) {
      if (level === steps || !fits(kinds, filledBy, { seen: 0 })) continue;
      level += 1;
      start = event;
    }
    return { level, start, times: [] };
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
