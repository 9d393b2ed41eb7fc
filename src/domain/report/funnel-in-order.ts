import type { FunnelRules, FunnelWalk } from './funnel-attempt.ts';

/**
 * Funnels whose steps come one after another, in one pass and with memory for one chain a step: `starts[k]` began the one
 * that took step k and began last. It can go on for as long as any that began earlier and longer than most, so the others
 * need not be remembered. Each event fills one step of a chain: steps are handled from the last to the first.
 *
 * `ordered`: a step is filled by the earliest later event. `strict`: by the very next event of the user, so a chain that
 * the current event does not continue is over.
 */
export function walkInOrder<E extends { readonly date: number }>({
  order,
  windowMs,
  steps,
}: FunnelRules): FunnelWalk<E> {
  const starts: (E | undefined)[] = new Array(steps).fill(undefined);
  /** When the chain of step k took each of its steps, from `k * steps` on. */
  const times = new Float64Array(steps * steps);
  const bestTimes = new Float64Array(steps);
  let level = 0;
  let best: E | undefined;

  return {
    take(event, matches) {
      if (matches === 0 && order === 'ordered') return;
      for (let step = steps - 1; step >= 0; step -= 1) {
        const start = (matches & (1 << step)) === 0 ? undefined : startOf(step, event);
        if (start === undefined) {
          if (order === 'strict') starts[step] = undefined;
          continue;
        }
        // The same attempt was here before, with an earlier event.
        if (order === 'ordered' && starts[step] === start) continue;
        goOn(step, start, event.date);
      }
    },
    best: () => (best === undefined ? null : { level, start: best, times: Array.from(bestTimes.subarray(0, level)) }),
    reset() {
      starts.fill(undefined);
      level = 0;
      best = undefined;
    },
  };

  /** Where the chain began that the event continues by this step; undefined: there is none. */
  function startOf(step: number, event: E): E | undefined {
    if (step === 0) return event;
    const before = starts[step - 1];
    return before === undefined || event.date - before.date > windowMs ? undefined : before;
  }

  function goOn(step: number, start: E, date: number): void {
    const row = step * steps;
    for (let i = 0; i < step; i += 1) times[row + i] = times[row - steps + i]!;
    times[row + step] = date;
    starts[step] = start;
    if (step + 1 < level) return;
    level = step + 1;
    best = start;
    for (let i = 0; i < level; i += 1) bestTimes[i] = times[row + i]!;
  }
}
