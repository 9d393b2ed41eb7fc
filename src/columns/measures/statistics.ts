import Big from 'big.js';
import type { Statistic } from '../../domain/reports/report.ts';

/** Decimals of a mean, rounded half away from zero. */
const MEAN_DECIMALS = 12;

const Mean = Big();
Mean.DP = MEAN_DECIMALS;
Mean.RM = Big.roundHalfUp;
Mean.NE = -1e6;
Mean.PE = 1e6;

/** A value, and how often it occurs. */
export type Counted = readonly [value: bigint, count: number];

/**
 * Computes an exact statistic of numbers, as decimal text, without doubles. Null: there are no numbers.
 * @param counted ascending integers, scaled by `decimals`: 150 with 2 decimals is 1.5
 */
export function statisticOf(statistic: Statistic, counted: readonly Counted[], decimals: number): string | null {
  const total = counted.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  switch (statistic) {
    case 'min':
      return decimalText(counted[0]![0], decimals);
    case 'max':
      return decimalText(counted.at(-1)![0], decimals);
    case 'avg':
      return meanText(sumOf(counted), total, decimals);
    case 'median': {
      const twice = nth(counted, Math.ceil(total / 2)) + nth(counted, Math.floor(total / 2) + 1);
      return decimalText(twice * 5n, decimals + 1);
    }
  }
}

function sumOf(counted: readonly Counted[]): bigint {
  return counted.reduce((sum, [value, count]) => sum + value * BigInt(count), 0n);
}

/** The nth of all values, counted from 1. */
function nth(counted: readonly Counted[], n: number): bigint {
  let seen = 0;
  for (const [value, count] of counted) {
    seen += count;
    if (seen >= n) return value;
  }
  throw new Error(`there are ${seen} values, not ${n}`);
}

/** A mean, rounded to {@link MEAN_DECIMALS}. @param sum scaled by `decimals` */
export function meanText(sum: bigint, count: number, decimals: number): string {
  return new Mean(decimalText(sum, decimals)).div(count).toFixed();
}

/** An integer scaled by `decimals` as decimal text, without trailing zeros after the point. */
export function decimalText(value: bigint, decimals: number): string {
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, '');
  return `${sign}${digits.slice(0, point)}${fraction && '.'}${fraction}`;
}

/** How many decimals a number has, given as decimal text. */
export function decimalsOf(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}

/** A number as an integer scaled by `decimals`. @param text has at most that many decimals */
export function scaled(text: string, decimals: number): bigint {
  const own = decimalsOf(text);
  return BigInt(text.replace('.', '') + '0'.repeat(decimals - own));
}
