import { expect, it } from 'vitest';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { setPayoutWebhook } from '../../../src/commands/referral/payout-webhook.ts';
import { administerPayout } from '../../../src/commands/referral/payouts.ts';
import type { EventLog, LogEvent } from '../../../src/log/port.ts';
import { deliveries } from '../../../src/processes/payouts/deliveries.ts';
import { deliveryTests, HOUR, SECOND } from '../../support/delivery-tests.ts';
import { webhookReceiver } from '../../support/webhook-receiver.ts';

/** When an announcement that waits for its next attempt is tried at once. */

const given = deliveryTests();
const { becomes, still } = given;
const run = (env?: Record<string, string>) => given.setup.run([deliveries()], env);

it('a payout that waits for its next attempt is announced at once when the address is set, also by another run of the process', async () => {
  const dead = await webhookReceiver();
  dead.answers((_, response) => response.writeHead(503, { 'retry-after': '86400' }).end());
  const { bot } = await given.setup.bot(dead.url);
  const other = await given.setup.bot(dead.url);
  const stop = run();
  const name = await given.setup.payout(bot, null);
  const waiting = await given.setup.payout(other.bot, null);
  for (const each of [name, waiting]) await becomes(each, { attempt: 'failed', attempts: 1 });
  given.setup.advance(24 * HOUR);
  for (const each of [name, waiting]) await becomes(each, { attempt: 'failed', attempts: 2, failures: 2 });
  await stop();
  given.client.answers(500);
  await setPayoutWebhook(given.setup.context, bot, given.client.url);
  run();
  // One attempt: the delays begin again with the first.
  await becomes(name, { attempt: 'failed', attempts: 3, failures: 1, next_at: expect.any(Number) });
  await still(1);
  expect((await given.setup.payoutState(name)).next_at! - given.setup.now()).toBeLessThanOrEqual(6 * SECOND);
  given.client.answers(200);
  // The same address once more: its server is there again.
  await setPayoutWebhook(given.setup.context, bot, given.client.url);
  await becomes(name, { status: 2, attempts: 4 });
  expect(await given.setup.payoutState(waiting)).toMatchObject({ attempt: 'failed', attempts: 2 });
  dead.answers(200);
  await administerPayout(createAccounts(given.setup.context), { ...waiting, action: 'retry', force: false });
  await becomes(waiting, { status: 2, attempts: 3 });
  await dead.close();
});

/** The log as a program wrote it that did not note which address an attempt called. */
function earlierLog(log: EventLog): EventLog {
  const earlier = (event: LogEvent): LogEvent => {
    if (event.type !== 'payout_attempted') return event;
    const { address: _, ...data } = event.data as { address: number };
    return { ...event, v: 1, data };
  };
  return {
    ...log,
    append: (commit, ...rest) => log.append({ ...commit, events: commit.events.map(earlier) }, ...rest),
  };
}

it('a payout that an earlier version attempted is announced at once when the address is set after the attempt, not before', async () => {
  given.client.answers((_, response) => response.writeHead(503, { 'retry-after': '86400' }).end());
  const { bot } = await given.setup.bot(given.client.url);
  const other = await given.setup.bot(given.client.url);
  given.setup.advance(SECOND);
  for (const each of [bot, other.bot]) await setPayoutWebhook(given.setup.context, each, given.client.url);
  given.setup.advance(SECOND);
  const stop = given.setup.run([deliveries()], {}, earlierLog(given.setup.log));
  const names = [await given.setup.payout(bot, null), await given.setup.payout(other.bot, null)] as const;
  for (const each of names) await becomes(each, { attempt: 'failed', attempts: 1, address: null });
  await stop();
  given.setup.advance(SECOND);
  given.client.answers(200);
  run();
  await still(2);
  await setPayoutWebhook(given.setup.context, bot, given.client.url);
  await becomes(names[0], { status: 2, attempts: 2 });
  await still(3);
  expect(await given.setup.payoutState(names[1])).toMatchObject({ attempt: 'failed', attempts: 1 });
});

it('a payout is retried at once, however late the first attempt after a payout is', async () => {
  const { bot } = await given.setup.bot(given.client.url);
  given.client.answers(410);
  run({ WEBHOOK_RETRY_DELAYS: '60,60' });
  const name = await given.setup.payout(bot, null);
  await still(0);
  given.setup.advance(60 * SECOND);
  await becomes(name, { status: 3, attempts: 1 });
  given.client.answers(200);
  await administerPayout(createAccounts(given.setup.context), { ...name, action: 'retry', force: false });
  await becomes(name, { status: 2, attempts: 2 });
});
