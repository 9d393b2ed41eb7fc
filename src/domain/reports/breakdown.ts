import Big from 'big.js';
import { LosslessNumber, stringify } from 'lossless-json';
import { compareText, type FieldValue } from '../condition/predicate.ts';

/** A breakdown shows the largest combinations of values, and all others as one (decisions.md#breakdown). */

/** A text for the values of separators. It is the same for equal values; 1 and 1.0 are equal. */
export function combinationKey(values: readonly FieldValue[]): string {
  return values.map(keyOf).join('');
}

/** No key is a prefix of another, so that keys can be joined. */
function keyOf(value: FieldValue): string {
  if (typeof value === 'string') return `string${value.length}:${value}`; // the most frequent case
  const read = plain(value);
  return read === null ? '-' : `${read[0]}${read[1].length}:${read[1]}`;
}

/**
 * The type and text of a value. The type distinguishes the custom fields 1 and "1". A JavaScript number is a date in
 * milliseconds; its text sorts by time.
 */
function plain(value: FieldValue): readonly [string, string] | null {
  if (value === null) return null;
  if (value instanceof LosslessNumber) return ['number', new Big(value.value).toFixed()];
  if (typeof value === 'number') return ['date', String(value).padStart(16, '0')];
  return [typeof value, typeof value === 'object' ? stringify(value)! : String(value)];
}

/**
 * The numbers of the largest combinations, at most `limit`, largest first; and whether there are more.
 * @param volumes the size of each combination, by its number; 0 or undefined: the combination is not shown
 */
export function largestCombinations(
  values: readonly (readonly FieldValue[])[],
  volumes: ArrayLike<number | undefined>,
  limit: number,
): { readonly shown: readonly number[]; readonly more: boolean } {
  const sorted = Float64Array.from(values, (_, number) => volumes[number] ?? 0)
    .filter((volume) => volume > 0)
    .sort();
  // Drops combinations that are too small before the sort: comparing the texts of thousands is slow.
  const least = sorted[Math.max(0, sorted.length - limit)] ?? 0;
  const large = values.flatMap((_, number) => {
    const volume = volumes[number] ?? 0;
    return volume > 0 && volume >= least ? [number] : [];
  });
  large.sort((a, b) => volumes[b]! - volumes[a]! || byText(values[a]!, values[b]!));
  return { shown: large.slice(0, limit), more: sorted.length > limit };
}

/** Compares field by field: a missing value first, then by text in code points, then by type (1 and "1" have one text). */
function byText(a: readonly FieldValue[], b: readonly FieldValue[]): number {
  const pairs = a.map((left, index) => [plain(left), plain(b[index]!)] as const);
  for (const [x, y] of pairs) {
    const order = x === null || y === null ? Number(x !== null) - Number(y !== null) : compareText(x[1], y[1]);
    if (order !== 0) return order;
  }
  return compareText(JSON.stringify(pairs.map(([x]) => x)), JSON.stringify(pairs.map(([, y]) => y)));
}
