import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createConnections } from '../../../src/processes/broadcasts/connections.ts';
import { createLimiter } from '../../../src/processes/broadcasts/limiter.ts';
import { type Permit, SendQueue, type Source } from '../../../src/processes/broadcasts/send-queue.ts';
import { pause } from '../../../src/util/pause.ts';

/** A broadcast that always has something to send; each call takes a moment. */
function busy(cap: number, units = 1): Source & { calls: number } {
  const source = {
    calls: 0,
    limiter: createLimiter(cap, 0),
    units: () => units,
    rest() {},
    begin({ taken, over }: Permit) {
      source.calls++;
      taken.written(elapsed());
      setTimeout(() => {
        taken.answered(elapsed());
        over();
      }, 2);
    },
  };
  return source;
}

let ahead = 0;
const elapsed = (): number => performance.now() + ahead;

test('a bot with many broadcasts takes no more from the others than a bot with one', async () => {
  const connections = createConnections(2);
  const stop = new AbortController();
  const [crowd, single] = [
    new SendQueue(connections, 256, elapsed, stop.signal),
    new SendQueue(connections, 256, elapsed, stop.signal),
  ];
  const [many, one] = [Array.from({ length: 10 }, () => busy(1000)), busy(1000)];
  for (const source of many) crowd.add(source);
  single.add(one);
  ahead += 2000; // the rest after the start
  for (const queue of [crowd, single]) queue.wake();
  while (one.calls < 50) await pause(5);
  stop.abort();
  const calls = many.map((source) => source.calls);
  const all = calls.reduce((sum, count) => sum + count, 0);
  expect(all).toBeLessThan(one.calls * 1.5);
  expect(one.calls).toBeLessThan(all * 1.5);
  // Its own broadcasts take turns.
  expect(Math.max(...calls) - Math.min(...calls)).toBeLessThanOrEqual(1);
});

test('nothing is sent in the first second', async () => {
  const stop = new AbortController();
  const queue = new SendQueue(createConnections(2), 256, elapsed, stop.signal);
  const source = busy(1000);
  queue.add(source);
  await pause(100);
  expect(source.calls).toBe(0);
  ahead += 2000;
  queue.wake();
  while (source.calls === 0) await pause(1);
  stop.abort();
  const { calls } = source;
  await pause(50);
  expect(source.calls).toBe(calls);
});

test('keeps to the number of calls of one bot, and begins the next when one is over', async () => {
  const stop = new AbortController();
  const queue = new SendQueue(createConnections(10), 3, elapsed, stop.signal);
  const overs: (() => void)[] = [];
  const source = { ...busy(1000), begin: ({ over }: Permit) => void overs.push(over) };
  queue.add(source);
  ahead += 2000;
  queue.wake();
  await pause(50);
  expect(overs).toHaveLength(3);
  overs[0]!();
  await pause(50);
  expect(overs).toHaveLength(4);
  stop.abort();
});

describe('by a clock of the test', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'] });
  });
  afterEach(() => vi.useRealTimers());

  test.each([
    [10, 10],
    [30, 10],
    [4, 10],
  ])('at a cap of %i, albums of %i and single messages both get their turns', async (cap, units) => {
    const stop = new AbortController();
    const queue = new SendQueue(createConnections(10), 256, elapsed, stop.signal);
    const [album, text] = [busy(cap, units), busy(cap)];
    for (const source of [text, album]) queue.add(source);
    await vi.advanceTimersByTimeAsync(60_000);
    stop.abort();
    const [ofAlbum, ofText] = [album.calls * units, text.calls];
    expect(ofAlbum).toBeGreaterThan(60 * cap * 0.2);
    expect(ofText).toBeGreaterThan(60 * cap * 0.2);
    expect(ofAlbum + ofText).toBeGreaterThan(60 * cap * 0.5);
  });

  test('single messages do not wait for an album that was removed', async () => {
    const stop = new AbortController();
    const queue = new SendQueue(createConnections(10), 256, elapsed, stop.signal);
    const [album, text] = [busy(10, 10), busy(10)];
    for (const source of [text, album]) queue.add(source);
    await vi.advanceTimersByTimeAsync(3500); // the rest, an album, messages for as long, and then they wait
    expect(album.calls).toBe(1);
    queue.remove(album);
    const { calls } = text;
    await vi.advanceTimersByTimeAsync(10_000);
    stop.abort();
    expect(album.calls).toBe(1);
    expect(text.calls - calls).toBeGreaterThan(95);
  });

  test('begins nothing once it is closed, and leaves no listener and no timer', async () => {
    const { signal } = new AbortController();
    const queue = new SendQueue(createConnections(10), 256, elapsed, signal);
    const source = busy(10);
    queue.add(source);
    queue.close();
    expect([getEventListeners(signal, 'abort').length, vi.getTimerCount()]).toEqual([0, 0]);
    queue.wake();
    await vi.advanceTimersByTimeAsync(5000);
    expect(source.calls).toBe(0);
  });

  test.each(['stop', 'remove'] as const)('a connection that comes too late goes to the next queue: %s', async (how) => {
    const [connections, stop, others] = [createConnections(1), new AbortController(), new AbortController()];
    const [late, next] = [stop, others].map(({ signal }) => new SendQueue(connections, 256, elapsed, signal));
    const [gone, sent] = [busy(1000), busy(1000)];
    late!.add(gone);
    await vi.advanceTimersByTimeAsync(1100);
    // It has asked, and gets no connection before the next turn.
    if (how === 'stop') stop.abort();
    else late!.remove(gone);
    const { calls } = gone;
    next!.add(sent);
    await vi.advanceTimersByTimeAsync(3000);
    others.abort();
    expect(gone.calls).toBe(calls);
    expect(sent.calls).toBeGreaterThan(100);
  });

  test('does nothing while it rests for a month', async () => {
    const stop = new AbortController();
    const queue = new SendQueue(createConnections(10), 256, elapsed, stop.signal);
    const source = busy(10);
    let asked = 0;
    queue.add({ ...source, units: () => ++asked && 1 });
    queue.rest(31 * 86_400_000);
    await vi.advanceTimersByTimeAsync(60_000);
    stop.abort();
    expect(asked).toBeLessThan(100);
    expect(source.calls).toBe(0);
  });
});
