import Fastify from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type AnswerTimes, measureAnswerTimes } from '../../../src/api/answer-times.ts';

const SLOT_MS = 4000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function measured() {
  const app = Fastify();
  const found = { isBuilding: false, looks: 0, saved: [] as AnswerTimes[], errors: [] as unknown[] };
  measureAnswerTimes(app, {
    isAnyBuilt: async () => {
      found.looks++;
      return found.isBuilding;
    },
    save: async (times) => void found.saved.push(times),
    onError: (error) => found.errors.push(error),
  });
  app.get('/v1/users/get', () => 'ok');
  app.get('/v1/export/users', () => 'ok');
  app.get('/health', () => 'ok');
  await app.ready();
  const ask = async (url: string, times: number): Promise<void> => {
    for (let i = 0; i < times; i++) await app.inject(url);
  };
  return { found, ask, app, endSlot: () => vi.advanceTimersByTimeAsync(SLOT_MS) };
}

it('saves the p99 while a read model is built, next to that of the quiet time', async () => {
  const { found, ask, endSlot } = await measured();
  await ask('/v1/users/get', 100);
  await endSlot();
  expect(found.saved).toEqual([]);
  found.isBuilding = true;
  await ask('/v1/users/get', 100);
  await endSlot();
  expect(found.saved).toEqual([{ p99: expect.any(Number), quietP99: expect.any(Number) }]);
  for (const value of Object.values(found.saved[0]!)) expect(value).toBeGreaterThan(0);
  expect(found.errors).toEqual([]);
});

it('says nothing of a build that was there before the first request', async () => {
  const { found, ask, endSlot } = await measured();
  found.isBuilding = true;
  await ask('/v1/users/get', 100);
  await endSlot();
  expect([found.looks, found.saved]).toEqual([1, []]);
});

it('asks the database only after many requests of clients', async () => {
  const { found, ask, endSlot } = await measured();
  await ask('/v1/users/get', 99);
  await ask('/v1/export/users', 100);
  await ask('/health', 100);
  await endSlot();
  expect(found.looks).toBe(0);
  // No timer is left, and the next slot begins at zero.
  expect(vi.getTimerCount()).toBe(0);
  await ask('/v1/users/get', 99);
  await endSlot();
  expect(found.looks).toBe(0);
});

it('leaves no timer behind when the app is closed', async () => {
  const { ask, app } = await measured();
  await ask('/v1/users/get', 1);
  expect(vi.getTimerCount()).toBe(1);
  await app.close();
  expect(vi.getTimerCount()).toBe(0);
});
