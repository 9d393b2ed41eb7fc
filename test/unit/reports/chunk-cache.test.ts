import { expect, it } from 'vitest';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';

it('keeps a dictionary until it takes much of the memory, and then never again', () => {
  const cache = createChunkCache(10_000);
  const dictionary = cache.dictionary('chunk value_str')!;
  expect(cache.dictionary('chunk value_str')).toBe(dictionary);
  expect(cache.dictionary('chunk category')).not.toBe(dictionary);
  dictionary.numbersOf({ kind: 'coded', codes: new Uint8Array(0), values: [null, 'x'.repeat(3000)] });
  expect(cache.dictionary('chunk value_str')).toBe(null);
  expect(cache.dictionary('chunk value_str')).toBe(null);
});
