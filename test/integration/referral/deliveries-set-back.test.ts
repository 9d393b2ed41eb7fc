import { expect, it } from 'vitest';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { administerPayout } from '../../../src/commands/referral/payouts.ts';
import { deliveries } from '../../../src/processes/payouts/deliveries.ts';
import { deliveryTests, HOUR } from '../../support/delivery-tests.ts';

/** Announcements whose times were written by a clock that was ahead, or before the clock was set back. */

const given = deliveryTests();
const { becomes, still } = given;
const run = () => given.setup.run([deliveries()], { WEBHOOK_RETRY_DELAYS: '0,1,600' });
const DAYS_60_MS = 60 * 24 * HOUR;

it('a retry comes when its delay has passed, though the clock was set back by an hour', async () => {
  const { bot } = await given.setup.bot(given.client.url);
  given.client.answers(500);
  run();
  const name = await given.setup.payout(bot, null);
  await becomes(name, { attempt: 'failed', attempts: 1 });
  given.client.answers(200);
  given.setup.advance(-HOUR);
  await becomes(name, { status: 2, attempts: 2 });
});

it('a process that starts after the clock was set back makes a retry that waits', async () => {
  const { bot } = await given.setup.bot(given.client.url);
  given.client.answers(500);
  const stop = run();
  const name = await given.setup.payout(bot, null);
  await becomes(name, { attempt: 'failed', attempts: 1 });
  await stop();
  given.client.answers(200);
  given.setup.advance(-HOUR);
  run();
  await becomes(name, { status: 2, attempts: 2 });
});

it('a payout that a clock ahead has dated is announced at once, and its retries keep their delays', async () => {
  const { bot } = await given.setup.bot(given.client.url);
  given.client.answers(500);
  given.setup.advance(DAYS_60_MS);
  const name = await given.setup.payout(bot, null);
  given.setup.advance(-DAYS_60_MS);
  run();
  await becomes(name, { attempt: 'failed', attempts: 1, attempted_at: given.setup.now() });
  given.setup.advance(1200);
  await becomes(name, { attempt: 'failed', attempts: 2 });
  await still(2);
  const accounts = createAccounts(given.setup.context);
  await administerPayout(accounts, { ...name, action: 'retry', force: false });
  await becomes(name, { attempt: 'failed', attempts: 3 });
});

it('a payout that no attempt has announced can be cancelled', async () => {
  const { bot } = await given.setup.bot(given.client.url);
  given.setup.advance(DAYS_60_MS);
  const name = await given.setup.payout(bot, null);
  given.setup.advance(-DAYS_60_MS);
  await administerPayout(createAccounts(given.setup.context), { ...name, action: 'cancel', force: false });
  run();
  await still(0);
  expect(await given.setup.payoutState(name)).toMatchObject({ status: 4, attempts: 0 });
});
