import fc from 'fast-check';
import { expect, it } from 'vitest';
import { middleOf } from '../../../src/queries/reports/measures/middle.ts';

/** The same by a sort. */
function expected(values: readonly number[]): readonly number[] {
  const sorted = [...values].sort((a, b) => a - b);
  return [sorted[Math.ceil(values.length / 2) - 1]!, sorted[Math.floor(values.length / 2)]!];
}

it('finds the values in the middle, as a sort does', () => {
  const few = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 40 });
  const many = fc.array(fc.nat(), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(fc.oneof(few, many), (values) => {
      // Values beyond the size do not count.
      expect(middleOf(Uint32Array.from([...values, 0, 0]), values.length)).toEqual(expected(values));
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
  expect(middleOf(Uint32Array.from(values), values.length)).toEqual(expected(values));
});
