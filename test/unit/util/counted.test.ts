import { expect, it } from 'vitest';
import { words } from '../../../console/src/operations/words.ts';
import { counted } from '../../../src/util/counted.ts';

it('puts a noun into the plural, except after 1', () => {
  expect([0, 1, 2].map((count) => counted(count, 'bot'))).toEqual(['0 bots', '1 bot', '2 bots']);
  expect([1, 1.5].map((count) => counted(count, 'entry', 'entries'))).toEqual(['1 entry', '1.5 entries']);
});

it('does so in the console', () => {
  expect(['1', '2,000'].map(words.maxRate)).toEqual([
    'Limited to 1 event a second.',
    'Limited to 2,000 events a second.',
  ]);
  expect(words.progress('the log', '0', '1', 'commits')).toBe('the log: 0 of 1 commit');
  expect(words.progress('the log', '1', null, 'commits')).toBe('the log: 1 commit');
});
