import Big from 'big.js';
import { LosslessNumber, stringify } from 'lossless-json';
import { compareText } from '../condition/compare-text.ts';
import type { FieldValue } from '../condition/predicate.ts';

/**
 * Which combinations of values a report shows: the largest, and all others as one
 * (decisions.md#breakdown).
 */

/** The values of separators, as one text: equal for equal values, numbers however they are written. */
export function combinationKey(values: readonly FieldValue[]): string {
  return values.map(keyOf).join('');
}

/** Of which none begins another. */
function keyOf(value: FieldValue): string {
  if (typeof value === 'string') return `string${value.length}:${value}`; // most are
  const read = plain(value);
  return read === null ? '-' : `${read[0]}${read[1].length}:${read[1]}`;
}

/** The type keeps the custom fields 1 and "1" apart. A number is a date in milliseconds; its text orders by time. */
function plain(value: FieldValue): readonly [string, string] | null {
  if (value === null) return null;
  if (value instanceof LosslessNumber) return ['number', new Big(value.value).toFixed()];
  if (typeof value === 'number') return ['date', String(value).padStart(16, '0')];
  return [typeof value, typeof value === 'object' ? stringify(value)! : String(value)];
}

/**
 * The largest combinations, at most `limit`, largest first, by their numbers; and whether there are more.
 * @param volumes by number, what decides which are the largest; of none there is nothing to show
 */
export function largestCombinations(
  values: readonly (readonly FieldValue[])[],
  volumes: ArrayLike<number | undefined>,
  limit: number,
): { readonly shown: readonly number[]; readonly more: boolean } {
  const sorted = Float64Array.from(values, (_, number) => volumes[number] ?? 0)
    .filter((volume) => volume > 0)
    .sort();
  // Of thousands of combinations most are too small to be compared by their texts.
  const least = sorted[Math.max(0, sorted.length - limit)] ?? 0;
  const large = values.flatMap((_, number) => {
    const volume = volumes[number] ?? 0;
    return volume > 0 && volume >= least ? [number] : [];
  });
  large.sort((a, b) => volumes[b]! - volumes[a]! || byText(values[a]!, values[b]!));
  return { shown: large.slice(0, limit), more: sorted.length > limit };
}

/** Field by field by text, a missing value first, by code points; values that read alike, as 1 and "1" do, by type. */
function byText(a: readonly FieldValue[], b: readonly FieldValue[]): number {
  const pairs = a.map((left, index) => [plain(left), plain(b[index]!)] as const);
  for (const [x, y] of pairs) {
    const order = x === null || y === null ? Number(x !== null) - Number(y !== null) : compareText(x[1], y[1]);
    if (order !== 0) return order;
  }
  return compareText(JSON.stringify(pairs.map(([x]) => x)), JSON.stringify(pairs.map(([, y]) => y)));
}
