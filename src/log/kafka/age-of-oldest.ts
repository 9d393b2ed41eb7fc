/** Steps of the binary search. They narrow the age down to a sixteenth of itself. */
const AGE_STEPS = 4;
const GREATEST_AGE_S = 10 * 365 * 24 * 3600;

/**
 * Finds the age, in seconds, of the oldest record that a reader at `next` has not read; an upper bound, at least 1.
 * @param offsetsAt per partition, the offset of the first record appended at or after a time (ms), or the partition's end
 */
export async function ageOfOldest(
  offsetsAt: (time: number) => Promise<readonly number[]>,
  next: readonly number[],
): Promise<number> {
  const now = Date.now();
  const olderExists = async (seconds: number): Promise<boolean> =>
    (await offsetsAt(now - Math.round(seconds * 1000))).some((offset, partition) => offset > next[partition]!);
  let low = 0;
  let high = 1;
  while (high < GREATEST_AGE_S && (await olderExists(high))) {
    low = high;
    high *= 2;
  }
  for (let step = 0; low > 0 && step < AGE_STEPS; step++) {
    const middle = (low + high) / 2;
    if (await olderExists(middle)) low = middle;
    else high = middle;
  }
  return high;
}
