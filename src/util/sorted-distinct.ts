import { setImmediate as nextTurn } from 'node:timers/promises';

/** Sorting 20,000 numbers takes about 2 ms. */
const RUN = 20_000;

/** Sorts numbers ascending and drops repeats. A merge sort that lets the event loop run after each pass. */
export async function sortedDistinct(numbers: readonly number[]): Promise<number[]> {
  let runs: Float64Array[] = [];
  for (let at = 0; at < numbers.length; at += RUN) {
    runs.push(Float64Array.from(numbers.slice(at, at + RUN)).sort());
    await nextTurn();
  }
  while (runs.length > 1) {
    const merged: Float64Array[] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [left, right] = [runs[i]!, runs[i + 1]];
      merged.push(right === undefined ? left : merge(left, right));
      await nextTurn();
    }
    runs = merged;
  }
  const [all = new Float64Array()] = runs;
  return Array.from(all.filter((number, i) => i === 0 || number !== all[i - 1]));
}

function merge(left: Float64Array, right: Float64Array): Float64Array {
  const merged = new Float64Array(left.length + right.length);
  let [l, r] = [0, 0];
  for (let i = 0; i < merged.length; i++)
    merged[i] = r === right.length || left[l]! <= right[r]! ? left[l++]! : right[r++]!;
  return merged;
}
