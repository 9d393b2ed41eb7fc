import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { StreamHead } from '../../../src/log/port.ts';
import { createStreamWatch } from '../../../src/processes/broadcasts/shared-look-ups.ts';

const LOOK_MS = 200;
const logger = pino({ level: 'silent' });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function fakeLog() {
  const revisions = new Map<string, number>();
  const asked: string[][] = [];
  let down = false;
  return {
    asked,
    grow: (stream: string) => void revisions.set(stream, (revisions.get(stream) ?? 0) + 1),
    setDown(is: boolean) {
      down = is;
    },
    async streamHeads(streams: readonly string[]): Promise<ReadonlyMap<string, StreamHead>> {
      asked.push([...streams]);
      if (down) throw new Error('down');
      const known = streams.filter((stream) => revisions.has(stream));
      return new Map(known.map((stream) => [stream, { revision: revisions.get(stream)!, hash: '' }]));
    },
  };
}

const look = () => vi.advanceTimersByTimeAsync(LOOK_MS + 1);

it('knows which streams have grown since the last call, by one query for all', async () => {
  const log = fakeLog();
  log.grow('a');
  const watch = createStreamWatch(log, logger, LOOK_MS);
  const [a, b, again] = [watch.watch('a'), watch.watch('b'), watch.watch('a')];
  expect([a.hasGrown(), b.hasGrown()]).toEqual([true, true]);
  await look();
  expect(log.asked).toEqual([['a', 'b']]);
  // Before the first look, growth and older commits look the same.
  expect([a.hasGrown(), b.hasGrown()]).toEqual([true, true]);
  await look();
  expect([a.hasGrown(), b.hasGrown()]).toEqual([false, false]);
  log.grow('b');
  await look();
  expect([a.hasGrown(), b.hasGrown(), b.hasGrown()]).toEqual([false, true, false]);
  log.grow('a');
  await look();
  await look();
  expect([a.hasGrown(), b.hasGrown(), again.hasGrown()]).toEqual([true, false, true]);
});

it('answers that a stream may have grown while the log does not answer', async () => {
  const log = fakeLog();
  const a = createStreamWatch(log, logger, LOOK_MS).watch('a');
  await look();
  await look();
  a.hasGrown();
  log.setDown(true);
  await look();
  expect(a.hasGrown()).toBe(true);
  log.setDown(false);
  await look();
  a.hasGrown();
  await look();
  expect(a.hasGrown()).toBe(false);
});

it('queries only while there are watchers', async () => {
  const log = fakeLog();
  const watch = createStreamWatch(log, logger, LOOK_MS);
  const [first, second] = [watch.watch('a'), watch.watch('a')];
  first.end();
  await look();
  expect(log.asked).toEqual([['a']]);
  second.end();
  await look();
  await look();
  const asked = log.asked.length;
  await look();
  expect(log.asked.length).toBe(asked);
  watch.watch('b');
  await look();
  expect(log.asked.at(-1)).toEqual(['b']);
});
