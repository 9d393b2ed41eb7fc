import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadCheckpoint } from '../../../src/projections/runtime/checkpoint.ts';
import { allVersions, isFollowed } from '../../../src/projections/runtime/versions.ts';
import { pause } from '../../../src/util/pause.ts';
import { longOnly } from '../../support/long-only.ts';
import { botledger, operate } from '../../support/operate.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { ROOT } from '../../support/source-files.ts';

/** A limit, a pause and the end of a build, while a service and a command may both build the version. */

/** Enough for a build that the service and the command share. */
const COMMITS = 1200;
const BOTS = 4;
const EVENTS_OF_COMMIT = 4;
/** Without a limit the events take less than a second. */
const MAX_RATE = 100;
/** At most the events of a part and of one commit beyond the limit, for each of two builders. */
const BEYOND = 2 * (MAX_RATE / 4 + EVENTS_OF_COMMIT);

let service: TestService;
const run = (argv: string) => operate(service.env, argv.split(' '));

beforeAll(async () => {
  service = await startTestService();
  const keys = [];
  for (let i = 0; i < BOTS; i++) keys.push({ 'api-key': (await service.createBot()).apiKey });
  const from = { id: 7, is_bot: false, first_name: 'Ada' };
  const message = { message_id: 1, date: 1_770_000_000, chat: { id: 7, type: 'private' }, from, text: 'hello' };
  for (const key of keys) await service.post('/v1/send-update', { update: { update_id: 1, message } }, key);
  const events = Array.from({ length: EVENTS_OF_COMMIT }, (_, i) => ({ event: `event ${i}`, user_id: 7 }));
  for (let i = 0; i < COMMITS; i++)
    expect((await service.post('/v1/send-event', events, keys[i % BOTS])).status).toBe(200);
  await service.projected();
});
afterAll(() => service.stop());

/** How many events the version has. */
async function applied(version: number): Promise<number> {
  const { pool } = service.database;
  const there = await pool.query('SELECT FROM pg_tables WHERE schemaname = $1', [`events_v${version}`]);
  if (there.rowCount === 0) return 0;
  return (await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM events_v${version}.events`)).rows[0]!.n;
}

async function rowOf(version: number) {
  const rows: { name: string; version: number }[] = await run('projection list');
  return rows.find((row) => row.name === 'events' && row.version === version);
}

/** Begins a limited build by a command. @returns its end, with the exit code and the message */
function beginBuild(): ReturnType<typeof botledger> {
  return botledger(service.env, ['projection', 'rebuild', 'events', '--max-rate', String(MAX_RATE)]);
}

longOnly('a limit holds after the command was killed with -9 and the service continues', async () => {
  const command = spawn(
    process.execPath,
    [join(ROOT, 'bin/botledger.js'), 'projection', 'rebuild', 'events', '--max-rate', String(MAX_RATE)],
    { env: { ...process.env, ...service.env }, stdio: 'ignore' },
  );
  const ended = once(command, 'exit');
  const tables = async () => (await allVersions(service.database.pool)).some(({ version }) => version === 2);
  await expect.poll(tables, { interval: 5 }).toBe(true);
  const begun = performance.now();
  const atMost = (): number => BEYOND + (MAX_RATE * (performance.now() - begun)) / 1000;
  await expect.poll(() => applied(2)).toBeGreaterThan(MAX_RATE / 2);
  command.kill('SIGKILL');
  await ended;
  const left = await applied(2);
  expect(left).toBeLessThanOrEqual(atMost());
  await expect.poll(() => applied(2)).toBeGreaterThan(left + MAX_RATE);
  expect(await applied(2)).toBeLessThanOrEqual(atMost());

  // Its speed is known after some seconds.
  const speed = async () => ((await rowOf(2)) as { build?: { events_per_second: number | null } } | undefined)?.build;
  await expect.poll(speed).toMatchObject({ max_rate: MAX_RATE, events_per_second: expect.any(Number) });
  expect((await speed())!.events_per_second).toBeLessThanOrEqual(MAX_RATE + BEYOND);
  expect(await applied(2)).toBeLessThanOrEqual(atMost());

  expect(await run('projection limit events --max-rate none')).toMatchObject({ build: { max_rate: null } });
  await expect.poll(() => rowOf(2)).toMatchObject({ state: 'ready', build: null });
  await run('projection verify events');
  await run('projection drop events --version 2');
});

test('a pause holds the checkpoint still, outlives a restart, and resumes to what a replay gives', async () => {
  const { pool } = service.database;
  const command = beginBuild();
  await expect.poll(() => applied(2)).toBeGreaterThan(0);
  expect(await run('projection pause events')).toMatchObject({
    state: 'building',
    build: { paused: true, max_rate: MAX_RATE, events_per_second: null, seconds_left: null },
    next_command: 'botledger projection resume events',
  });
  const message = 'botledger: events version 2 is paused: resume it with projection resume events\n';
  expect(await command).toMatchObject({ code: 1, err: expect.stringContaining(message) });
  await expect.poll(() => isFollowed(pool, 'events', 2)).toBe(false);
  const held = await loadCheckpoint(pool, 'events_v2');
  expect(await botledger(service.env, ['projection', 'rebuild', 'events'])).toMatchObject({ code: 1, err: message });
  await service.restart();
  await pause(2000); // an instance that waits for a lease asks once a second
  expect(await loadCheckpoint(pool, 'events_v2')).toEqual(held);
  expect(await isFollowed(pool, 'events', 2)).toBe(false);

  await run('projection limit events --max-rate none');
  expect(await run('projection resume events')).toMatchObject({ version: 2 });
  await expect.poll(() => rowOf(2)).toMatchObject({ state: 'ready' });
  await run('projection verify events');
  expect(await botledger(service.env, ['projection', 'pause', 'events'])).toMatchObject({
    code: 1,
    err: 'botledger: events version 2 is not being built\n',
  });
  await run('projection drop events --version 2');
});

test('a dropped build leaves no schema, row or lease behind', async () => {
  const { pool } = service.database;
  for (const isPaused of [false, true]) {
    const command = beginBuild();
    await expect.poll(() => applied(2)).toBeGreaterThan(0);
    if (isPaused) await run('projection pause events');
    expect(await run('projection drop events --version 2')).toMatchObject({ version: 2, state: 'dropped' });
    expect((await command).code).toBe(1);
    const left = async () =>
      (
        await pool.query(
          `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'events\\_v2%'
           UNION ALL SELECT name FROM runtime.read_models WHERE name = 'events' AND version = 2
           UNION ALL SELECT name FROM runtime.leases WHERE name LIKE '%events\\_v2%'`,
        )
      ).rows;
    await expect.poll(left).toEqual([]);
    await pause(1500); // longer than a projector needs to see a version
    expect(await left()).toEqual([]);
  }
});
