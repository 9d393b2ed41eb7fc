import type { FunnelRules, FunnelWalk } from './funnel-attempt.ts';

/**
 * Funnels whose steps come one after another, in one pass and with memory for one chain a step: `starts[k]` began the one
 * that took step k and began last. It can go on for as long as any that began earlier and longer than most, so the others
 * need not be remembered. Each event fills one step of a chain: steps are handled from the last to the first.
 *
 * `ordered`: a step is filled by the earliest later event. `strict`: by the very next event of the user, so a chain that
 * the current event does not continue is over.
 */
export function walkInOrder({ order, windowMs, steps }: FunnelRules): FunnelWalk {
  /** Places of events: where the chain of each step began. */
  const starts = new Int32Array(steps);
  /** When the chain of step k took each of its steps, from `k * steps` on. */
  const times = new Float64Array(steps * steps);
  const bestTimes = new Float64Array(steps);
  const allSteps = (1 << steps) - 1;

  return ({ begin, end, dates, marks }) => {
    /** A bit for each step that has a chain. */
    let chains = 0;
    let level = 0;
    let best = begin;
    for (let event = begin; event < end; event += 1) {
      const matches = marks[event]!;
      /** Those that a chain is before, or, for the first, that need none. */
      const open = matches & ((chains << 1) | 1);
      // What is strict is looked at for every step: the event may end its chain.
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
        // The same attempt was here before, with an earlier event.
        if (order === 'ordered' && (chains & bit) !== 0 && starts[step] === start) continue;
        goOn(step, start, date);
        chains |= bit;
        if (step + 1 < level) continue;
        level = step + 1;
        best = start;
      }
    }
    if (level === 0) return null;
    // Of the chains that came so far the last is the best, and the one that is there.
    for (let i = 0; i < level; i += 1) bestTimes[i] = times[(level - 1) * steps + i]!;
    return { level, start: best, date: dates[best]!, times: bestTimes };
  };

  function goOn(step: number, start: number, date: number): void {
    const row = step * steps;
    for (let i = 0; i < step; i += 1) times[row + i] = times[row - steps + i]!;
    times[row + step] = date;
    starts[step] = start;
  }
}
