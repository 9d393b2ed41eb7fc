import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createLeaseHolder } from '../../../src/database/lease.ts';
import type { EventLog } from '../../../src/log/port.ts';
import type { ReadCommit } from '../../../src/projections/read-model.ts';
import { rebuildPart } from '../../../src/projections/runtime/rebuild-part.ts';
import { watchVersions } from '../../../src/projections/runtime/watch-versions.ts';
import { usersReadModel as users } from '../../../src/projections/users/read-model.ts';
import { pause } from '../../../src/util/pause.ts';
import { appendUpdate } from '../../support/append-update.ts';
import type { CliRun } from '../../support/cli.ts';
import { longOnly } from '../../support/long-only.ts';
import { botledger, operate } from '../../support/operate.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';
import { watchedReadModels } from '../../support/watched-read-models.ts';

/** Changes by others while the rows of a bot are built again, and reasons to refuse it. */

let service: TestService;
let bot: TestBot;
let isRepaired: boolean;
afterEach(() => service.stop());

const poisoned = watchedReadModels((name, commits) => {
  if (name === 'users' && !isRepaired && commits.some(({ causation }) => causation === 'poison'))
    throw new TypeError('this commit cannot be taken');
});

async function start(onBadEvent = 'quarantine'): Promise<void> {
  isRepaired = false;
  service = await startTestService({ ON_BAD_EVENT: onBadEvent }, undefined, undefined, poisoned);
  bot = await service.createBot();
  await appendUpdate(service.log, bot.publicKey, 1, undefined);
  await service.projected();
}

const run = (...argv: string[]) => operate(service.env, argv, poisoned);
const query = (text: string) => service.database.pool.query(text);
const schemas = async (like: string) =>
  (await query(`SELECT nspname FROM pg_namespace WHERE nspname LIKE '${like}'`)).rows.map(({ nspname }) => nspname);

/** Runs `projection rebuild users`, and `during` when it has begun to replay. */
async function rebuildWhile(argv: readonly string[], during: () => Promise<void>): Promise<CliRun> {
  let begun = false;
  const models = watchedReadModels(async (name: string, commits: readonly ReadCommit[]) => {
    if (name !== 'users' || begun || commits.length === 0) return;
    begun = true;
    await during();
  });
  const result = await botledger(service.env, ['projection', 'rebuild', 'users', ...argv], models);
  expect(begun).toBe(true);
  return result;
}

/**
 * Rebuilds the bot's rows by a run that does not notice that its lease ends, as one that was stopped.
 * @param before runs before it opens or reads commits
 */
async function rebuildStopped(before: (does: 'opens' | 'reads') => Promise<void>, ttlMs = 500): Promise<void> {
  const { pool } = service.database;
  const logger = pino({ level: 'silent' });
  const leases = createLeaseHolder(pool, 'stopped', { logger, ttlMs, renewMs: 60_000 });
  const log: EventLog = {
    ...service.log,
    keys: { ...service.log.keys, find: (ids) => before('opens').then(() => service.log.keys.find(ids)) },
    read: (...given) => before('reads').then(() => service.log.read(...given)),
  };
  const options = {
    pool,
    model: users,
    log,
    logger,
    leases,
    onBadEvent: 'stop',
    versions: watchVersions(pool),
  } as const;
  const { signal } = new AbortController();
  await rebuildPart({ ...options, signal }, { version: 1, shape: users.shape }, { bot: bot.publicKey }, () => {});
}

/** The schemas of replays. */
const oids = async () => (await query(`SELECT oid FROM pg_namespace WHERE nspname LIKE 'users\\_replay%'`)).rows;

/** Whether the projectors are held: longer than by a batch. */
async function isHeld(): Promise<boolean> {
  for (let tries = 0; tries < 10; tries++) {
    const free = await query('SELECT FROM users_v1.checkpoints FOR UPDATE SKIP LOCKED');
    if (free.rowCount !== 0) return false;
    await pause(20);
  }
  return true;
}

const refused = (why: string) => ({ code: 1, err: expect.stringContaining(why) });

longOnly('takes over the dead letters of the bot, so that a retry applies no commit twice', async () => {
  await start('dead-letter');
  const id = await appendUpdate(service.log, bot.publicKey, 2, 'poison');
  await service.projected();
  const other = await service.createBot();
  const left = await appendUpdate(service.log, other.publicKey, 3, 'poison');
  await service.projected();
  isRepaired = true;
  await run('projection', 'rebuild', 'users', '--bot', bot.publicKey);
  expect(await botledger(service.env, ['dead-letter', 'retry', `users_v1.${id}`], poisoned)).toMatchObject(
    refused('there is no dead letter'),
  );
  expect(await run('dead-letter', 'list')).toMatchObject([{ id: `users_v1.${left}` }]);
  await run('dead-letter', 'retry', `users_v1.${left}`);
  await run('projection', 'verify', 'users');
});

