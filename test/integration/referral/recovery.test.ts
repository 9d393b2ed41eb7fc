import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createGoal } from '../../../src/commands/catalog/create-goal.ts';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../../src/commands/referral/accrue-rewards.ts';
import { setPayoutWebhook } from '../../../src/commands/referral/payout-webhook.ts';
import { longOnly } from '../../support/long-only.ts';
import { botledger, operate } from '../../support/operate.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver.ts';

/** After a restore no id is given again, and no money leaves the service before an operator has compared the payouts. */

let folder: string;
let client: WebhookReceiver;
let service: TestService;
let bot: TestBot;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recovery-'));
  client = await webhookReceiver();
});
afterAll(async () => {
  await client.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  client.calls.length = 0;
  service = await startTestService({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
  bot = await service.createBot();
  await setPayoutWebhook(service.commands, bot.publicKey, client.url);
  await service.projected();
  return () => service.stop();
});

/** Gives a user a reward and requests its payout. @returns the answer of the payout */
async function payOut(userId: number) {
  const rule = {
    rule_id: 1,
    reward_type: 'fixed' as const,
    amount: '55',
    percent: null,
    unit_id: null,
    hold_days: '0',
  };
  const event = { commit_id: `c${userId}`, index: 0, event_id: 101, date: 0, received: 0 };
  const items = [{ rule, referral_id: 9, event }];
  await accrueRewards(createAccounts(service.commands), { bot: bot.publicKey, referrer: userId, items });
  const { status, body } = await service.post('/v1/referral/payout', { user_id: userId }, { 'api-key': bot.apiKey });
  expect(status).toBe(200);
  await service.projected();
  return body.data as { payout_id: number };
}

const statusOf = async (userId: number): Promise<number> => {
  const answer = await service.get(`/v1/referral/payouts?user_id=${userId}`, { 'api-key': bot.apiKey });
  return answer.body.data.payouts[0].status;
};
const webhookIds = (): string[] => client.calls.map(({ headers }) => String(headers['webhook-id']));
const highestIds = async (): Promise<Record<string, number>> => {
  const { rows } = await service.database.pool.query<{ kind: string; last: number }>(
    `SELECT stream AS kind, max((e->'data'->>'to')::float8) AS last
       FROM log.commits, jsonb_array_elements(body::jsonb->'events') AS e WHERE stream LIKE 'ids-%' GROUP BY stream`,
  );
  return Object.fromEntries(rows.map(({ kind, last }) => [kind, last]));
};

test('a restore holds payouts, lists what the client knows, and gives no id twice', async () => {
  const file = join(folder, 'log.gz');
  await operate(service.env, ['backup', file]);
  const lost = await payOut(8001);
  await expect.poll(() => statusOf(8001)).toBe(2);
  const known = webhookIds();
  expect(known).toEqual([expect.stringMatching(new RegExp(`^payout_${lost.payout_id}_[0-9a-f]{16}$`))]);
  const before = await highestIds();
  const lostGoal = await createGoal(service.commands, { bot: bot.publicKey, targetId: 7, name: 'Lost' });

  await service.restart(async () => {
    await service.database.recreate();
    await operate(service.env, ['restore', file]);
    expect(await operate(service.env, ['restore', file]), 'again').toMatchObject({ hash: expect.any(String) });
  });
  await service.projected();
  const next = await payOut(8002);
  expect(next.payout_id).toBeGreaterThan(before['ids-payout']!);
  const goal = await createGoal(service.commands, { bot: bot.publicKey, targetId: 8, name: 'New' });
  expect(goal.eventId).toBeGreaterThan(lostGoal.eventId);
  await service.createBot();
  const after = await highestIds();
  for (const kind of ['ids-payout', 'ids-accrual', 'ids-bot', 'ids-key', 'ids-owner'])
    expect([kind, after[kind]! > before[kind]! + 1000]).toEqual([kind, true]);

  const seen = join(folder, 'seen');
  await writeFile(seen, `${known.join('\n')}\n`);
  expect(await operate(service.env, ['recovery', 'payouts', '--client', seen])).toEqual([
    { webhook_id: known[0], in_log: false, client_knows: true },
    expect.objectContaining({
      payout_id: next.payout_id,
      user_id: 8002,
      amount: 55,
      in_log: true,
      client_knows: false,
    }),
  ]);
  expect(await operate(service.env, ['recovery', 'status'])).toMatchObject({ open: true });
  expect(client.calls, 'nothing is announced while the recovery is open').toHaveLength(1);
  const processes = await operate(service.env, ['projection', 'list']);
  expect(JSON.stringify(processes)).toContain('botledger recovery end');

  await operate(service.env, ['recovery', 'end', '--reason', 'compared with the client']);
  await expect.poll(() => statusOf(8002)).toBe(2);
  expect(webhookIds()).toHaveLength(2);
  expect(new Set(webhookIds()).size).toBe(2);
  expect(await botledger(service.env, ['recovery', 'end', '--reason', 'again'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no recovery is open'),
  });
});

longOnly('a database that goes back to former files never repeats a webhook-id, even unnoticed', async () => {
  await payOut(8001);
  await expect.poll(() => statusOf(8001)).toBe(2);
  const url = new URL(service.env['DATABASE_URL']!);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const server = new pg.Client({ connectionString: url.href });
  await server.connect();
  await service.restart(async () => {
    await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    await server.query(`CREATE DATABASE ${name}_files TEMPLATE ${name}`);
  });
  await service.projected();
  const lost = await payOut(8002);
  await expect.poll(() => statusOf(8002)).toBe(2);
  const lostId = webhookIds().at(-1);

  await service.restart(async () => {
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await server.query(`ALTER DATABASE ${name}_files RENAME TO ${name}`);
  });
  await server.end();
  await service.projected();
  // A number is given again, since the step back is not recorded. The webhook-id still differs.
  for (let userId = 8003; webhookIds().length < 4 && userId < 8210; userId++) {
    const { payout_id } = await payOut(userId);
    await expect.poll(() => statusOf(userId)).toBe(2);
    if (payout_id === lost.payout_id) break;
  }
  expect(new Set(webhookIds()).size).toBe(webhookIds().length);
  expect(webhookIds().filter((id) => id === lostId)).toHaveLength(1);

  await service.restart(async () => {
    expect(await operate(service.env, ['recovery', 'begin'])).toMatchObject({ open: true, backup: null });
    expect(await operate(service.env, ['recovery', 'begin']), 'again').toMatchObject({ open: true });
  });
  await service.projected();
  expect((await payOut(9001)).payout_id).toBeGreaterThan(1_000_000_000);
  expect(await botledger(service.env, ['recovery', 'begin'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('stop it first'),
  });
});
