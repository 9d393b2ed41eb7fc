import { expect, it } from 'vitest';
import { BackOff } from '../../../src/projections/runtime/back-off.ts';

it('works all the time without a reason', () => {
  const backOff = new BackOff();
  backOff.note(false);
  expect([backOff.isActive, backOff.pauseAfter(500), backOff.partEvents]).toEqual([false, 0, Number.POSITIVE_INFINITY]);
});

it('halves its part of the time at each reason, down to a sixteenth', () => {
  const backOff = new BackOff();
  const pauses = Array.from({ length: 6 }, () => {
    backOff.note(true);
    return backOff.pauseAfter(10);
  });
  expect(pauses).toEqual([10, 30, 70, 150, 150, 150]);
  expect(backOff.partEvents).toBeLessThan(5000);
});

it('grows by a quarter at each other look, until it works all the time', () => {
  const backOff = new BackOff();
  for (let i = 0; i < 4; i++) backOff.note(true);
  let looks = 0;
  for (; backOff.isActive; looks++) backOff.note(false);
  // 1.25 ** 12 = 14.6, 1.25 ** 13 = 18.2
  expect(looks).toBe(13);
});

it('works all the time once it is ended', () => {
  const backOff = new BackOff();
  for (let i = 0; i < 4; i++) backOff.note(true);
  backOff.end();
  expect([backOff.isActive, backOff.pauseAfter(500)]).toEqual([false, 0]);
});

it('looks at the load again after at most two seconds', () => {
  const backOff = new BackOff();
  for (let i = 0; i < 4; i++) backOff.note(true);
  expect(backOff.pauseAfter(60_000)).toBe(2000);
});
