import type { Attempt, FunnelRules, FunnelWalk } from './funnel-attempt.ts';

/** A chain that has come to some step: when each of its steps was taken, from that of `start`. */
interface Chain<E> {
  readonly start: E;
  readonly times: readonly number[];
}

/**
 * Funnels whose steps come one after another, in one pass and with memory for one chain a step: `chains[k]` is the one
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
  const chains: (Chain<E> | undefined)[] = new Array(steps).fill(undefined);
  let best: Attempt<E> | null = null;

  return {
    take(event, matches) {
      if (matches === 0 && order === 'ordered') return;
      for (let step = steps - 1; step >= 0; step -= 1) {
        const chain = (matches & (1 << step)) === 0 ? undefined : continued(step, event);
        if (chain === undefined) {
          if (order === 'strict') chains[step] = undefined;
          continue;
        }
        // The same attempt was here before, with an earlier event.
        if (order === 'ordered' && chains[step]?.start === chain.start) continue;
        chains[step] = chain;
        if (best === null || step + 1 >= best.level) best = { level: step + 1, ...chain };
      }
    },
    best: () => best,
  };

  function continued(step: number, event: E): Chain<E> | undefined {
    if (step === 0) return { start: event, times: [event.date] };
    const before = chains[step - 1];
    if (before === undefined || event.date - before.start.date > windowMs) return undefined;
    return { start: before.start, times: [...before.times, event.date] };
  }
}
