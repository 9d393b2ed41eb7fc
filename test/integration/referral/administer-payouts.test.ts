import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../../src/commands/referral/accrue-rewards.ts';
import { setPayoutWebhook } from '../../../src/commands/referral/payout-webhook.ts';
import { item } from '../../support/account-samples.ts';
import { type BotOfOwner, botOf } from '../../support/bot-things.ts';
import { type Answer, startTestService, type TestService } from '../../support/service.ts';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver.ts';

let service: TestService;
let client: WebhookReceiver;
let bot: BotOfOwner;
let users = 0;
beforeAll(async () => {
  client = await webhookReceiver();
  service = await startTestService({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_RETRY_DELAYS: '0' });
  bot = await botOf(service, (await service.createBot()).ownerId);
  await setPayoutWebhook(service.commands, bot.publicKey, client.url);
});
afterAll(async () => {
  await service.stop();
  await client.close();
});

const act = (action: string, body: object, more: Record<string, string> = {}): Promise<Answer> =>
  service.post(`/v1/referral/payouts/${action}`, body, { 'api-key': bot.apiKey, ...more });

interface Requested {
  readonly user: number;
  readonly payout_id: number;
}

/** Requests a payout of 5 of a new user. */
async function requested(method: 'manual' | 'webhook'): Promise<Requested> {
  const user = ++users;
  const received = service.commands.sources.now();
  const each = item(user, { rule: { rule_id: 1, unit_id: null } });
  const items = [{ ...each, event: { ...each.event, date: received, received } }];
  await accrueRewards(createAccounts(service.commands), { bot: bot.publicKey, referrer: user, items });
  await service.projected();
  const headers = { 'api-key': bot.apiKey };
  const { body } = await service.post('/v1/referral/payout', { user_id: user, method }, headers);
  return { user, payout_id: body.data.payout_id };
}

async function data(path: string) {
  const { status, body } = await service.get(`/v1/referral/${path}`, { 'api-key': bot.apiKey });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
}
const payoutOf = async ({ payout_id }: Requested) => (await data(`all-payouts?payout_id=${payout_id}`)).payouts[0];
const balanceOf = async ({ user }: Requested) => (await data(`balance?user_id=${user}`)).balance[0];

/** A payout by webhook whose only attempt was answered so. */
async function answered(status: number): Promise<Requested> {
  client.answers(status);
  const made = await requested('webhook');
  const state = status === 202 ? 1 : 3;
  await expect.poll(async () => (await payoutOf(made)).status).toBe(state);
  await expect.poll(async () => (await payoutOf(made)).deliveries[0]?.status).toBe(status);
  return made;
}

it('confirms a payout by hand once, with a reason that the history shows', async () => {
  const made = await requested('manual');
  const once = { 'idempotency-key': 'confirm' };
  const body = { payout_id: made.payout_id, reason: 'bank transfer 7' };
  const first = await act('confirm', body, once);
  expect(first).toMatchObject({ status: 200, body: { ok: true, data: { payout_id: made.payout_id } } });
  expect((await act('confirm', body, once)).body).toEqual(first.body);
  expect((await act('confirm', { ...body, reason: 'other' }, once)).status).toBe(422);
  expect((await act('confirm', body)).status).toBe(409);
  expect(await payoutOf(made)).toMatchObject({ status: 2, reason: 'bank transfer 7', error: null });
  const { history } = await data(`history?user_id=${made.user}`);
  expect(history.map(({ event, reason }: { event: string; reason: string | null }) => [event, reason])).toEqual([
    ['accrued', null],
    ['payout_requested', null],
    ['payout_paid', 'bank transfer 7'],
  ]);
});

it('records that an accepted payout was not paid, announces it again, and cancels it by force', async () => {
  const made = await answered(202);
  const { payout_id } = made;
  expect((await act('cancel', { payout_id, reason: 'no', force: true })).status).toBe(409);
  expect(await act('fail', { payout_id })).toMatchObject({ status: 400, body: { details: [{ path: 'reason' }] } });
  expect((await act('fail', { payout_id, reason: 'account closed' })).status).toBe(200);
  expect(await payoutOf(made)).toMatchObject({ status: 3, error: 'account closed' });
  client.answers(500);
  expect((await act('retry', { payout_id, reason: 'account opened' })).status).toBe(200);
  await expect.poll(async () => (await payoutOf(made)).status).toBe(3);
  expect(await payoutOf(made)).toMatchObject({ reason: 'account opened' });
  expect((await act('cancel', { payout_id, reason: 'wrong account' })).status).toBe(409);
  expect(await balanceOf(made)).toMatchObject({ available: 0, reserved: 5 });
  expect((await act('cancel', { payout_id, reason: 'wrong account', force: true })).status).toBe(200);
  expect(await payoutOf(made)).toMatchObject({ status: 4, reason: 'wrong account' });
  expect(await balanceOf(made)).toMatchObject({ available: 5, reserved: 0 });
  const { history } = await data(`history?user_id=${made.user}&order=desc&limit=1`);
  expect(history).toMatchObject([{ event: 'payout_cancelled', reason: 'wrong account' }]);
});

it('refuses what the state does not allow, a payout that is not there, and other keys', async () => {
  const made = await requested('manual');
  const body = { payout_id: made.payout_id, reason: 'x' };
  for (const action of ['fail', 'retry']) expect((await act(action, body)).status, action).toBe(409);
  for (const action of ['confirm', 'fail', 'cancel', 'retry']) {
    expect((await act(action, { payout_id: 404_404, reason: 'x' })).status, action).toBe(404);
    const personal = await service.createBot();
    expect((await act(action, body, { 'api-key': personal.apiKey })).status, action).toBe(403);
  }
  expect((await act('cancel', { ...body, reason: ' ' })).status).toBe(400);
  expect(await payoutOf(made)).toMatchObject({ status: 0, reason: null });
});

it('shows why an accrual was taken back in the history', async () => {
  const made = await requested('manual');
  expect((await act('cancel', { payout_id: made.payout_id, reason: 'again' })).status).toBe(200);
  const [{ accrual_id }] = (await data(`entries?user_id=${made.user}`)).entries;
  const reversal = { accrual_id, reason: 'returned' };
  const { status } = await service.post('/v1/referral/reverse-accrual', reversal, { 'api-key': bot.apiKey });
  expect(status).toBe(200);
  const { history } = await data(`history?user_id=${made.user}&order=desc&limit=1`);
  expect(history).toMatchObject([{ event: 'cancelled', reason: 'returned' }]);
});
