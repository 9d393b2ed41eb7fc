import { atLeast } from '../array-pool.ts';

/**
 * The lower and the upper one of the values in the middle of the first `size`; equal for an odd number. May reorder
 * them.
 */
export function middleOf(values: Float64Array, size: number): readonly [number, number] {
  const index = Math.ceil(size / 2) - 1;
  const { near, count, less } = nearOf(values, size, index);
  const low = select(near, count, index - less);
  if (size % 2 === 1) return [low, low];
  // The next larger value: a later one of `near`, or else the smallest of all values above `low`.
  const [all, from, end] = index - less + 1 < count ? [near, index - less + 1, count] : [values, 0, size];
  const isNear = all === near;
  let high = Number.POSITIVE_INFINITY;
  for (let i = from; i < end; i++) if (all[i]! < high && (isNear || all[i]! > low)) high = all[i]!;
  return [low, high];
}

/** Fewer values are not worth the counters. */
const LEAST_COUNTED = 256;
const counters = new Uint32Array(2 ** 10);
let nearValues = new Float64Array(0);

interface Near {
  /** The first `count` are the near ones. */
  readonly near: Float64Array;
  readonly count: number;
  /** How many values are less than all of these. */
  readonly less: number;
}

/**
 * Some neighbouring values, of which one has `index` in ascending order. Finds them by counting the values of equal
 * intervals between the least and the greatest. That takes no branch on a value: a comparison in quickselect is
 * mispredicted every other time.
 */
function nearOf(values: Float64Array, size: number, index: number): Near {
  if (size < LEAST_COUNTED) return { near: values, count: size, less: 0 };
  let [least, greatest] = [values[0]!, values[0]!];
  for (let i = 1; i < size; i++) {
    least = Math.min(least, values[i]!);
    greatest = Math.max(greatest, values[i]!);
  }
  // Rounding keeps the order: a greater value has no lower step.
  const steps = greatest === least ? 0 : (counters.length - 1) / (greatest - least);
  counters.fill(0);
  for (let i = 0; i < size; i++) counters[((values[i]! - least) * steps) | 0]!++;
  let [step, less] = [0, 0];
  while (less + counters[step]! <= index) less += counters[step++]!;
  nearValues = atLeast(nearValues, counters[step]!);
  let count = 0;
  for (let i = 0; i < size; i++) if ((((values[i]! - least) * steps) | 0) === step) nearValues[count++] = values[i]!;
  return { near: nearValues, count, less };
}

/** Values in an unfortunate order are sorted after so many rounds. */
const MOST_ROUNDS = 64;

/** The value with `index` in ascending order. Then no value before it is greater, and none after it is less: quickselect. */
function select(values: Float64Array, size: number, index: number): number {
  let [left, right] = [0, size - 1];
  for (let round = 0; left < right; round++) {
    if (round === MOST_ROUNDS) {
      values.subarray(left, right + 1).sort();
      break;
    }
    const pivot = middleOfThree(values[left]!, values[(left + right) >>> 1]!, values[right]!);
    let [i, j] = [left, right];
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i > j) break;
      const value = values[i]!;
      values[i++] = values[j]!;
      values[j--] = value;
    }
    if (index <= j) right = j;
    else if (index >= i) left = i;
    else break;
  }
  return values[index]!;
}

function middleOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
