import { beforeEach, expect, test } from 'vitest';
import { createTrouble, type Trouble } from '../../../src/processes/broadcasts/trouble.ts';

/** What a bot's sender learns from answers about the platform. */

let now: number;
let told: ({ readonly error: string; readonly againMs: number } | null)[];
let trouble: Trouble;
beforeEach(() => {
  now = 1_700_000_000_000;
  told = [];
  trouble = createTrouble({ now: () => now, tell: (given) => told.push(given) });
});

const unusable = (count: number): void => {
  for (let n = 0; n < count; n++) trouble.unknown('error 502');
};
const ERROR = 'the platform has given no usable answer since 2023-11-14T22:13:20.000Z: error 502';

test('ten answers in a row that say nothing pause for 4 s, doubling to 5 min; nine do not', () => {
  unusable(9);
  expect([trouble.wait() > 0, trouble.probing, trouble.pause()]).toEqual([false, false, null]);
  unusable(1);
  expect([trouble.wait(), trouble.probing, trouble.costly]).toEqual([4000, true, true]);
  expect(trouble.pause()).toEqual({ until: null, error: ERROR });
  const waits = [8, 16, 32, 64, 128, 256, 300, 300];
  for (const seconds of waits) {
    now += trouble.wait();
    unusable(1);
    expect(trouble.wait()).toBe(seconds * 1000);
  }
  expect(trouble.pause()).toEqual({ until: null, error: ERROR });
  expect(told).toEqual([4, ...waits].map((seconds) => ({ error: ERROR, againMs: seconds * 1000 })));
});

test('answers to calls that were made before the pause do not make it longer', () => {
  unusable(10);
  now += 3000;
  unusable(20);
  expect(trouble.wait()).toBe(1000);
});

test('an answer that is understood ends it, and ten more are needed for the next', () => {
  unusable(10);
  trouble.reached();
  expect([trouble.wait() > 0, trouble.probing, trouble.pause()]).toEqual([false, false, null]);
  expect(told.at(-1)).toBe(null);
  unusable(9);
  trouble.reached();
  unusable(9);
  expect(trouble.probing).toBe(false);
});

test('a platform that goes away while it gives no usable answers is unreachable, and after that still gives none', () => {
  unusable(10);
  now += 4000;
  trouble.unreachable('ECONNREFUSED');
  expect(trouble.pause()?.error).toMatch(/^the platform cannot be reached since .*: ECONNREFUSED$/);
  expect([trouble.costly, told.at(-1)]).toEqual([false, null]);
  now += trouble.wait();
  unusable(1);
  expect([trouble.wait(), trouble.costly]).toEqual([4000, true]);
});

test('where an earlier sender was in trouble, the first answer decides', () => {
  trouble.doubt(ERROR);
  expect([trouble.wait() > 0, trouble.probing, trouble.costly]).toEqual([false, true, true]);
  expect(trouble.pause()).toEqual({ until: null, error: ERROR });
  unusable(1);
  expect(trouble.wait()).toBe(4000);
  trouble.reached();
  trouble.doubt(ERROR);
  trouble.reached();
  expect([trouble.probing, trouble.pause()]).toEqual([false, null]);
});

test('a platform that cannot be reached is asked less and less often, until it answers', () => {
  now = 0;
  const waits: number[] = [];
  for (let tries = 0; tries < 9; tries++) {
    trouble.unreachable('ECONNREFUSED');
    trouble.unreachable('of a call that was under way beside it');
    waits.push(trouble.wait());
    now += trouble.wait();
  }
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  expect(trouble.probing).toBe(true);
  expect(trouble.pause()).toEqual({
    until: null,
    error: 'the platform cannot be reached since 1970-01-01T00:00:00.000Z: ECONNREFUSED',
  });
  trouble.reached();
  expect(trouble.pause()).toBeNull();
  expect(trouble.wait()).toBeLessThanOrEqual(0);
});

test('a limit holds as long as the longest that the platform has named', () => {
  now = 1000;
  trouble.limited(5000);
  trouble.limited(1000);
  trouble.reached();
  expect(trouble.pause()).toEqual({ until: 6000, error: null });
  now = 6000;
  expect(trouble.pause()).toBeNull();
});
