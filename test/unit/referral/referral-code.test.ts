import { expect, it } from 'vitest';
import { newReferralCode } from '../../../src/commands/referral/attribute-referral.ts';
import { testSources } from '../../support/test-sources.ts';

const LETTERS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

it('a code has 8 of 57 letters, each equally often', () => {
  const sources = testSources();
  const counts = new Map([...LETTERS].map((letter) => [letter, 0]));
  const codes = 20_000;
  for (let i = 0; i < codes; i++) {
    const code = newReferralCode(sources);
    expect(code).toHaveLength(8);
    for (const letter of code) counts.set(letter, counts.get(letter)! + 1);
  }
  expect(counts.size).toBe(57);
  const expected = (codes * 8) / 57;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // 56 degrees of freedom: of 4,000 seeds one would go beyond 100, and these bytes are the same in each run. With a
  // byte modulo 57 the value is about 2,000.
  expect(chiSquare).toBeLessThan(100);
});

it('a byte beyond the alphabet is thrown away', () => {
  // 228 is 4 times 57: beyond it the letters would not come out even.
  const drawn = [255, 228, 240, 0, 56];
  let at = 0;
  const randomBytes = (size: number) => Uint8Array.from({ length: size }, () => drawn[at++ % drawn.length]!);
  expect(newReferralCode({ randomBytes })).toMatch(/^[2z]{8}$/);
});
