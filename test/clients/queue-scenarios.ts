import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Action } from './client-program.ts';
import type { Fault } from './faulty-proxy.ts';
import { dataOf, type Scenarios, type Scene } from './scene.ts';

/** Events of a queue with a spool, whose program kills itself while the proxy does this. The next program counts each once. */
async function countedAfterKill(scene: Scene, ...faults: readonly (Fault | undefined)[]): Promise<void> {
  const spool = await mkdtemp(join(tmpdir(), 'botledger-spool-'));
  try {
    scene.proxy.plan(...faults);
    const queue = (names: readonly string[]) => ({
      do: 'queue' as const,
      events: names.map((event) => ({ event, user_id: 1 })),
      max_batch: 2,
      spool,
    });
    await scene.runUntilKilled({ ...queue(['bought', 'bought', 'bought', 'bought', 'bought']), kill_after_ms: 1000 });
    scene.proxy.plan();
    expect(await dataOf(scene.run([queue(['later']) as Action]))).toEqual({ sent: 6, failed: 0 });
    expect(await scene.counts()).toMatchObject({ bought: 5, later: 1 });
  } finally {
    await rm(spool, { recursive: true });
  }
}

/** Of a queue, by the fact that each of them checks. */
export const queueScenarios: Scenarios = {
  async 'each event of a queue counts once, however its batches are disturbed'(scene) {
    const faults: (Fault | undefined)[] = ['lost answer', 'reset before', 'cut answer', 'reset after'];
    // More failures than retries, an unknown outcome, and waits that the service asks for.
    faults.push(undefined, { status: 503, error: 'overloaded', retryAfter: '1' }, 'lost answer', undefined);
    faults.push({ status: 500, error: 'outcome unknown, repeat', carriedOut: true });
    faults.push({ status: 429, error: 'too many requests with this key', retryAfter: '1' });
    scene.proxy.plan(...faults);
    const events = Array.from({ length: 2500 }, (_, index) => ({ event: `kind ${index % 3}`, user_id: 1 }));
    const counted = await dataOf(scene.run([{ do: 'queue', events, max_batch: 1000 }]));
    expect(counted).toEqual({ sent: 2500, failed: 0 });
    const batches = new Map(scene.proxy.arrived.map(({ key, body }) => [key, body]));
    const sizes = [...batches.values()].map((body) => (JSON.parse(body) as object[]).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(2500);
    expect(scene.proxy.arrived.filter(({ key, body }) => batches.get(key) !== body)).toEqual([]);
    expect(scene.proxy.arrived).toHaveLength(batches.size + faults.filter((fault) => fault !== undefined).length);
    expect(await scene.counts()).toMatchObject({ 'kind 0': 834, 'kind 1': 833, 'kind 2': 833 });
  },

  async 'a queue hands back refused items, and sends the rest'(scene) {
    scene.proxy.plan('lost answer');
    const events = [
      { event: 'good', user_id: 1 },
      { event: 'bad', user_id: 0 },
      { event: 'good', user_id: 2 },
    ];
    const counted = await dataOf(scene.run([{ do: 'queue', events, max_batch: 1000 }]));
    expect(counted).toEqual({ sent: 2, failed: 1 });
    expect(await scene.counts()).toMatchObject({ good: 2 });
  },

  async 'a queue continues after refusals of any form, and reports each by its kind'(scene) {
    const refusals: Fault[] = [
      ...[null, {}, ['wrong'], [{ loc: ['body', 0], msg: 'wrong' }]].map((details) => ({
        status: 422,
        body: JSON.stringify({ error: 'wrong', details }),
      })),
      { status: 403, body: '{"error":{"code":403}}' },
      { status: 302, body: '', location: '/login' },
    ];
    scene.proxy.plan(...refusals);
    const events = Array.from({ length: 7 }, (_, n) => ({ event: `kind ${n}`, user_id: 1 }));
    const counted = await dataOf(scene.run([{ do: 'queue', events, max_batch: 1 }]));
    expect(counted).toMatchObject({ sent: 1, failed: 6 });
    expect(scene.proxy.arrived).toHaveLength(7);
    expect(await scene.counts()).toMatchObject({ 'kind 6': 1 });
  },

  async 'a queue refuses an odd event when it is added, by its field, and loses no other'(scene) {
    scene.proxy.plan();
    const events = Array.from({ length: 3 }, () => ({ event: 'good', user_id: 1 }));
    const counted = await dataOf(
      scene.run([{ do: 'queue', events, max_batch: 1000, odd: ['not_a_number', 'long_id'] }]),
    );
    const [value, id] = [expect.stringContaining('(at value_num)'), expect.stringContaining('(at user_id)')];
    expect(counted).toEqual({ sent: 3, failed: 0, refused: [value, id] });
    expect(scene.proxy.arrived).toHaveLength(1);
    const counts = await scene.counts();
    expect(counts).toMatchObject({ good: 3 });
    expect(counts).not.toHaveProperty('odd');
  },

  async 'a queue sends events as they were when they were added'(scene) {
    scene.proxy.plan();
    const events = Array.from({ length: 3 }, () => ({ event: 'good', user_id: 1 }));
    await dataOf(scene.run([{ do: 'queue', events, max_batch: 2, change: true }]));
    expect(await scene.counts()).toMatchObject({ good: 3 });
  },

  async 'a missing key or address, and batches of 5,000, are refused at once'(scene) {
    scene.proxy.plan();
    const refusals = await dataOf(scene.run([{ do: 'construct' }]));
    expect(refusals).toEqual([
      expect.stringMatching(/api.?key/i),
      expect.stringMatching(/base.?url|url/i),
      expect.stringMatching(/max.?batch/i),
      expect.stringMatching(/max.?batch/i),
    ]);
    expect(scene.proxy.arrived).toEqual([]);
  },

  'events of a spool survive a kill -9 while the service is down': (scene) =>
    countedAfterKill(scene, ...Array.from({ length: 200 }, (): Fault => 'reset before')),

  'events of a spool count once after a kill -9 behind the service': (scene) =>
    countedAfterKill(scene, { delayMs: 5000 }, { delayMs: 5000 }, { delayMs: 5000 }),
};
