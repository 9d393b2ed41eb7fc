import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { hasReasonToBackOff, saveAnswerTimes } from '../../../src/projections/runtime/back-off-reasons.ts';
import { clearError, isFollowed, noteError } from '../../../src/projections/runtime/versions.ts';
import { botledger, operate } from '../../support/operate.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** A build backs off while clients would notice it. */

const COMMITS = 300;
const EVENTS_OF_COMMIT = 100;

let service: TestService;
const run = (argv: string) => operate(service.env, argv.split(' '));
const hasReason = () => hasReasonToBackOff(service.database.pool, service.log, { name: 'events' });
const SLOWER = { p99: 20, quietP99: 10 };

beforeAll(async () => {
  service = await startTestService();
  const { apiKey } = await service.createBot();
  const key = { 'api-key': apiKey };
  const events = Array.from({ length: EVENTS_OF_COMMIT }, (_, i) => ({ event: `event ${i}`, user_id: 7 }));
  for (let i = 0; i < COMMITS; i++) expect((await service.post('/v1/send-event', events, key)).status).toBe(200);
  await service.projected();
});
afterAll(() => service.stop());
beforeEach(() => service.database.pool.query('DELETE FROM runtime.answer_times'));

it('has a reason while an instance answers more slowly than without a build', async () => {
  const { pool } = service.database;
  await service.projected();
  await saveAnswerTimes(pool, 'a', { p99: 11.9, quietP99: 10 });
  await saveAnswerTimes(pool, 'b', { p99: 1.9, quietP99: 1 });
  expect(await hasReason()).toBe(false);
  await saveAnswerTimes(pool, 'a', { p99: 12.1, quietP99: 10 });
  expect(await hasReason()).toBe(true);
  await pool.query(`UPDATE runtime.answer_times SET measured_at = measured_at - interval '20 seconds'`);
  expect(await hasReason()).toBe(false);
});

it('has a reason while a live version is late', async () => {
  const { pool } = service.database;
  const { apiKey } = await service.createBot();
  await service.projected();
  const blocker = await pool.connect();
  try {
    await blocker.query('BEGIN; LOCK TABLE users_v1.checkpoints IN SHARE ROW EXCLUSIVE MODE');
    await service.post('/v1/send-event', { event: 'waits', user_id: 7 }, { 'api-key': apiKey });
    await expect.poll(hasReason).toBe(true);
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
});

it('has none while only a stopped version is late', async () => {
  const { pool } = service.database;
  const { apiKey } = await service.createBot();
  await service.projected();
  await noteError(pool, 'users', 1, 'a bad event');
  await expect.poll(() => isFollowed(pool, 'users', 1)).toBe(false);
  await service.post('/v1/send-event', { event: 'waits', user_id: 7 }, { 'api-key': apiKey });
  const lateSeconds = async () =>
    (await run('projection list')).find(({ name }: { name: string }) => name === 'users').lag.seconds;
  await expect.poll(lateSeconds).toBeGreaterThan(2);
  await expect.poll(hasReason).toBe(false);
  await clearError(pool, 'users', 1);
  await service.restart();
});

it('has none if no other version of the read model answers', async () => {
  const { pool } = service.database;
  await service.projected();
  await saveAnswerTimes(pool, 'a', SLOWER);
  expect(await hasReason()).toBe(true);
  await pool.query(`UPDATE runtime.read_models SET state = 'ready' WHERE name = 'events'`);
  expect(await hasReason()).toBe(false);
  await pool.query(`UPDATE runtime.read_models SET state = 'live' WHERE name = 'events'`);
});

it('a builder backs off and says so; a limit ends it', async () => {
  const { pool } = service.database;
  await service.projected();
  await saveAnswerTimes(pool, 'a', SLOWER);
  await pool.query(`UPDATE runtime.answer_times SET measured_at = measured_at + interval '1 hour'`); // for all of the test
  const building = botledger(service.env, ['projection', 'rebuild', 'events']);
  try {
    const ofBuild = async () =>
      (await run('projection list')).find(({ name, version }: { name: string; version: number }) => {
        return name === 'events' && version === 2;
      });
    await expect.poll(ofBuild).toMatchObject({ state: 'building', build: { backs_off: true, max_rate: null } });
    await run('projection limit events --max-rate 100');
    // The limit keeps it from its end, and the reason to back off is still there.
    await expect.poll(ofBuild).toMatchObject({ state: 'building', build: { backs_off: false, max_rate: 100 } });
    await run('projection limit events --max-rate 1000000');
    expect((await building).code).toBe(0);
    expect(await ofBuild()).toMatchObject({ state: 'ready', build: null });
  } finally {
    await building;
  }
});
