/** The quantile of the normal distribution for 95 % on both sides. */
const Z = 1.959964;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * The 95 % interval of a share, by Wilson's score: it is right for few and for none, too.
 * @param hits of `all`, from 0 to `all` @param all at least 1
 * @returns parts of 1
 * Wilson, E. B. (1927), JASA 22, 209–212; values for tests from Newcombe (1998), Statistics in Medicine 17, 857–872.
 */
export function wilson(hits: number, all: number): Interval {
  const share = hits / all;
  const square = (Z * Z) / all;
  const middle = share + square / 2;
  const half = Z * Math.sqrt((share * (1 - share)) / all + square / (4 * all));
  return { low: Math.max(0, (middle - half) / (1 + square)), high: Math.min(1, (middle + half) / (1 + square)) };
}

/** A share of one variant. */
export interface Rate {
  readonly name: string;
  readonly hits: number;
  readonly all: number;
}

/** Below this number of people the page shows counts without per cent, and compares nothing. */
export const FEW = 30;

/** Few: there are too few people to compare. Open: the interval of the best overlaps another one. */
export type Verdict =
  | { readonly kind: 'few' | 'open' }
  | { readonly kind: 'leads'; readonly name: string; readonly interval: Interval };

/** Compares shares: one leads only if its 95 % interval lies above all others. @param rates at least two */
export function compare(rates: readonly Rate[]): Verdict {
  if (rates.some(({ all }) => all < FEW)) return { kind: 'few' };
  const [best, ...others] = rates.toSorted((a, b) => b.hits / b.all - a.hits / a.all);
  const interval = wilson(best!.hits, best!.all);
  const isApart = others.every(({ hits, all }) => wilson(hits, all).high < interval.low);
  return isApart ? { kind: 'leads', name: best!.name, interval } : { kind: 'open' };
}
