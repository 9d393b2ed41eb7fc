import fc from 'fast-check';
import { expect, it } from 'vitest';
import { middleOf } from '../../../src/columns/measures/middle.ts';

/** The same by a sort. */
function expected(values: readonly number[]): readonly number[] {
  const sorted = [...values].sort((a, b) => a - b);
  return [sorted[Math.ceil(values.length / 2) - 1]!, sorted[Math.floor(values.length / 2)]!];
}

it('finds the values in the middle, as a sort does', () => {
  const few = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 40 });
  const many = fc.array(fc.nat(), { minLength: 1, maxLength: 300 });
  // Enough to be counted by steps: of any range, also with most of them in one step.
  const values = fc.oneof(fc.nat({ max: 2000 }), fc.integer({ min: 2 ** 32 - 500, max: 2 ** 32 - 1 }), fc.nat());
  const counted = fc.array(fc.oneof({ weight: 9, arbitrary: values }, fc.constant(77)), {
    minLength: 250,
    maxLength: 1500,
    size: 'max',
  });
  const close = fc.array(fc.integer({ min: 5000, max: 6000 }), { minLength: 256, maxLength: 700, size: 'max' });
  const wide = fc.array(fc.maxSafeInteger(), { minLength: 250, maxLength: 700, size: 'max' });
  fc.assert(
    fc.property(fc.oneof(few, many, counted, close, wide), (values) => {
      // Values beyond the size do not count.
      expect(middleOf(Float64Array.from([...values, 0, 0]), values.length)).toEqual(expected(values));
    }),
  );
});

it.each([
  ['ascending', (i: number) => i],
  ['descending', (i: number) => 10_000 - i],
  ['equal', () => 7],
  ['like an organ pipe', (i: number) => Math.min(i, 10_000 - i)],
])('finds them among 10,000 values that are %s', (_, valueAt) => {
  const values = Array.from({ length: 10_000 }, (_, i) => valueAt(i));
  expect(middleOf(Float64Array.from(values), values.length)).toEqual(expected(values));
});
