/** The value below which a share of all values lie; the greatest for 1. The order is free. @throws if there are none */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (found === undefined) throw new Error('nothing was measured');
  return found;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
