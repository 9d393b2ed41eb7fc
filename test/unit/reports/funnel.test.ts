import { describe, expect, it } from 'vitest';
import { funnelTally, orderedFunnel, unorderedFunnel } from '../../../src/domain/reports/funnel.ts';
import type { FunnelOrder } from '../../../src/domain/reports/report.ts';

const MINUTE = 60_000;

/**
 * The best attempt of a user. The letters of `funnel` are its steps; `A|B` is a step of two event types. Events are a
 * letter and a minute, in the order of the timeline; without a minute each event is one minute after the last.
 */
function attempt(funnel: string, events: string, { order = 'ordered', window = 60 }: Options = {}) {
  const steps = funnel.split(' ').map((step) => step.split('|'));
  const rules = { order, windowMs: window * MINUTE, steps: steps.length };
  const fold = order === 'unordered' ? unorderedFunnel(rules) : orderedFunnel(rules);
  const all = events.split(' ').map(([letter, ...minute], index) => {
    const date = (minute.length === 0 ? index : Number(minute.join(''))) * MINUTE;
    const mask = steps.reduce((bits, step, i) => (step.includes(letter!) ? bits | (1 << i) : bits), 0);
    return { date, mask };
  });
  const dates = Float64Array.from(all, ({ date }) => date);
  const marks = Uint32Array.from(all, ({ mask }) => mask);
  const best = fold({ begin: 0, end: all.length, dates, marks });
  if (best === null) return null;
  const times = Array.from(best.times).slice(0, best.level);
  return { level: best.level, start: best.date / MINUTE, times: times.map((time) => time / MINUTE) };
}
interface Options {
  readonly order?: FunnelOrder;
  readonly window?: number;
}

describe('an ordered funnel', () => {
  it.each([
    ['A B C', 'A0 A30 B45 C75', 3, 30, [30, 45, 75]],
    ['A B C', 'A0 B10 A50 C75', 2, 0, [0, 10]],
    ['A B', 'A0 B60', 2, 0, [0, 60]],
    ['A B', 'A0 B61', 1, 0, [0]],
    ['A A', 'A0', 1, 0, [0]],
    ['A A', 'A0 A5', 2, 0, [0, 5]],
    // In one millisecond the order of the log decides.
    ['A B', 'B0 A0', 1, 0, [0]],
    ['A B', 'A0 B0', 2, 0, [0, 0]],
    ['A B', 'A0 X1 B2', 2, 0, [0, 2]],
    // Takes the latest start that reaches the most steps, and from it the earliest event of each step.
    ['A B', 'A0 B1 B2', 2, 0, [0, 1]],
    ['A B', 'A0 B1 A2 B3', 2, 2, [2, 3]],
    ['A B C', 'A0 B1 C2 A3 B4', 3, 0, [0, 1, 2]],
    ['A B C', 'A0 B1 A2 B3 C4', 3, 2, [2, 3, 4]],
    // An event that can be two steps fills one.
    ['A A|B C', 'A0 C1', 1, 0, [0]],
    ['A A|B C', 'A0 A1 C2', 3, 0, [0, 1, 2]],
  ])('%s of %s', (funnel, events, level, start, times) => {
    expect(attempt(funnel, events)).toEqual({ level, start, times });
  });

  it('needs its first step', () => {
    expect(attempt('A B', 'B0 B1')).toBeNull();
  });
});

describe('a strict funnel', () => {
  it.each([
    ['A B', 'A X B', 1],
    ['A B', 'X A B', 2],
    ['A B', 'A A B', 2],
    ['A B', 'A X A B', 2],
    ['A B C', 'A B B C', 2],
    ['A B A B', 'A B A B', 4],
    ['A B', 'A0 B61', 1],
  ])('%s of %s: %i', (funnel, events, level) => {
    expect(attempt(funnel, events, { order: 'strict' })?.level).toBe(level);
  });
});

describe('an unordered funnel', () => {
  it.each([
    ['A B C', 'C0 B30 A60', 3, 0],
    ['A B C', 'C0 B30 A61', 2, 30],
    ['A B', 'B5', 1, 5],
    // One event fills one step, and moves to another step if that fills more.
    ['A A', 'A0', 1, 0],
    ['A|B A', 'A0 B1', 2, 0],
    ['A A|B B|C', 'B0 A1 B2', 3, 0],
    ['A A|B B|C', 'B0 B1 B2', 2, 1],
    // Takes the latest of equally good windows.
    ['A B', 'A0 B1 A100 B101 A102', 2, 101],
  ])('%s of %s', (funnel, events, level, start) => {
    expect(attempt(funnel, events, { order: 'unordered' })).toEqual({ level, start, times: [] });
  });
});

describe('the counts of a funnel', () => {
  const clock = { windowMs: 60 * MINUTE, to: 1000 * MINUTE };
  const counted = (now: number, ...attempts: { level: number; start: number; times: number[] }[]) => {
    const tally = funnelTally(3, { ...clock, now: now * MINUTE });
    for (const { level, start, times } of attempts)
      tally.add({ level, date: start * MINUTE, times: times.map((time) => time * MINUTE) });
    return tally.steps();
  };

  it('counts each user at the one missed step, as dropped or still in progress', () => {
    const attempts = [
      { level: 1, start: 0, times: [0] },
      { level: 1, start: 41, times: [41] },
      { level: 2, start: 40, times: [40, 41] },
      { level: 3, start: 50, times: [50, 51, 54] },
    ];
    expect(counted(100, ...attempts).map(({ users, dropped, in_progress }) => [users, dropped, in_progress])).toEqual([
      [4, 0, 0],
      [2, 1, 1],
      [1, 1, 0], // now is start + window: no time left
    ]);
  });

  it('counts no user as in progress after the end of the period', () => {
    expect(counted(1000, { level: 1, start: 999, times: [999] })[1]).toMatchObject({ dropped: 1, in_progress: 0 });
    expect(counted(999, { level: 1, start: 999, times: [999] })[1]).toMatchObject({ dropped: 0, in_progress: 1 });
  });

  it('medians are exact: the mean of the two middle values', () => {
    const waits = [1, 2, 4, 100].map((wait) => ({ level: 2, start: 0, times: [0, wait] }));
    expect(counted(0, ...waits).map(({ median_seconds }) => median_seconds)).toEqual([null, 180, null]);
  });
});
