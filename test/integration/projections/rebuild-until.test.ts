import { afterAll, beforeAll, expect, test } from 'vitest';
import { botStream } from '../../../src/domain/streams.ts';
import { type Cursor, hasPassed } from '../../../src/log/port.ts';
import { fillService } from '../../support/all-answers.ts';
import { appendUpdate } from '../../support/append-update.ts';
import { newCommit, readAll } from '../../support/log.ts';
import { botledger, operate } from '../../support/operate.ts';
import { readModels } from '../../support/read-models.ts';
import { replayAll, rowsOf } from '../../support/replay.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { watchedReadModels } from '../../support/watched-read-models.ts';

/** A read model as it was at an earlier position of the log. */

const OLD_TOKEN = '123456:IN-CLEAR';
let service: TestService;
let earlier: Cursor;
beforeAll(async () => {
  service = await startTestService();
  const { bot } = await fillService(service);
  const stream = botStream(bot.publicKey);
  // As an early version of the service has recorded it.
  const { head } = await service.log.read(stream);
  await service.log.append(
    newCommit(stream, { expected: head, events: [{ type: 'bot_changed', v: 1, data: { token: OLD_TOKEN } }] }),
  );
  earlier = await service.log.endCursor();
  const auth = { 'api-key': bot.apiKey };
  expect((await service.post('/v1/send-event', [{ event: 'late', user_id: 1 }], auth)).status).toBe(200);
  await appendUpdate(service.log, bot.publicKey, 1_000_001, undefined);
  await service.createBot();
  await service.projected();
});
afterAll(() => service.stop());

const run = (...argv: string[]) => operate(service.env, argv);
const query = async (text: string) => (await service.database.pool.query(text)).rows;
const schemas = async () =>
  (await query(`SELECT nspname FROM pg_namespace WHERE nspname LIKE '%\\_until%' ORDER BY 1`)).map(
    ({ nspname }) => nspname as string,
  );
const refused = (why: string) => ({ code: 1, err: expect.stringContaining(why) });

test('equals a replay of the commits up to there, without personal fields and secrets', async () => {
  const categories = [...new Set(readModels.flatMap((model) => model.categories))];
  const all = await readAll(service.log, { categories });
  const commits = all.filter(({ position }) => hasPassed(earlier, position));
  expect(commits.length).toBeLessThan(all.length - 2);
  const expected = await replayAll(readModels, commits, null);
  for (const model of readModels) {
    await run('projection', 'rebuild', model.name, '--until', ...earlier.values());
    const built = await rowsOf(service.database.pool, model, `${model.name}_until`);
    expect(built, model.name).toEqual(expected[model.name]);
    expect(JSON.stringify(built), model.name).not.toContain(OLD_TOKEN);
  }
  expect(await query('SELECT FROM catalog_v1.bots WHERE token IS NOT NULL'), 'other versions have tokens').not.toEqual(
    [],
  );
  expect(await query('SELECT FROM catalog_until.bots WHERE token IS NOT NULL')).toEqual([]);
  expect(await query('SELECT * FROM events_until.deferred_events()'), 'a function of the schema works').toHaveLength(1);
}, 120_000);

test('has its name only when it is complete', async () => {
  await run('projection', 'rebuild', 'users', '--until', ...earlier.values());
  const before = await query(`SELECT 'users_until'::regnamespace::oid AS oid`);
  let seen: unknown[] = [];
  const build = (during: () => Promise<void>) =>
    botledger(
      service.env,
      ['projection', 'rebuild', 'users', '--until', ...earlier.values()],
      watchedReadModels((name, commits) => (name === 'users' && commits.length > 0 ? during() : undefined)),
    );
  const failed = await build(async () => {
    seen = [
      ...(await query(`SELECT 'users_until'::regnamespace::oid AS oid`)),
      await botledger(service.env, ['projection', 'drop', 'users', '--until']),
    ];
    throw new TypeError('this commit cannot be taken');
  });
  expect(failed).toMatchObject(refused('this commit cannot be taken'));
  expect(seen).toMatchObject([...before, refused('users_until is being built')]);
  expect((await schemas()).filter((name) => name.startsWith('users'))).toEqual(['users_until']);
  await service.database.pool.query('CREATE SCHEMA users_until_build_0123456789ab');
  await run('projection', 'drop', 'users', '--until');
  expect((await schemas()).filter((name) => name.startsWith('users'))).toEqual([]);
});

test('refuses what is no position, and two positions of one partition', async () => {
  const [last] = [...earlier.values()];
  const before = `${last!.slice(0, -1)}0`;
  for (const [positions, why] of [
    [[`${last!.slice(0, -1)}x`], `the log has no position ${last!.slice(0, -1)}x`],
    [[`${last} `], `the log has no position ${last} `],
    [[`00${last!.slice(1, -1)}`], 'the log has no position 00'],
    [[before, last!], `${before} and ${last} are of one partition: say one of them`],
  ] as const)
    expect(
      await botledger(service.env, ['projection', 'rebuild', 'users', '--until', ...positions]),
      positions.join(),
    ).toMatchObject(refused(why));
});
