import Big from 'big.js';
import { LosslessNumber, stringify } from 'lossless-json';
import { compareText } from '../condition/compare-text.ts';
import type { FieldValue } from '../condition/predicate.ts';

/** Which combinations of values a report shows: the largest, and all others as one (decisions.md 4.3). */

/** The values of separators, as one text: equal for equal values, numbers however they are written. */
export function combinationKey(values: readonly FieldValue[]): string {
  return JSON.stringify(values.map(plain));
}

/** The type keeps the custom fields 1 and "1" apart. */
function plain(value: FieldValue): readonly [string, string] | null {
  if (value === null) return null;
  if (value instanceof LosslessNumber) return ['number', new Big(value.value).toFixed()];
  return [typeof value, typeof value === 'object' ? stringify(value)! : String(value)];
}

/** Counts what decides which combinations are the largest. */
export interface Volumes {
  add(key: string, values: readonly FieldValue[]): void;
  /** The largest combinations, at most `limit`, largest first, each with its values; and whether there are more. */
  largest(limit: number): { readonly shown: ReadonlyMap<string, readonly FieldValue[]>; readonly more: boolean };
}

export function countVolumes(): Volumes {
  const volumes = new Map<string, { readonly key: string; readonly values: readonly FieldValue[]; count: number }>();
  return {
    add(key, values) {
      const volume = volumes.get(key);
      if (volume === undefined) volumes.set(key, { key, values, count: 1 });
      else volume.count += 1;
    },
    largest(limit) {
      const sorted = [...volumes.values()].sort((a, b) => b.count - a.count || byText(a.values, b.values));
      const shown = new Map(sorted.slice(0, limit).map(({ key, values }) => [key, values]));
      return { shown, more: volumes.size > limit };
    },
  };
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
