import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortedDistinct } from '../../../src/util/sorted-distinct.ts';

test('sorts numbers and drops repeats, whatever their count', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer(), { maxLength: 50 }), fc.nat(70_000), async (some, count) => {
      const numbers = Array.from(
        { length: some.length === 0 ? 0 : count },
        (_, i) => some[i % some.length]! - (i % 4001),
      );
      expect(await sortedDistinct(numbers)).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    }),
    { numRuns: 30 },
  );
});

test('gives the event loop turns while it sorts a million numbers', async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  expect(await sortedDistinct(Array.from({ length: 1_000_000 }, (_, i) => -i))).toHaveLength(1_000_000);
  isOver = true;
  expect(turns).toBeGreaterThan(90);
});
