import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { setPayoutWebhook } from '../../../src/commands/referral/payout-webhook.ts';
import { administerPayout } from '../../../src/commands/referral/payouts.ts';
import type { EventLog, LogEvent } from '../../../src/log/port.ts';
import { deliveries } from '../../../src/processes/payouts/deliveries.ts';
import { pause } from '../../../src/util/pause.ts';
import { type PayoutName, type PayoutSetup, payoutSetup } from '../../support/payout-setup.ts';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver.ts';

/** What makes an announcement that waits for its next attempt be tried now. */

let world: PayoutSetup;
let client: WebhookReceiver;

beforeAll(async () => {
  world = await payoutSetup();
});
beforeEach(async () => {
  client = await webhookReceiver();
});
afterEach(async () => {
  await world.stopAll();
  await client.close();
});
afterAll(() => world.close());

const SECOND = 1000;
const HOUR = 3_600_000;
const run = (env?: Record<string, string>) => world.run([deliveries()], env);
const becomes = (name: PayoutName, expected: object) =>
  expect.poll(() => world.payoutState(name), { timeout: 10_000 }).toMatchObject(expected);
/** That nothing more happens for a while. */
const still = async (count: number): Promise<void> => {
  await pause(400);
  expect(client.calls).toHaveLength(count);
};

it('a payout that waits for its next attempt is announced at once when the address is set, whoever runs the process by then', async () => {
  const dead = await webhookReceiver();
  dead.answers((_, response) => response.writeHead(503, { 'retry-after': '86400' }).end());
  const { bot } = await world.bot(dead.url);
  const other = await world.bot(dead.url);
  const stop = run();
  const name = await world.payout(bot, null);
  const waiting = await world.payout(other.bot, null);
  for (const each of [name, waiting]) await becomes(each, { attempt: 'failed', attempts: 1 });
  world.advance(24 * HOUR);
  for (const each of [name, waiting]) await becomes(each, { attempt: 'failed', attempts: 2, failures: 2 });
  await stop();
  client.answers(500);
  await setPayoutWebhook(world.context, bot, client.url);
  run();
  // Once: the delays begin anew, and go on.
  await becomes(name, { attempt: 'failed', attempts: 3, failures: 1, next_at: expect.any(Number) });
  await still(1);
  expect((await world.payoutState(name)).next_at! - world.now()).toBeLessThanOrEqual(6 * SECOND);
  client.answers(200);
  // The same address once more: its server is there again.
  await setPayoutWebhook(world.context, bot, client.url);
  await becomes(name, { status: 2, attempts: 4 });
  expect(await world.payoutState(waiting)).toMatchObject({ attempt: 'failed', attempts: 2 });
  dead.answers(200);
  await administerPayout(createAccounts(world.context), { ...waiting, action: 'retry', force: false });
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

it('a payout that an earlier program attempted is announced at once when the address is set after the attempt, not before', async () => {
  client.answers((_, response) => response.writeHead(503, { 'retry-after': '86400' }).end());
  const { bot } = await world.bot(client.url);
  const other = await world.bot(client.url);
  world.advance(SECOND);
  for (const each of [bot, other.bot]) await setPayoutWebhook(world.context, each, client.url);
  world.advance(SECOND);
  const stop = world.run([deliveries()], {}, earlierLog(world.log));
  const names = [await world.payout(bot, null), await world.payout(other.bot, null)] as const;
  for (const each of names) await becomes(each, { attempt: 'failed', attempts: 1, address: null });
  await stop();
  world.advance(SECOND);
  client.answers(200);
  run();
  await still(2);
  await setPayoutWebhook(world.context, bot, client.url);
  await becomes(names[0], { status: 2, attempts: 2 });
  await still(3);
  expect(await world.payoutState(names[1])).toMatchObject({ attempt: 'failed', attempts: 1 });
});

it('a payout is retried at once, however late the first attempt after a payout is', async () => {
  const { bot } = await world.bot(client.url);
  client.answers(410);
  run({ WEBHOOK_RETRY_DELAYS: '60,60' });
  const name = await world.payout(bot, null);
  await still(0);
  world.advance(60 * SECOND);
  await becomes(name, { status: 3, attempts: 1 });
  client.answers(200);
  await administerPayout(createAccounts(world.context), { ...name, action: 'retry', force: false });
  await becomes(name, { status: 2, attempts: 2 });
});
