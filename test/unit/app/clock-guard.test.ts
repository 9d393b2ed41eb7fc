import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { type ClockGuard, createClockGuard } from '../../../src/app/clock-guard.ts';
import { createClockWatch } from '../../../src/database/clock-watch.ts';
import { WrongClockError } from '../../../src/log/port.ts';
import { memoryLog } from '../../support/memory-log.ts';

interface Machine {
  /** This machine's clock, the monotonic one, and the database's. */
  now: number;
  elapsed: number;
  database: number;
  /** How long the database takes to answer; null: it does not. */
  roundTripMs: number | null;
  questions: number;
}

/** Time passes on all clocks. */
function pass(machine: Machine, ms: number): void {
  machine.now += ms;
  machine.elapsed += ms;
  machine.database += ms;
}

async function open(
  change: Partial<Machine> = {},
): Promise<{ machine: Machine; guard: ClockGuard; append: () => Promise<unknown> }> {
  const machine: Machine = { now: 1e12, elapsed: 500, database: 1e12, roundTripMs: 0, questions: 0, ...change };
  const watch = createClockWatch({
    now: () => machine.now,
    elapsed: () => machine.elapsed,
    async databaseTime(asked) {
      asked();
      machine.questions++;
      if (machine.roundTripMs === null) throw new Error('the database does not answer');
      const answer = machine.database;
      pass(machine, machine.roundTripMs);
      return answer;
    },
  });
  await watch.measure();
  const guard = createClockGuard(watch, pino({ level: 'silent' }));
  onTestFinished(guard.stop);
  const log = guard.guarded(memoryLog());
  let id = 0;
  const append = () =>
    log.append({
      id: `${id++}`,
      stream: 'intake-b',
      expected: 'any',
      at: machine.now,
      events: [{ type: 't', v: 1, data: {} }],
    });
  return { machine, guard, append };
}

test.each([5100, -5100, 60 * 86_400_000])('refuses appends while the clock is %d ms ahead', async (aheadMs) => {
  const { append, guard, machine } = await open({ now: 1e12 + aheadMs });
  await expect(append()).rejects.toThrow(WrongClockError);
  await expect(guard.check()).rejects.toThrow(WrongClockError);
  machine.now -= aheadMs;
  await expect(append()).resolves.toMatchObject({ repeated: null });
});

test('appends with a difference of less than 5 s, and asks the database nothing for them', async () => {
  const { append, machine } = await open({ now: 1e12 + 4900 });
  for (let i = 0; i < 10; i++) await append();
  expect(machine.questions).toBe(1);
});

test('takes off half the time of the answer', async () => {
  // The database read its clock somewhere within these 12 s, so a difference of 0 is possible.
  const { append, guard } = await open({ roundTripMs: 12_000 });
  expect(guard.aheadMs()).toBe(0);
  await append();
});

test('notices a clock that was set before the next append, also while the database does not answer', async () => {
  const { append, machine } = await open();
  await append();
  machine.roundTripMs = null;
  machine.now -= 3_600_000;
  await expect(append()).rejects.toThrow('3600.0 s behind');
  machine.now += 3_600_000;
  await append();
});

test('appends after the machine slept: its monotonic clock stood still, and its clock is right', async () => {
  const { append, machine } = await open();
  machine.now += 3_600_000;
  machine.database += 3_600_000;
  await append();
  expect(machine.questions).toBe(2);
});

test('asks once a second at most while the clock is wrong', async () => {
  const { append, machine } = await open({ now: 1e12 + 60_000 });
  for (let i = 0; i < 30; i++) {
    pass(machine, 100);
    await expect(append()).rejects.toThrow(WrongClockError);
  }
  expect(machine.questions).toBeLessThanOrEqual(4);
  machine.database += 60_000;
  pass(machine, 1001);
  await append();
});
