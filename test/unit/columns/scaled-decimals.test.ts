import Big from 'big.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CodedColumn } from '../../../src/columns/chunk.ts';
import { scaledDecimalsOf } from '../../../src/columns/decimals.ts';
import { decodeColumn, encodeColumn } from '../../../src/columns/encoding.ts';
import { integerRanges } from '../../../src/columns/value-condition.ts';
import { predicateOf } from '../../../src/domain/condition/predicate.ts';
import { reportFields } from '../../../src/domain/reports/fields.ts';

const field = reportFields.find('events.value_amount')!;

/** Numbers of few digits, of which many are equal, of as many as a double holds, and of more. */
const decimal = fc
  .tuple(
    fc.boolean(),
    fc.constantFrom(1, 8, 15, 16, 20),
    fc.nat(9),
    fc.stringMatching(/^[0-9]{20}$/),
    fc.constantFrom(0, 1, 2, 8, 30),
  )
  .map(([minus, wholes, first, digits, decimals]) => {
    const fraction = `${digits}${digits}`.slice(0, decimals);
    return `${minus ? '-' : ''}${wholes === 1 ? first : `${1 + (first % 9)}${digits.slice(1, wholes)}`}${fraction && '.'}${fraction}`;
  });
/** The number, and others that differ from it in the last digit. */
const near = (text: string) => [text, `${text.slice(0, -1)}0`, `${text.slice(0, -1)}9`];

function columnOf(values: readonly string[]): CodedColumn {
  const column: CodedColumn = { kind: 'coded', codes: new Uint8Array(values.length), values: [null, ...values] };
  return decodeColumn('value_amount', values.length, encodeColumn(column)) as CodedColumn;
}

it('a column gives its decimals as integers with one scale, unless one is too long', () => {
  const seen = { scaled: 0, long: 0 };
  fc.assert(
    fc.property(fc.array(decimal, { minLength: 1, maxLength: 4 }), (values) => {
      const packed = columnOf(values);
      const scaled = scaledDecimalsOf(packed);
      expect(packed.values).toEqual([null, ...values]);
      expect(scaledDecimalsOf({ kind: 'coded', codes: packed.codes, values: [null, ...values] })).toEqual(scaled);
      const decimals = Math.max(...values.map((value) => value.split('.')[1]?.length ?? 0));
      const exact = values.map((value) => new Big(value).times(new Big(10).pow(decimals)));
      const fits = exact.every((integer) => integer.abs().lte(Number.MAX_SAFE_INTEGER)) && decimals <= 22;
      seen[fits ? 'scaled' : 'long']++;
      if (!fits) {
        expect(scaled).toBeNull();
        return;
      }
      const integers = exact.map((integer) => integer.toNumber() + 0);
      const greatest = Math.max(...integers.map(Math.abs));
      expect(scaled).toEqual({ integers: Float64Array.of(Number.NaN, ...integers), decimals, greatest });
    }),
  );
  expect(Math.min(seen.scaled, seen.long)).toBeGreaterThan(10);
});

it('a condition holds for an integer if it holds for the decimal', () => {
  const bound = fc.option(fc.record({ value: decimal, inclusive: fc.boolean() }));
  const number = (value: string) => ({ type: 'number' as const, value });
  let compared = 0;
  function check(condition: Parameters<typeof integerRanges>[0], values: readonly string[]): void {
    const exact = predicateOf(condition, () => (value: string) => value);
    for (const value of values) {
      const scaled = scaledDecimalsOf(columnOf([value, '0.125']));
      if (scaled === null) continue;
      compared++;
      const integer = scaled.integers[1]!;
      const ranges = integerRanges(condition, scaled.decimals);
      expect(
        ranges.some(({ low, high }) => integer >= low && integer <= high),
        value,
      ).toBe(exact(value));
    }
  }
  fc.assert(
    fc.property(bound, bound, decimal, decimal, (a, b, one, other) => {
      const constants = [one, other, ...[a, b].flatMap((end) => (end === null ? [] : [end.value]))];
      const values = [...constants.flatMap(near), '0'].filter((text) => /^-?\d+(\.\d+)?$/.test(text));
      const [from, to] = [a, b].map((end) => end && { value: number(end.value), inclusive: end.inclusive });
      check({ type: 'range', field, from: from!, to: to! }, values);
      check({ type: 'one_of', field, values: [number(one), number(other)] }, values);
    }),
  );
  for (const far of ['1e-400', '-1e-400', '1e308', '-1e308'])
    for (const inclusive of [true, false]) {
      check({ type: 'range', field, from: null, to: { value: number(far), inclusive } }, ['0', '1', '-1']);
      check({ type: 'range', field, from: { value: number(far), inclusive }, to: null }, ['0', '1', '-1']);
    }
  expect(compared).toBeGreaterThan(500);
});
