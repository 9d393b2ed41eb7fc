import { afterAll, beforeAll, expect, it } from 'vitest';
import type { UpgradePlan } from '../../../src/administration/upgrade/upgrade-plan.ts';
import { intakeStream } from '../../../src/domain/streams.ts';
import type { ReadModel } from '../../../src/projections/read-model.ts';
import { allAnswers, type FilledBots, fillService } from '../../support/all-answers.ts';
import { newCommit } from '../../support/log.ts';
import { botledger, operate } from '../../support/operate.ts';
import { readModels } from '../../support/read-models.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** `upgrade plan`, run by a release that differs from the running one. */

let service: TestService;
let filled: FilledBots;
beforeAll(async () => {
  service = await startTestService();
  filled = await fillService(service);
});
afterAll(() => service.stop());

/** The read models of a release that has other tables for some of them. */
const released = (changed: Readonly<Record<string, Partial<ReadModel>>>): ReadModel[] =>
  readModels.map((model) => ({ ...model, ...changed[model.name] }));
const planned = (models = readModels): Promise<UpgradePlan> => operate(service.env, ['upgrade', 'plan'], models);
const builtOf = ({ read_models }: UpgradePlan) => read_models.filter(({ is_built }) => is_built);

it('the release that runs has nothing to do, and reads every event of the log', async () => {
  const plan = await planned();
  expect(plan).toMatchObject({ migrations: [], steps: ['start this release'] });
  expect(builtOf(plan)).toEqual([]);
  expect(plan.events!.types.length).toBeGreaterThan(30);
  for (const { type, tried, unreadable } of plan.events!.types)
    expect([type, tried > 0, unreadable]).toEqual([type, true, null]);
});

it('a changed read model is built: with its tables, its commits, a time and a size; and nothing is changed', async () => {
  const users = readModels.find(({ name }) => name === 'users')!;
  const ddl = `${users.ddl}; CREATE TABLE visits_seen (id bigint); ALTER TABLE users ADD COLUMN nickname text`;
  const models = released({ users: { shape: users.shape + 1, ddl, former: users }, accounts: { shape: 1000 } });
  const before = await allAnswers(service.address, filled);
  const end = await service.log.endCursor();
  const plan = await planned(models);
  expect(builtOf(plan)).toMatchObject([
    {
      name: 'users',
      serves_former: true,
      from_shape: users.shape,
      to_shape: users.shape + 1,
      seconds: expect.any(Number),
    },
    { name: 'accounts', serves_former: false, to_shape: 1000, changes: [] },
  ]);
  const [first] = builtOf(plan);
  expect(first!.changes).toEqual(['users.nickname is new', 'visits_seen.id is new']);
  const intake = plan.events!.types.filter(({ category }) => users.categories.includes(category));
  expect(first!.commits).toBeGreaterThan(0);
  expect(first!.commits).toBeLessThanOrEqual(intake.reduce((sum, { events }) => sum + events, 0));
  expect(first!.disk_bytes).toBeGreaterThan(0);
  expect(plan.steps).toEqual([
    'botledger upgrade apply, while the former release runs',
    'start this release',
    'a step back: botledger projection switch NAME --version N, for users',
    'without apply accounts answer 503 until built, and this release cannot switch back to their former tables',
  ]);
  expect(await service.log.endCursor()).toEqual(end);
  expect(await allAnswers(service.address, filled)).toEqual(before);
  const { rows } = await service.database.pool.query(`SELECT nspname FROM pg_namespace WHERE nspname LIKE '%\\_plan'`);
  expect(rows).toEqual([]);
});

it('ends with the error if the connection ends in the middle of a trial', async () => {
  const ddl = 'SELECT pg_terminate_backend(pg_backend_pid())';
  await expect(planned(released({ users: { shape: 1000, ddl } }))).rejects.toThrow(/terminat/);
});

it('pending migrations are named, and a backup comes first; of a migrated log the events are read', async () => {
  const { pool } = service.database;
  const { rows } = await pool.query<{ name: string; timestamp: string }>(
    'DELETE FROM processes.kysely_migration WHERE name = (SELECT max(name) FROM processes.kysely_migration) RETURNING *',
  );
  try {
    const plan = await planned();
    expect(plan.migrations).toEqual([{ schema: 'processes', names: [rows[0]!.name] }]);
    expect(plan.steps[0]).toMatch(/^botledger backup FILE, by the former release/);
    expect(plan.events).not.toBeNull();
  } finally {
    await pool.query('INSERT INTO processes.kysely_migration VALUES ($1, $2)', [rows[0]!.name, rows[0]!.timestamp]);
  }
});

it('an installation of another release lacks columns that this one adds', async () => {
  const { pool } = service.database;
  const added = ['served', 'paused', 'max_rate', 'backs_off', 'part_rebuilds'];
  const renamed = (to: string, from: string) =>
    Promise.all(
      added.map((name) => pool.query(`ALTER TABLE runtime.read_models RENAME ${from}${name} TO ${to}${name}`)),
    );
  await service.restart(async () => {
    await renamed('later_', '');
    try {
      expect((await planned()).read_models.map(({ is_built }) => is_built)).not.toContain(true);
    } finally {
      await renamed('', 'later_');
    }
  });
});

it('a migration of the log leaves its events unread; a newer release that has written the database is refused', async () => {
  const { pool } = service.database;
  await pool.query(`UPDATE log.kysely_migration SET name = '9999_later' WHERE name LIKE '0001%'`);
  try {
    expect(await botledger(service.env, ['upgrade', 'plan'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/written by a newer version: schema log has 9999_later/),
    });
  } finally {
    await pool.query(`DELETE FROM log.kysely_migration WHERE name = '9999_later'`);
  }
  const plan = await planned();
  expect(plan.migrations).toMatchObject([{ schema: 'log' }]);
  expect(plan.events).toBeNull();
  expect(plan.steps.slice(1, 3)).toEqual([
    'botledger projection list, which migrates',
    'botledger upgrade plan, which then reads the log',
  ]);
});

it('a database that does not answer is named, with the next step', async () => {
  const down = { ...service.env, DATABASE_URL: 'postgres://botledger@127.0.0.1:1/none' };
  expect(await botledger(down, ['upgrade', 'plan'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /the database does not answer \(.*ECONNREFUSED.*\): start its server, or correct DATABASE_URL/,
    ),
  });
});

it('events that the release cannot read are named, with the first of each type', async () => {
  const other = await startTestService();
  const bot = await other.createBot();
  const events = [{ type: 'from_the_future', v: 3, data: {} }];
  const { position } = await other.log.append(newCommit(intakeStream(bot.publicKey), { events }));
  const { code, out, err } = await botledger(other.env, ['upgrade', 'plan']);
  expect([code, err]).toEqual([1, expect.stringContaining('this release cannot read the log')]);
  const plan = JSON.parse(out) as UpgradePlan;
  expect(plan.events!.types.filter(({ unreadable }) => unreadable !== null)).toEqual([
    {
      ...{ category: 'intake', type: 'from_the_future', v: 3, events: 1, tried: 1 },
      unreadable: { position, error: 'unknown event type from_the_future' },
    },
  ]);
  expect(plan.steps).toEqual(['do not start this release: it cannot read from_the_future v3; look for a newer one']);
  await other.stop();
});
