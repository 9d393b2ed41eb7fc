import { expect, it } from 'vitest';
import { createIntakePace, maxHoldMs, pacedAppend, TOLERATED_SECONDS } from '../../../src/app/intake-pace.ts';
import { LogBusyError } from '../../../src/log/port.ts';
import { memoryLog } from '../../support/memory-log.ts';

const MAX_HOLD_MS = maxHoldMs(5000);

/** A pace with a clock and a lag of the test. */
function paceAt(lag: { seconds: number | Error }) {
  const clock = { ms: 0 };
  const held: number[] = [];
  const pace = createIntakePace({
    lateSeconds: async () => {
      if (lag.seconds instanceof Error) throw lag.seconds;
      return lag.seconds;
    },
    now: () => clock.ms,
    hold: async (ms) => void held.push(ms),
    maxHoldMs: MAX_HOLD_MS,
  });
  /** @returns how long the append is held; 'refused' */
  async function take(sender: string, items = 1): Promise<number | 'refused'> {
    held.length = 0;
    try {
      await pace.take(sender, items);
    } catch (error) {
      expect(error).toBeInstanceOf(LogBusyError);
      expect((error as LogBusyError).retryAfterSeconds).toBeGreaterThan(MAX_HOLD_MS / 1000);
      return 'refused';
    } finally {
      await new Promise((resolve) => setImmediate(resolve)); // the measurement is not awaited
    }
    return held.reduce((sum, ms) => sum + ms, 0);
  }
  return { clock, take };
}

it('no append waits while read models keep up', async () => {
  const { take } = paceAt({ seconds: TOLERATED_SECONDS });
  for (let i = 0; i < 100; i++) expect(await take('heavy', 1000)).toBe(0);
});

it('a sender waits longer the later read models are and the more items it sent', async () => {
  const wait = async (seconds: number, items: number) => {
    const { take } = paceAt({ seconds });
    await take('heavy');
    await take('heavy', items);
    return take('heavy');
  };
  expect(await wait(TOLERATED_SECONDS + 1, 100)).toBeCloseTo(200);
  expect(await wait(TOLERATED_SECONDS + 2, 100)).toBeCloseTo(400);
  expect(await wait(TOLERATED_SECONDS + 1, 1000)).toBeCloseTo(2000);
  expect(await wait(600, 100)).toBeCloseTo(1000);
});

it('only the sender that filled the backlog waits, and beyond the bound its appends are refused', async () => {
  const { clock, take } = paceAt({ seconds: 3 });
  await take('heavy', 300);
  const heavy: (number | 'refused')[] = [];
  for (; clock.ms < 60_000; clock.ms += 100) {
    heavy.push(await take('heavy', 300));
    expect(await take(`other ${clock.ms % 700}`)).toBe(0);
  }
  const waits = heavy.filter((wait) => wait !== 'refused');
  expect(Math.max(...waits)).toBeLessThanOrEqual(MAX_HOLD_MS);
  expect(Math.max(...waits)).toBeGreaterThan(MAX_HOLD_MS / 2);
  // 100 items take 400 ms: 250 a second, with the ones that are still held.
  expect(waits.length * 300).toBeGreaterThan(60 * 250 * 0.9);
  expect(waits.length * 300).toBeLessThan((60 + 5) * 250 * 1.1);
  expect(heavy).toContain('refused');
});

it('sends a held append on once read models have caught up', async () => {
  let seconds = 6;
  let at = 0;
  const pace = createIntakePace({
    lateSeconds: async () => seconds,
    now: () => at,
    hold: async (ms) => {
      at += ms;
      if (at >= 1500) seconds = 0;
    },
    maxHoldMs: 30_000,
  });
  await pace.take('heavy', 1);
  await pace.take('heavy', 1000);
  await pace.take('heavy', 1);
  // The turn alone would take 10 s.
  expect(at).toBeGreaterThanOrEqual(1500);
  expect(at).toBeLessThan(3000);
  const before = at;
  await pace.take('heavy', 1000);
  expect(at).toBe(before);
});

it('senders of equal rates all wait', async () => {
  const { take } = paceAt({ seconds: 3 });
  for (const sender of ['a', 'b', 'c', 'a', 'b', 'c']) await take(sender, 100);
  for (const sender of ['a', 'b', 'c']) expect(await take(sender, 100)).toBeGreaterThan(0);
});

it('a refused append does not make the next one wait longer', async () => {
  const { clock, take } = paceAt({ seconds: 6 });
  await take('heavy');
  await take('heavy', 300);
  for (let i = 0; i < 100; i++) expect(await take('heavy', 300)).toBe('refused');
  clock.ms += 3000;
  expect(await take('heavy', 300)).toBe(0);
});

it.each([0, new Error('the database is down')])('a sender does not wait once the lag is %s', async (seconds) => {
  const lag: { seconds: number | Error } = { seconds: 600 };
  const { clock, take } = paceAt(lag);
  for (let i = 0; i < 3; i++) await take('heavy', 100);
  lag.seconds = seconds;
  clock.ms += 500;
  await take('heavy');
  expect(await take('heavy', 100)).toBe(0);
});

it('the lag is asked for once while the database does not answer', async () => {
  let measurements = 0;
  let at = 0;
  const lateSeconds = (): Promise<number> => {
    measurements++;
    return new Promise(() => {});
  };
  const pace = createIntakePace({ lateSeconds, now: () => at, hold: async () => {}, maxHoldMs: MAX_HOLD_MS });
  for (; at < 10_000; at += 100) await pace.take('a', 1);
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
  for (; at < 1000; at++) await pace.take('a', 1);
  expect(measurements).toBe(2);
});

it('the time that an intake append is held counts towards MAX_WAIT_MS', async () => {
  const deadlines: (number | undefined)[] = [];
  const taken: [string, number][] = [];
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
        async take(sender, items) {
          taken.push([sender, items]);
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
  await append({ ...commitTo('0192f0c1-0000-7000-8000-000000000002', 'intake-b1'), keyId: 4 }, { deadline: 2000 });
  await append(commitTo('0192f0c1-0000-7000-8000-000000000003', 'referral-b1'));
  expect(deadlines).toEqual([5007, 2000, undefined]);
  expect(taken).toEqual([
    ['intake-b1', 3],
    ['key 4', 3],
  ]);
});
