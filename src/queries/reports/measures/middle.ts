/** The lower and the upper one of the values in the middle of the first `size`, which it reorders; equal for an odd number. */
export function middleOf(values: Uint32Array, size: number): readonly [number, number] {
  const low = select(values, size, Math.ceil(size / 2) - 1);
  if (size % 2 === 1) return [low, low];
  let high = values[size / 2]!;
  for (let i = size / 2; i < size; i++) if (values[i]! < high) high = values[i]!;
  return [low, high];
}

/** Values in an unfortunate order are sorted after so many rounds. */
const MOST_ROUNDS = 64;

/** The value with `index` in ascending order. Then no value before it is greater, and none after it is less: quickselect. */
function select(values: Uint32Array, size: number, index: number): number {
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