test('refuses a version that lacks a commit of no bot', async () => {
  await start();
  const id = randomUUID();
  const commit = JSON.stringify({ id, stream: 'owner-1', position: '0:1' });
  await query(`INSERT INTO users_v1.dead_letters (commit_id, commit, error, blocking)
    VALUES ('${id}', '${commit}', 'no', false)`);
  const argv = ['projection', 'rebuild', 'users', '--bot', bot.publicKey];
  expect(await botledger(service.env, argv, poisoned)).toMatchObject(refused(`users_v1 lacks commit ${id} of owner-1`));
});

test('refuses a quarantined bot and its partition before it replays', async () => {
  await start();
  await appendUpdate(service.log, bot.publicKey, 2, 'poison');
  const row = async () => (await run('projection', 'list')).find(({ name }: { name: string }) => name === 'users');
  await expect.poll(row).toMatchObject({ quarantined: [{ bot: bot.publicKey }] });
  const partition = String(service.log.partitionOf(bot.publicKey));
  for (const part of [
    ['--bot', bot.publicKey],
    ['--partition', partition],
  ])
    expect(await botledger(service.env, ['projection', 'rebuild', 'users', ...part], poisoned)).toMatchObject(
      refused(`bot ${bot.publicKey} is quarantined in users_v1: retry or skip its dead letter first`),
    );
});

longOnly('changes nothing after it lost its lease before it replaces rows', async () => {
  await start();
  let other: Promise<unknown> | undefined;
  const rebuilding = rebuildStopped(async (does) => {
    if (does !== 'opens' || other !== undefined) return;
    other = run('projection', 'rebuild', 'users', '--bot', bot.publicKey);
    await other;
  });
  await expect(rebuilding).rejects.toThrow('another replay of users has begun');
  await run('projection', 'verify', 'users');
  expect(await schemas('users\\_replay%')).toEqual([]);
});

longOnly('changes nothing after it lost its lease while it holds the projectors', async () => {
  await start();
  let other: Promise<unknown> | undefined;
  const rebuilding = rebuildStopped(async (does) => {
    if (does !== 'reads' || other !== undefined || !(await isHeld())) return;
    const [own] = await oids();
    other = run('projection', 'rebuild', 'users', '--bot', bot.publicKey);
    await expect.poll(oids).not.toEqual([own]);
  });
  await expect(rebuilding).rejects.toThrow('another replay of users has begun');
  await other;
  await run('projection', 'verify', 'users');
  const { rows } = await query('SELECT user_id::int FROM users_v1.users');
  expect(rows).toEqual([{ user_id: 7 }]);
});

test('keeps rows and checkpoint of a replay together in a crash of the database', async () => {
  await start();
  let kinds: unknown[] = [];
  const { code } = await rebuildWhile(['--bot', bot.publicKey], async () => {
    const found =
      await query(`SELECT DISTINCT relpersistence AS kind FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
      WHERE nspname LIKE 'users\\_replay%' AND relkind = 'r'`);
    kinds = found.rows;
  });
  expect([code, kinds]).toEqual([0, [{ kind: 'u' }]]);
});

longOnly('changes nothing if another version became live, or its version was dropped, during the replay', async () => {
  await start();
  const argv = ['--bot', bot.publicKey];
  const switched = await rebuildWhile(argv, async () => {
    await run('projection', 'rebuild', 'users');
    await run('projection', 'switch', 'users', '--force');
  });
  expect(switched).toMatchObject(refused('users_v1 is no longer the live version; nothing was changed'));
  const dropped = await rebuildWhile(argv, async () => {
    await run('projection', 'switch', 'users', '--version', '1', '--force');
    await run('projection', 'drop', 'users', '--version', '2');
  });
  expect(dropped).toMatchObject(refused('users_v2 is no longer the live version; nothing was changed'));
});

longOnly('replays later commits before it holds the projectors', async () => {
  await start();
  const held: boolean[] = [];
  await rebuildStopped(async (does) => {
    if (does !== 'opens') return;
    held.push(await isHeld());
    if (held.length > 1) return;
    await appendUpdate(service.log, bot.publicKey, 2, undefined);
    await service.projected();
    await pause(600);
  }, 60_000);
  expect(held.length).toBeGreaterThan(1);
  expect(held).not.toContain(true);
  await run('projection', 'verify', 'users');
});

test('says that the live version is of another release', async () => {
  await start();
  const argv = ['projection', 'rebuild', 'users', '--bot', bot.publicKey];
  await service.restart(async () => {
    await query(`UPDATE runtime.read_models SET shape = shape + 1000 WHERE name = 'users'`);
    expect(await botledger(service.env, argv, poisoned)).toMatchObject(
      refused('users version 1 has the tables of another release: rebuild all of it'),
    );
    await query(`UPDATE runtime.read_models SET shape = shape - 1000, state = 'building' WHERE name = 'users'`);
    expect(await botledger(service.env, argv, poisoned)).toMatchObject(refused('users version 1 is still being built'));
  });
});
