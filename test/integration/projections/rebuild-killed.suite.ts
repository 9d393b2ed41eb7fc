import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliContext } from '../../../src/app/cli-context.ts';
import { dropVersion } from '../../../src/projections/runtime/drop-version.ts';
import { allVersions, isFollowed, makeLive } from '../../../src/projections/runtime/versions.ts';
import { pause } from '../../../src/util/pause.ts';
import { botledger, operate } from '../../support/operate.ts';
import type { TestService } from '../../support/service.ts';
import { ROOT } from '../../support/source-files.ts';

/** More events than a rebuild writes at once. */
const EVENTS = 60_000;

/** A killed rebuild is resumed by the next command. The same on every engine. */
export function describeKilledRebuild(start: () => Promise<TestService>): void {
  test('a rebuild that was killed with -9 resumes where it was', async () => {
    await withEvents(start, EVENTS, async ({ env, database: { pool } }) => {
      const counted = async (): Promise<number> => {
        const there = await pool.query(`SELECT FROM pg_tables WHERE schemaname = 'events_v2' AND tablename = 'events'`);
        if (there.rowCount === 0) return 0;
        return (await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM events_v2.events')).rows[0]!.n;
      };
      const command = spawn(process.execPath, [join(ROOT, 'bin/botledger.js'), 'projection', 'rebuild', 'events'], {
        env: { ...process.env, ...env },
        stdio: 'ignore',
      });
      const ended = once(command, 'exit');
      await expect.poll(counted, { interval: 5 }).toBeGreaterThan(0);
      expect(getPriority(command.pid), 'no service runs').toBe(getPriority());
      command.kill('SIGKILL');
      await ended;
      const [before, version] = [await counted(), (await allVersions(pool)).find((each) => each.version === 2)];
      expect(version).toMatchObject({ name: 'events', state: 'building' });
      expect(before).toBeLessThan(EVENTS);
      for (const verb of ['verify', 'switch'])
        expect(await botledger(env, ['projection', verb, 'events']), verb).toMatchObject({
          code: 1,
          err: 'botledger: events version 2 is still being built\n',
        });

      let least = before;
      const watching = setInterval(() => void counted().then((now) => (least = Math.min(least, now))), 20);
      const rebuilding = operate(env, ['projection', 'rebuild', 'events']).finally(() => clearInterval(watching));
      expect(await rebuilding).toMatchObject({ version: 2, state: 'ready' });
      expect(least, 'rows were never thrown away').toBe(before);
      expect(await counted(), 'with the user’s message').toBe(EVENTS + 1);
      await operate(env, ['projection', 'verify', 'events']);
    });
  }, 90_000);
}

/** Versions that differ from a replay, and remains of killed commands. The same on every engine. */
export function describeLeftVersions(start: () => Promise<TestService>): void {
  test('a comparison finds a version that differs from a replay, and switch refuses it unless forced', async () => {
    await withEvents(start, 0, async ({ env, database: { pool } }) => {
      expect(await botledger(env, ['projection', 'rebuild', 'users'])).toMatchObject({
        code: 0,
        err: expect.stringMatching(/^built \d+ tables of users version 2 from up to [1-9]\d* commits in .+\n$/),
      });
      expect((await botledger(env, ['projection', 'rebuild', 'users'])).err).toBe('users version 2 was built before\n');
      await pool.query(`UPDATE users_v2.users SET first_name = 'Eve'`);
      const verified = await botledger(env, ['projection', 'verify', 'users']);
      expect(verified).toMatchObject({
        code: 1,
        err: 'botledger: users version 2 differs from a replay of the log: users (1 row, in the replay 1)\n',
      });
      const refused = await botledger(env, ['projection', 'switch', 'users']);
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('was not verified') });
      expect(await botledger(env, ['projection', 'drop', 'users', '--version', '1'])).toMatchObject({
        code: 1,
        err: 'botledger: users version 1 is live: switch to another version first\n',
      });
      expect(await operate(env, ['projection', 'switch', 'users', '--force'])).toMatchObject({
        version: 2,
        state: 'live',
      });
      expect(await operate(env, ['projection', 'switch', 'users', '--version', '1', '--force'])).toMatchObject({
        version: 1,
        state: 'live',
      });
      expect(await operate(env, ['projection', 'drop', 'users', '--version', '2'])).toMatchObject({
        version: 2,
        state: 'dropped',
      });
      expect((await botledger(env, ['projection', 'rebuild', 'nothing'])).err).toContain(
        'there is no read model nothing',
      );
      expect((await botledger(env, ['projection', 'rebuild'])).code).toBe(2);
    });
  }, 90_000);

  test('a comparison does the deferred work of a version that no projector follows', async () => {
    await withEvents(start, 0, async ({ env, database: { pool } }) => {
      await pool.query('INSERT INTO events_v1.revaluations (from_date, noted_at) VALUES (0, 0)');
      await operate(env, ['projection', 'verify', 'events']);
      expect((await pool.query('SELECT FROM events_v1.put_off')).rowCount).toBe(0);
    });
  }, 30_000);

  test('a command of minutes during a service lowers its priority, and leaves the catalog to the service', async () => {
    const service = await start();
    try {
      await service.createBot();
      let lowered = 0;
      const lowerPriority = (): void => void lowered++;
      await cliContext(service.env, { lowerPriority })(async (context) => {
        await context.yieldToService();
        expect(lowered).toBe(1);
        await service.restart(async () => {
          await pause(2500); // an instance that waits for a lease asks once a second
          expect(await isFollowed(service.database.pool, 'catalog', 1)).toBe(false);
        });
      });
    } finally {
      await service.stop();
    }
  });

  test('two comparisons at once take turns, and the remains of a killed one are removed', async () => {
    const service = await start();
    try {
      await service.createBot();
      await Promise.all([1, 2].map(() => operate(service.env, ['projection', 'verify', 'users'])));
      await service.restart(async () => {
        await service.database.pool.query(
          'CREATE SCHEMA users_replay; CREATE TABLE users_replay.users (first_name text)',
        );
      });
      const left = `SELECT FROM pg_namespace WHERE nspname = 'users_replay'`;
      await expect.poll(async () => (await service.database.pool.query(left)).rowCount).toBe(0);
    } finally {
      await service.stop();
    }
  });

  test('the service finishes a drop that was killed; switch refuses a dropped version', async () => {
    const service = await start();
    const { pool } = service.database;
    try {
      await service.createBot();
      await operate(service.env, ['projection', 'rebuild', 'users']);
      expect(await dropVersion(pool, 'users', 2), 'as a command does that is killed then').toBe(true);
      expect(await makeLive(pool, 'users', 2)).toBe(false);
      expect(await dropVersion(pool, 'users', 1), 'the live one').toBe(false);
      const left = `SELECT FROM pg_namespace WHERE nspname = 'users_v2'`;
      await expect.poll(async () => (await pool.query(left)).rowCount).toBe(0);
      expect(await allVersions(pool)).toContainEqual(
        expect.objectContaining({ name: 'users', version: 1, state: 'live' }),
      );
      await pool.query(`UPDATE runtime.read_models SET state = 'ready' WHERE name = 'users'`);
      expect(await dropVersion(pool, 'users', 1), 'the last that answers').toBe(false);
    } finally {
      await service.stop();
    }
  });
}

/** Runs `work` on a stopped service with a user's message and `count` events. */
async function withEvents(
  start: () => Promise<TestService>,
  count: number,
  work: (service: TestService) => Promise<void>,
): Promise<void> {
  const service = await start();
  try {
    const { apiKey } = await service.createBot();
    const key = { 'api-key': apiKey };
    const from = { id: 7, is_bot: false, first_name: 'Ada' };
    const message = { message_id: 1, date: 1_770_000_000, chat: { id: 7, type: 'private' }, from, text: 'hello' };
    expect((await service.post('/v1/send-update', { update: { update_id: 1, message } }, key)).status).toBe(200);
    const events = Array.from({ length: 1000 }, (_, i) => ({ event: `event ${i % 7}`, user_id: 7 }));
    for (let sent = 0; sent < count; sent += events.length)
      expect((await service.post('/v1/send-event', events, key)).status).toBe(200);
    await service.projected();
    await service.restart(() => work(service));
  } finally {
    await service.stop();
  }
}
