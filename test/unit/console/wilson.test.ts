import { describe, expect, it } from 'vitest';
import { compare, wilson } from '../../../console/src/broadcasts/wilson.ts';

describe('the 95 % interval of a share', () => {
  // Newcombe (1998), Statistics in Medicine 17, 857–872, table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %i of %i is the published one', (hits, all, low, high) => {
    const found = wilson(hits, all);
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
  });

  it('of all ends at 1', () => expect(wilson(20, 20).high).toBe(1));
});

describe('the comparison of variants', () => {
  const rate = (name: string, hits: number, all: number) => ({ name, hits, all });

  it('names the leader only if its interval lies above all others', () => {
    expect(compare([rate('A', 50, 1000), rate('B', 120, 1000)])).toMatchObject({ kind: 'leads', name: 'B' });
    expect(compare([rate('A', 121, 1398), rate('B', 93, 1408)])).toEqual({ kind: 'open' });
    expect(compare([rate('A', 10, 1000), rate('B', 120, 1000), rate('C', 110, 1000)])).toEqual({ kind: 'open' });
  });

  it('compares nothing while a variant has fewer than 30 recipients', () => {
    expect(compare([rate('A', 0, 29), rate('B', 900, 1000)])).toEqual({ kind: 'few' });
    expect(compare([rate('A', 0, 30), rate('B', 900, 1000)])).toMatchObject({ kind: 'leads', name: 'B' });
  });
});
