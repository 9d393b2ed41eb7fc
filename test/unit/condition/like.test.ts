import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isLike, likePattern } from '../../../src/domain/condition/predicate.ts';

it.each<[string, unknown, boolean]>([
  ['abc', 'abc', true],
  ['abc', 'ABC', false],
  ['ab', 'abc', false],
  ['', '', true],
  ['', 'a', false],
  ['%', '', true],
  ['%%', 'anything\nat all', true],
  ['a%', 'a', true],
  ['a%', 'ba', false],
  ['%a', 'ba', true],
  ['a%a', 'a', false],
  ['a%a', 'aa', true],
  ['%ab%ab', 'abab', true],
  ['%ab%ab', 'aab', false],
  ['%ab%bc%', 'abc', false],
  ['a_c', 'abc', false],
  ['a_c', 'a_c', true],
  ['a\\%', 'a\\b', true],
  ['\u{1f600}%', '\u{1f600}!', true],
  ['%', 5, false],
  ['5', 5, false],
])('%j of %j: %j', (pattern, value, expected) => {
  expect(isLike(pattern)(value)).toBe(expected);
});

it('matches the same texts as a regular expression', () => {
  const parts = fc.array(fc.constantFrom('%', 'a', 'b', '.', '_', '\\', '\n', '\u{1f600}'), { maxLength: 8 });
  fc.assert(
    fc.property(parts, parts, (pattern, value) => {
      const source = pattern.map((part) => (part === '%' ? '[^]*' : part.replace(/[.\\]/, '\\$&'))).join('');
      expect(isLike(pattern.join(''))(value.join(''))).toBe(new RegExp(`^${source}$`, 'u').test(value.join('')));
    }),
    { numRuns: 2000 },
  );
});

it('escapes characters that are special in LIKE only', () => {
  expect(likePattern('a_b\\c%')).toBe('a\\_b\\\\c%');
});
