import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ReportNotRunError, reportQueue } from '../../../src/queries/reports/report-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue whose reports run until the test ends them. */
function world(slots: number) {
  const queue = reportQueue(slots, 5000);
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  /** @param name the key's digit, then the report's letter */
  const ask = (name: string): Promise<string> =>
    queue.run(Number(name[0]), async () => {
      began.push(name);
      await new Promise<void>((resolve) => void ends.set(name, resolve));
      return name;
    });
  const end = async (name: string): Promise<void> => {
    await vi.advanceTimersByTimeAsync(0);
    ends.get(name)!();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { queue, began, ask, end };
}

it('lets a report of another key pass all queued reports of one key', async () => {
  const { began, ask, end } = world(1);
  const asked = ['1a', '1b', '1c', '2a', '3a', '2b'].map(ask);
  for (const name of ['1a', '2a', '3a', '1b', '2b', '1c']) await end(name);
  expect(began).toEqual(['1a', '2a', '3a', '1b', '2b', '1c']);
  expect(await Promise.all(asked)).toEqual(['1a', '1b', '1c', '2a', '3a', '2b']);
});

it('gives a free slot to the key with the fewest running reports', async () => {
  const { began, ask, end } = world(3);
  const asked = ['1a', '1b', '2a', '1c', '2b', '2c'].map(ask);
  await vi.advanceTimersByTimeAsync(0);
  expect(began).toEqual(['1a', '1b', '2a']);
  await end('1a');
  expect(began.slice(3), 'one running each: the last turn of key 1 is longer ago').toEqual(['1c']);
  await end('1b');
  await end('2a');
  expect(began.slice(4)).toEqual(['2b', '2c']);
  for (const name of ['1c', '2b', '2c']) await end(name);
  await Promise.all(asked);
});

it('refuses a report whose turn does not come in time, and never runs it', async () => {
  const { began, ask, end } = world(1);
  const running = ask('1a');
  const late = expect(ask('2a')).rejects.toThrow(ReportNotRunError);
  await vi.advanceTimersByTimeAsync(4999);
  const waits = ask('2b');
  await vi.advanceTimersByTimeAsync(1);
  await late;
  await end('1a');
  expect(await running).toBe('1a');
  expect(began).toEqual(['1a', '2b']);
  await vi.advanceTimersByTimeAsync(60_000);
  await end('2b');
  expect(await waits, 'a report that runs is not refused').toBe('2b');
});

it('counts the wait for a turn and the start of a report against one limit', async () => {
  const { queue, ask, end } = world(1);
  const running = ask('1a');
  const left = queue.run(2, (leftMs) => Promise.resolve(leftMs));
  await vi.advanceTimersByTimeAsync(2000);
  await end('1a');
  await running;
  expect(await left).toBe(3000);
});

it('gives the slot of a failed report to the next', async () => {
  const { queue, ask, end } = world(1);
  const failed = expect(queue.run(1, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  const next = ask('1b');
  await failed;
  await vi.advanceTimersByTimeAsync(0);
  await end('1b');
  expect(await next).toBe('1b');
});
