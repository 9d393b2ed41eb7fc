/** Random numbers that depend on the seed only, so that one seed gives the same demo. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  pick<T>(values: readonly T[]): T;
  /** One of the values, chosen by weight. */
  weighted<T extends { readonly weight: number }>(values: readonly T[]): T;
}

/** Mulberry32: small, and random enough for a demo. */
export function random(seed: number): Random {
  let state = Math.imul(seed, 2654435761) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (values) => values[between(0, values.length - 1)]!,
    weighted(values) {
      let left = next() * values.reduce((sum, { weight }) => sum + weight, 0);
      for (const value of values) {
        left -= value.weight;
        if (left < 0) return value;
      }
      return values.at(-1)!;
    },
  };
}
