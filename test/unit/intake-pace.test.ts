import { expect, it } from 'vitest';
import { createIntakePace, MAX_HOLD_MS, TOLERATED_SECONDS } from '../../src/intake-pace.ts';

/** A pace that looks before each append; what each of them waits. */
async function holds(late: readonly (number | Error)[]): Promise<number[]> {
  const held: number[] = [];
  let at = 0;
  let looks = 0;
  const pace = createIntakePace({
    lateSeconds: async () => {
      const seconds = late[looks++]!;
      if (seconds instanceof Error) throw seconds;
      return seconds;
    },
    now: () => at,
    hold: async (ms) => void held.push(ms),
  });
  for (const _ of late) {
    await pace.take();
    at += 1000;
    await new Promise((resolve) => setImmediate(resolve)); // the look is not awaited
  }
  held.length = 0;
  await pace.take();
  return held;
}

it('an append waits for nothing while read models keep up', async () => {
  expect(await holds([0, TOLERATED_SECONDS, 0])).toEqual([]);
});

it('an append waits longer the later read models are, and never longer than the bound', async () => {
  const a = (await holds([TOLERATED_SECONDS + 1]))[0]!;
  const b = (await holds([TOLERATED_SECONDS + 2]))[0]!;
  expect(a).toBeGreaterThan(0);
  expect(b).toBeGreaterThan(a);
  expect(await holds([600])).toEqual([MAX_HOLD_MS]);
});

it('an append waits for nothing once read models keep up again', async () => {
  expect(await holds([600, 0])).toEqual([]);
});

it('an append waits for nothing while nobody can say how late read models are', async () => {
  expect(await holds([600, new Error('the database is down')])).toEqual([]);
});

it('how late read models are is asked at most twice a second, however many appends there are', async () => {
  let looks = 0;
  let at = 0;
  const lateSeconds = async (): Promise<number> => {
    looks++;
    return 0;
  };
  const pace = createIntakePace({ lateSeconds, now: () => at, hold: async () => {} });
  for (; at < 1000; at++) await pace.take();
  expect(looks).toBe(2);
});
