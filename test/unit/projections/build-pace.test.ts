import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BuildPace } from '../../../src/projections/runtime/build-pace.ts';
import { BuildRate } from '../../../src/projections/runtime/build-rate.ts';

/** A builder whose clock only its pauses move. */
function paced(limit: number | null) {
  let now = 0;
  const stopping = new AbortController();
  const pauses: number[] = [];
  const pace = new BuildPace(limit, {
    now: () => now,
    pause: async (ms) => {
      pauses.push(ms);
      now += ms;
      if (pauses.length > 100_000) stopping.abort();
    },
    signal: stopping.signal,
  });
  return { pace, pauses, stopping, now: () => now, work: (ms: number) => (now += ms) };
}

describe('a limited build', () => {
  it('applies in any time at most the events of this time and of one transaction', async () => {
    const steps = fc.array(fc.record({ events: fc.integer({ min: 0, max: 500 }), ms: fc.nat(300) }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 10, max: 5000 }), steps, async (limit, transactions) => {
        const { pace, now, work } = paced(limit);
        let [applied, largest] = [0, 0];
        for (const { events, ms } of transactions) {
          work(ms);
          applied += events;
          largest = Math.max(largest, events);
          expect(applied).toBeLessThanOrEqual((limit * now()) / 1000 + largest + 1e-6);
          await pace.after(events);
        }
      }),
    );
  });

  it('waits no longer than the limit demands', async () => {
    const { pace, now, work } = paced(1000);
    work(400);
    await pace.after(500);
    expect(now()).toBeCloseTo(900);
  });

  it('follows a new limit within a wait', async () => {
    const { pace, now, pauses } = paced(1);
    const waiting = pace.after(3600);
    pace.limit = 36_000;
    await waiting;
    expect(pauses.length).toBeLessThan(4);
    expect(now()).toBeLessThan(1000);
  });

  it('has parts of a quarter of a second, and of one event at least', () => {
    expect([1, 100, 10_000].map((limit) => paced(limit).pace.partEvents)).toEqual([1, 25, 2500]);
    expect(paced(null).pace.partEvents).toBe(Number.POSITIVE_INFINITY);
  });

  it('stops waiting when the builder must stop', async () => {
    const { pace, stopping, pauses } = paced(1);
    stopping.abort();
    await pace.after(1000);
    expect(pauses).toEqual([]);
  });
});

it('a build without a limit never waits', async () => {
  const { pace, pauses } = paced(null);
  await pace.after(1_000_000);
  expect(pauses).toEqual([]);
});

describe('the speed of a build', () => {
  const sample = (seconds: number, events: number, commitsLeft: number) => ({
    atMs: seconds * 1000,
    events,
    commitsLeft,
  });

  it('is unknown in the first seconds', () => {
    const rate = new BuildRate();
    expect(rate.note(sample(0, 0, 900))).toBeNull();
    expect(rate.note(sample(2, 100, 800))).toBeNull();
  });

  it('counts the last minute', () => {
    const rate = new BuildRate();
    rate.note(sample(0, 0, 10_000));
    rate.note(sample(100, 100_000, 1000));
    expect(rate.note(sample(150, 101_000, 500))).toEqual({ eventsPerSecond: 20, secondsLeft: 50 });
  });

  it('has no estimate of the time left when the log grows faster, or only deferred work is left', () => {
    const growing = new BuildRate();
    growing.note(sample(0, 0, 100));
    expect(growing.note(sample(10, 50, 200))).toEqual({ eventsPerSecond: 5, secondsLeft: null });
    const ending = new BuildRate();
    ending.note(sample(0, 0, 100));
    expect(ending.note(sample(10, 50, 0))).toEqual({ eventsPerSecond: 5, secondsLeft: null });
  });
});
