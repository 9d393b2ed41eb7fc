import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packChats, unpackChats } from '../../../src/domain/broadcast/packed-chats.ts';

const chat = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -200, max: 200 })).filter((id) => id !== 0);

it('unpacking returns the chats that were packed', () => {
  fc.assert(
    fc.property(fc.uniqueArray(chat), (ids) => {
      const chats = ids.sort((a, b) => a - b);
      expect(unpackChats(packChats(chats))).toEqual(chats);
    }),
    { numRuns: 1000, examples: [[[Number.MIN_SAFE_INTEGER, -1, 1, Number.MAX_SAFE_INTEGER]], [[]]] },
  );
});

it('users of a bot take few characters each', () => {
  const chats = Array.from({ length: 10_000 }, (_, index) => 1_000_000_000 + index * 5000);
  expect(packChats(chats).length).toBeLessThan(27_000);
});

it.each([[[2, 1]], [[1, 1]], [[0]], [[-1, 0, 1]], [[0.5]], [[2 ** 53]], [[Number.NaN]]])(
  '%j cannot be packed',
  (chats) => {
    expect(() => packChats(chats)).toThrow(RangeError);
  },
);

it.each([['gA=='], ['AP////////////8B'], ['////']])('%s was not packed', (packed) => {
  expect(() => unpackChats(packed)).toThrow(RangeError);
});
