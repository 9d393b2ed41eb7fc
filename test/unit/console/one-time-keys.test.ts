import { expect, it } from 'vitest';
import { oneTimeKeys } from '../../../src/api/console/one-time-keys.ts';

const MINUTE = 60_000;

function keysAt(time: { now: number }) {
  let count = 0;
  return oneTimeKeys({ randomBytes: (length) => new Uint8Array(length).fill(++count) }, () => time.now);
}

it('a token stands for its key, once', () => {
  const keys = keysAt({ now: 0 });
  const [first, second] = [keys.offer('a:1'), keys.offer('b:2')];
  expect(first).toMatch(/^[\w-]{43}$/);
  expect(keys.take(second)).toBe('b:2');
  expect(keys.take(first)).toBe('a:1');
  expect(keys.take(first)).toBeNull();
  expect(keys.take('another')).toBeNull();
});

it('a token is good for ten minutes', () => {
  const time = { now: 5 * MINUTE };
  const keys = keysAt(time);
  const [early, late] = [keys.offer('a:1'), keys.offer('a:1')];
  time.now = 15 * MINUTE - 1;
  expect(keys.take(early)).toBe('a:1');
  time.now = 15 * MINUTE;
  expect(keys.take(late)).toBeNull();
});
