import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLimiter, type Limiter, type Taken } from '../../../src/processes/broadcasts/limiter.ts';

/** The limiter between a sender and a receiver whose ways are simulated: nothing here waits. */

const WINDOW_MS = 980;

interface Way {
  /** From the sender's decision until the request is being written, from there to the receiver, and back. */
  readonly start: number;
  readonly there: number;
  readonly back: number;
}

interface Arrival {
  readonly at: number;
  readonly units: number;
}

/** Sends as many messages as there are ways, as soon as the limiter lets them; `stalls[i]`: the sender is held up. */
function simulate(
  limiter: Limiter,
  sends: readonly { readonly units: number; readonly way: Way; readonly stall: number }[],
): Arrival[] {
  const arrivals: Arrival[] = [];
  let events: { readonly at: number; readonly run: (now: number) => void }[] = [];
  let now = 0;
  const advance = (to: number): void => {
    for (;;) {
      const next = events.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > to) break;
      events = events.filter((event) => event !== next);
      next.run(next.at);
    }
    now = to;
  };
  for (const { units, way, stall } of sends) {
    advance(now + stall);
    for (let wait = limiter.wait(units, now); wait > 0; wait = limiter.wait(units, now)) advance(now + wait);
    const taken: Taken = limiter.take(units, now);
    const written = now + way.start;
    const at = written + way.there;
    arrivals.push({ at, units });
    events.push({ at: written, run: (time) => taken.written(time) });
    events.push({ at: at + way.back, run: (time) => taken.answered(time) });
  }
  return arrivals.toSorted((a, b) => a.at - b.at);
}

function mostInWindow(arrivals: readonly Arrival[]): number {
  let most = 0;
  for (const [i, first] of arrivals.entries()) {
    const within = arrivals.slice(i).filter(({ at }) => at - first.at < WINDOW_MS);
    most = Math.max(
      most,
      within.reduce((sum, { units }) => sum + units, 0),
    );
  }
  return most;
}

const delay = fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0, max: 40 }) }, fc.integer({ min: 0, max: 290 }));

describe('over ways of any delay', () => {
  test('the receiver never gets more than the cap in 0.98 s', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }).chain((cap) =>
          fc.record({
            cap: fc.constant(cap),
            sends: fc.array(
              fc.record({
                units: fc.integer({ min: 1, max: Math.min(cap, 10) }),
                way: fc.record({ start: delay, there: delay, back: fc.integer({ min: 0, max: 3000 }) }),
                stall: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 2000 })),
              }),
              { minLength: 1, maxLength: 120 },
            ),
          }),
        ),
        ({ cap, sends }) => {
          expect(mostInWindow(simulate(createLimiter(cap, 0), sends))).toBeLessThanOrEqual(cap);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a send of more units than the cap goes alone, and then nothing for as long as it would have taken', () => {
    const limiter = createLimiter(4, 0);
    const way = { start: 0, there: 10, back: 10 };
    const sends = [1, 10, 1].map((units) => ({ units, way, stall: 0 }));
    const [first, album, last] = simulate(limiter, sends);
    expect(album!.at - first!.at).toBeGreaterThan(WINDOW_MS);
    expect(last!.at - album!.at).toBeGreaterThanOrEqual(2500);
    expect(last!.at - album!.at).toBeLessThan(2600);
  });
});

describe.each([
  { answer: [1, 19] as const, least: 0.95 },
  { answer: [95, 105] as const, least: 0.8 },
])('with answers after $answer ms', ({ answer: [min, max], least }) => {
  test.each([1, 2, 7, 10, 30, 100, 1000])(`at least ${least} of a cap of %i is used`, (cap) => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min, max })), (answers) => {
        const sends = Array.from({ length: Math.min(cap * 5, 1500) + 10 }, () => {
          const there = answers.next().value! / 2;
          return { units: 1, way: { start: 0, there, back: there }, stall: 0 };
        });
        const arrivals = simulate(createLimiter(cap, 0), sends);
        const seconds = (arrivals.at(-1)!.at - arrivals[0]!.at) / 1000;
        expect((arrivals.length - 1) / seconds / cap).toBeGreaterThan(least);
      }),
      { numRuns: 3 },
    );
  });
});

test('a silent receiver does not stop the others', () => {
  const way = { start: 0, there: 5, back: 30_000 };
  const arrivals = simulate(
    createLimiter(10, 0),
    Array.from({ length: 100 }, () => ({ units: 1, way, stall: 0 })),
  );
  expect(arrivals.at(-1)!.at).toBeLessThan(13_000);
});

test('a request that was never written takes no units', () => {
  const limiter = createLimiter(1, 0);
  limiter.take(1, 0).answered(100);
  expect(limiter.wait(1, 1000)).toBe(0);
});

test('nothing starts while it rests', () => {
  const limiter = createLimiter(10, 0);
  limiter.restUntil(1000);
  expect(limiter.wait(1, 400)).toBe(600);
});
