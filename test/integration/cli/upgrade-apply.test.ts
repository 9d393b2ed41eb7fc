import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { allVersions } from '../../../src/projections/runtime/versions.ts';
import { type Answers, allAnswers, type FilledBots, fillService } from '../../support/all-answers.ts';
import { nextRelease } from '../../support/changed-read-models.ts';
import { longOnly } from '../../support/long-only.ts';
import { botledger, operate } from '../../support/operate.ts';
import { startTestInstance, startTestService, type TestService } from '../../support/service.ts';

/** `upgrade apply`, run by a release that differs from the running one. */

const NAMES = ['users', 'accounts'];
const next = nextRelease(NAMES);
let service: TestService;
let filled: FilledBots;
let before: Answers;
beforeAll(async () => {
  service = await startTestService();
  filled = await fillService(service);
  before = await allAnswers(service.address, filled);
});
afterAll(() => service.stop());
afterEach(async () => {
  for (const name of NAMES) {
    const [first, ...others] = (await allVersions(service.database.pool)).filter((each) => each.name === name);
    if (first!.state !== 'live') await operate(service.env, ['projection', 'switch', name]);
    for (const { version } of others)
      await operate(service.env, ['projection', 'drop', name, '--version', `${version}`]);
  }
});

const states = async (): Promise<string[]> =>
  (await allVersions(service.database.pool))
    .filter(({ name }) => NAMES.includes(name))
    .map(({ name, version, state, verified }) => `${name} ${version} ${state}${verified ? ' verified' : ''}`);

it('builds, verifies and switches next to the running release; the next release starts on it', async () => {
  expect(await botledger(service.env, ['upgrade', 'apply'])).toMatchObject({ code: 0, out: '[]\n' });
  const { code, out, err } = await botledger(service.env, ['upgrade', 'apply'], next);
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/^built \d+ tables of users version 2 .*\n.*projection switch users --version 1\n/s),
  ]);
  const counted = { table: 'commits_seen', former_rows: null, rows: expect.any(Number) };
  expect(JSON.parse(out)).toEqual(
    NAMES.map((name) => ({ name, version: 2, former_version: 1, is_live: true, tables: [counted] })),
  );
  expect(await states()).toEqual([
    'accounts 1 ready',
    'accounts 2 live verified',
    'users 1 ready',
    'users 2 live verified',
  ]);
  expect(await allAnswers(service.address, filled), 'the release before').toEqual(before);
  const started = await startTestInstance(service.env, next);
  try {
    expect(await allAnswers(started.address, filled)).toEqual(before);
  } finally {
    await started.stop();
  }
  expect(await operate(service.env, ['upgrade', 'apply'], next), 'again').toEqual([]);
});

longOnly('with --no-switch builds and verifies; the same command without it then switches', async () => {
  await operate(service.env, ['upgrade', 'apply', '--no-switch'], next);
  const ready = ['accounts 1 live', 'accounts 2 ready verified', 'users 1 live', 'users 2 ready verified'];
  expect(await states()).toEqual(ready);
  await operate(service.env, ['upgrade', 'apply'], next);
  expect(await states()).toContain('users 2 live verified');
});

it('switches nothing if one version lacks commits of a quarantined bot', async () => {
  const built = ['accounts 1 live', 'accounts 2 ready verified', 'users 1 live', 'users 2 ready verified'];
  await operate(service.env, ['upgrade', 'apply', '--no-switch'], next);
  const { publicKey } = filled.bot;
  await service.database.pool.query(
    `INSERT INTO runtime.quarantines (name, version, key, lane, position) VALUES ('accounts', 2, $1, 0, '')`,
    [publicKey],
  );
  expect(await botledger(service.env, ['upgrade', 'apply'], next)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`accounts version 2 lacks commits of bot ${publicKey}, which is quarantined`),
  });
  expect(await states()).toEqual(built);
});

it('switches nothing if one version differs from a replay', async () => {
  await operate(service.env, ['projection', 'rebuild', 'accounts'], next);
  await service.database.pool.query('DELETE FROM accounts_v2.commits_seen');
  expect(await botledger(service.env, ['upgrade', 'apply'], next)).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /accounts version 2 differs from a replay of the log: commits_seen .*; nothing was switched/,
    ),
  });
  expect(await states()).toEqual(['accounts 1 live', 'accounts 2 ready', 'users 1 live', 'users 2 ready verified']);
});

longOnly('an instance that starts answers from the former version while that is ahead', async () => {
  await operate(service.env, ['upgrade', 'apply'], next);
  // Only the former release follows the log now, so the new version falls behind.
  const from = { id: 4242, is_bot: false, first_name: 'Late' };
  const message = { message_id: 1, date: 1_770_000_000, chat: { id: 4242, type: 'private' }, from };
  const key = { 'api-key': filled.bot.apiKey };
  await service.post('/v1/send-update', { update: { update_id: 4242, message } }, key);
  await service.projected();
  const gate = { closed: true };
  const started = await startTestInstance(service.env, nextRelease(NAMES, gate));
  try {
    const found = await fetch(`${started.address}/v1/users/get?user_id=4242`, { headers: key });
    expect(found.status).toBe(200);
  } finally {
    await started.stop();
  }
});
