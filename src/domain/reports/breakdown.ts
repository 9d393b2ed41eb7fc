import Big from 'big.js';
import { isLosslessNumber, stringify } from 'lossless-json';
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
  // Not by its class: a number loses it on its way to another thread.
  if (isLosslessNumber(value)) return ['number', new Big(value.value).toFixed()];
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
  const least = leastOfLargest(volumes, limit);
  let count = 0;
  const large: number[] = [];
  for (let number = 0; number < values.length; number++) {
    const volume = volumes[number] ?? 0;
    if (volume > 0) count++;
    // Drops combinations that are too small before the sort: comparing the texts of thousands is slow.
    if (volume > 0 && volume >= least) large.push(number);
  }
  large.sort((a, b) => volumes[b]! - volumes[a]! || byText(values[a]!, values[b]!));
  return { shown: large.slice(0, limit), more: count > limit };
}

/** The least of the `limit` largest volumes. Sorts few at a time: sorting tens of thousands takes milliseconds. */
function leastOfLargest(volumes: ArrayLike<number | undefined>, limit: number): number {
  const largest = new Float64Array(2 * limit);
  let size = 0;
  let least = 0;
  for (let number = 0; number < volumes.length; number++) {
    const volume = volumes[number] ?? 0;
    if (volume <= least) continue;
    largest[size++] = volume;
    if (size < largest.length) continue;
    largest.sort().copyWithin(0, limit);
    least = largest[0]!;
    size = limit;
  }
  return size < limit ? 0 : largest.subarray(0, size).sort()[size - limit]!;
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
