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
  /** Places of events; -1: there is no such chain. */
  const starts = new Int32Array(steps);
  /** When the chain of step k took each of its steps, from `k * steps` on. */
  const times = new Float64Array(steps * steps);
  const bestTimes = new Float64Array(steps);
  /** Steps, in bits, that every event is looked at for: it may end their chains. */
  const always = order === 'strict' ? (1 << steps) - 1 : 0;

  return ({ begin, end, dates, marks }) => {
    starts.fill(NO_CHAIN);
    let level = 0;
    let best = NO_CHAIN;
    for (let event = begin; event < end; event += 1) {
      const matches = marks[event]!;
      const date = dates[event]!;
      for (let rest = matches | always; rest !== 0; ) {
        const step = 31 - Math.clz32(rest);
        rest ^= 1 << step;
        let start = NO_CHAIN;
        if ((matches & (1 << step)) !== 0) {
          start = step === 0 ? event : starts[step - 1]!;
          if (start !== NO_CHAIN && date - dates[start]! > windowMs) start = NO_CHAIN;
        }
        if (start === NO_CHAIN) {
          if (order === 'strict') starts[step] = NO_CHAIN;
          continue;
        }
        // The same attempt was here before, with an earlier event.
        if (order === 'ordered' && starts[step] === start) continue;
        goOn(step, start, date);
        if (step + 1 < level) continue;
        level = step + 1;
        best = start;
        for (let i = 0; i < level; i += 1) bestTimes[i] = times[step * steps + i]!;
      }
    }
    return best === NO_CHAIN ? null : { level, start: best, date: dates[best]!, times: bestTimes };
  };

  function goOn(step: number, start: number, date: number): void {
    const row = step * steps;
    for (let i = 0; i < step; i += 1) times[row + i] = times[row - steps + i]!;
    times[row + step] = date;
    starts[step] = start;
  }
}

const NO_CHAIN = -1;
