import { expect, test } from 'vitest';
import { createRule } from '../../src/commands/referral/change-rule.ts';
import { readEvent } from '../../src/domain/ledger-events.ts';
import { account } from '../../src/domain/referral/account/account.ts';
import { CUT_OFF_MS } from '../../src/domain/referral/delivery.ts';
import { accruals } from '../../src/processes/accruals/accrual-process.ts';
import { deliveries } from '../../src/processes/payouts/deliveries.ts';
import { killableProcess } from '../support/killable-process.ts';
import { readAll } from '../support/log.ts';
import { longOnly } from '../support/long-only.ts';
import { payoutSetup } from '../support/payout-setup.ts';
import { processed } from '../support/processes.ts';
import { referralCaller } from '../support/referral.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { stealLease } from '../support/steal-lease.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';

/** Kills processes of the referral program with -9. Each runs in a separate OS process. */

const REFERRALS = 12;

async function countAccountCommits(service: TestService): Promise<number> {
  return (await readAll(service.log, { categories: ['account'] })).length;
}

longOnly('every event earns once by each rule when kill -9 ends its accruals process', async () => {
  const service = await startTestService();
  // The service's own instance waits until the lease expires.
  const giveBack = await stealLease(service.database.pool, `process ${accruals.name}`);
  const bot = await service.createBot();
  const call = referralCaller(service, bot);
  const key = { 'api-key': bot.apiKey };
  await call.message(1);
  await service.post('/v1/send-event', { event: 'Order', user_id: 1 }, key); // its id is 101
  for (const name of ['one', 'another'])
    await createRule(service.commands, {
      ...{ bot: bot.publicKey, name, trigger_event_id: 101, reward_type: 'fixed', amount: '1', percent: null },
      ...{ unit_id: null, hold_days: '0' },
    });
  const referred = Array.from({ length: REFERRALS }, (_, index) => 1000 + index);
  for (const user of referred) await call.visit(user, await call.codeFor(user + 100), Date.now() - 60_000);
  for (let i = 0; i < 10; i++)
    await service.post(
      '/v1/send-event',
      Array.from({ length: 600 }, (_, index) => ({ event: 'Order', user_id: referred[index % REFERRALS] })),
      key,
    );
  await service.projected();

  const task = { connectionString: service.database.url, process: accruals.name };
  for (const more of [1, 5]) {
    const before = await countAccountCommits(service);
    const kill = await killableProcess(task);
    await expect.poll(() => countAccountCommits(service), { interval: 10 }).toBeGreaterThanOrEqual(before + more);
    await kill();
  }
  // Two processes run at once, one of which is killed half way, while the service takes the lease.
  const before = await countAccountCommits(service);
  const kills = await Promise.all([killableProcess(task), killableProcess(task)]);
  await expect.poll(() => countAccountCommits(service), { interval: 10 }).toBeGreaterThan(before);
  await kills[0]!();
  await giveBack();
  await processed(service, accruals.name);
  await kills[1]!();

  const commits = await readAll(service.log, { categories: ['intake', 'account'] });
  const expected = commits.flatMap(({ id, events }) =>
    events
      .map(readEvent)
      .flatMap((event) =>
        event.type === 'custom_events_received'
          ? event.data.items.flatMap(({ user_id }, index) => (referred.includes(user_id) ? [`${id} ${index}`] : []))
          : [],
      ),
  );
  const accrued = commits
    .filter(({ stream }) => stream.startsWith('account-'))
    .flatMap(({ events }) => events.map(account.read))
    .flatMap((event) => (event.type === 'reward_accrued' ? [event.data] : []));
  expect(expected).toHaveLength(6000);
  const rules = [...new Set(accrued.map(({ rule_id }) => rule_id))];
  expect(rules).toHaveLength(2);
  const earned = accrued.map(({ rule_id, event }) => `${event.commit_id} ${event.index} ${rule_id}`);
  expect(earned.sort()).toEqual(expected.flatMap((event) => rules.map((rule) => `${event} ${rule}`)).sort());
  expect(new Set(accrued.map(({ accrual_id }) => accrual_id)).size).toBe(accrued.length);
  await service.stop();
});

test('a payout is paid once and its webhook gets the same bytes again after a kill -9 before its answer', async () => {
  const [setup, client] = await Promise.all([payoutSetup(Date.now()), webhookReceiver()]);
  const { bot, unitId } = await setup.bot(client.url);
  const names = await Promise.all([1, 2, 3].map(() => setup.payout(bot, unitId)));
  const task = {
    connectionString: setup.database.url,
    process: deliveries().name,
    env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' },
  };
  client.answers(() => {}); // the kill comes before the answer
  const kill = await killableProcess(task);
  await expect.poll(() => client.calls.length).toBe(3);
  await kill();
  client.answers(200);
  const killAgain = await killableProcess({ ...task, ahead: CUT_OFF_MS + 1000 });
  for (const name of names) await expect.poll(() => setup.payoutState(name)).toMatchObject({ status: 2, attempts: 2 });
  await killAgain();
  expect(client.calls).toHaveLength(6);
  for (const { payoutId, userId } of names) {
    const told = client.calls.filter(({ headers }) => String(headers['webhook-id']).startsWith(`payout_${payoutId}_`));
    expect(told).toHaveLength(2);
    expect(told[0]!.headers['webhook-id']).toBe(told[1]!.headers['webhook-id']);
    expect(told[0]!.body).toBe(told[1]!.body);
    const ends = (await setup.events(bot, userId)).filter(({ type }) => type === 'payout_paid');
    expect(ends).toHaveLength(1);
  }
  await setup.close();
  await client.close();
});
