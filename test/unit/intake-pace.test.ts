import { expect, it } from 'vitest';
import { createIntakePace, maxHoldMs, pacedAppend, TOLERATED_SECONDS } from '../../src/app/intake-pace.ts';
import { memoryLog } from '../support/memory-log.ts';

const MAX_HOLD_MS = maxHoldMs(5000);

/** A pace that asks for the lag before each append. @returns how long each append waits */
async function holds(late: readonly (number | Error)[], items = 1): Promise<number[]> {
  const held: number[] = [];
  let at = 0;
  let measurements = 0;
  const pace = createIntakePace({
    lateSeconds: async () => {
      const seconds = late[measurements++]!;
      if (seconds instanceof Error) throw seconds;
      return seconds;
    },
    now: () => at,
    hold: async (ms) => void held.push(ms),
    maxHoldMs: MAX_HOLD_MS,
  });
  for (const _ of late) {
    await pace.take(items);
    at += 1000;
    await new Promise((resolve) => setImmediate(resolve)); // the measurement is not awaited
  }
  held.length = 0;
  await pace.take(items);
  return held;
}

it('an append does not wait while read models keep up', async () => {
  expect(await holds([0, TOLERATED_SECONDS, 0])).toEqual([]);
});

it('an append waits longer the later read models are, and never longer than the bound', async () => {
  const a = (await holds([TOLERATED_SECONDS + 1]))[0]!;
  const b = (await holds([TOLERATED_SECONDS + 2]))[0]!;
  expect(a).toBeGreaterThan(0);
  expect(b).toBeGreaterThan(a);
  expect(await holds([600])).toEqual([MAX_HOLD_MS]);
});

it('an append of 1,000 items waits ten times as long as one of 100, and never longer than the bound', async () => {
  const hundred = (await holds([TOLERATED_SECONDS + 0.1], 100))[0]!;
  expect(await holds([TOLERATED_SECONDS + 0.1], 1)).toEqual([hundred]);
  expect((await holds([TOLERATED_SECONDS + 0.1], 1000))[0]).toBeCloseTo(10 * hundred);
  expect(await holds([TOLERATED_SECONDS + 1], 1000)).toEqual([MAX_HOLD_MS]);
});

it('an append does not wait once read models keep up again', async () => {
  expect(await holds([600, 0])).toEqual([]);
});

it('an append does not wait while the lag of read models is unknown', async () => {
  expect(await holds([600, new Error('the database is down')])).toEqual([]);
});

it('the lag is asked for once while the database does not answer', async () => {
  let measurements = 0;
  let at = 0;
  const lateSeconds = (): Promise<number> => {
    measurements++;
    return new Promise(() => {});
  };
  const pace = createIntakePace({ lateSeconds, now: () => at, hold: async () => {}, maxHoldMs: MAX_HOLD_MS });
  for (; at < 10_000; at += 100) await pace.take(1);
  expect(measurements).toBe(1);
});

it('the lag is asked for at most twice a second, however many appends there are', async () => {
  let measurements = 0;
  let at = 0;
  const lateSeconds = async (): Promise<number> => {
    measurements++;
    return 0;
  };
  const pace = createIntakePace({ lateSeconds, now: () => at, hold: async () => {}, maxHoldMs: MAX_HOLD_MS });
  for (; at < 1000; at++) await pace.take(1);
  expect(measurements).toBe(2);
});

it('an append is held for 1 s or a fifth of MAX_WAIT_MS, whichever is shorter', () => {
  expect([100, 4000, 5000, 60_000].map(maxHoldMs)).toEqual([20, 800, 1000, 1000]);
});

it('the time that an intake append is held counts towards MAX_WAIT_MS', async () => {
  const deadlines: (number | undefined)[] = [];
  const taken: number[] = [];
  let at = 7;
  const log = memoryLog();
  const append = pacedAppend(
    {
      async append(commit, options) {
        deadlines.push(options?.deadline);
        return log.append(commit);
      },
    },
    {
      pace: {
        async take(items) {
          taken.push(items);
          at += 900;
        },
      },
      now: () => at,
      maxWaitMs: 5000,
    },
  );
  const commitTo = (id: string, stream: string) =>
    ({ id, stream, expected: 'any', at: 0, events: [{ type: 'Happened', v: 1, data: { items: [1, 2, 3] } }] }) as const;
  await append(commitTo('0192f0c1-0000-7000-8000-000000000001', 'intake-b1'));
  await append(commitTo('0192f0c1-0000-7000-8000-000000000002', 'intake-b1'), { deadline: 2000 });
  await append(commitTo('0192f0c1-0000-7000-8000-000000000003', 'referral-b1'));
  expect(deadlines).toEqual([5007, 2000, undefined]);
  expect(taken).toEqual([3, 3]);
});
