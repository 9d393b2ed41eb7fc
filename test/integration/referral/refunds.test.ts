import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM_EVENTS } from '../../../src/domain/intake/system-events.ts';
import { operate } from '../../support/operate.ts';
import { dataOf, newUser, type RewardProgram, rewardProgram, rewardsOf } from '../../support/reward-program.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** Refunds of payments of the platform (decisions.md#refunds). */

let service: TestService;
let program: RewardProgram;
let referrer: number;
let user: number;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

async function begin(): Promise<void> {
  program = await rewardProgram(service);
  await program.rule({
    trigger_event_id: SYSTEM_EVENTS.payment,
    reward_type: 'percent',
    amount: null,
    percent: '10',
  });
  referrer = newUser();
  user = await program.referral(referrer);
}

let updateId = 900_000;
const SECONDS = Math.floor(Date.now() / 1000) - 3600;

function money(field: 'successful_payment' | 'refunded_payment', charge: string, by: 'user' | 'bot' = 'user'): object {
  const from = by === 'user' ? { id: user, is_bot: false, first_name: 'Ada' } : { id: 77, is_bot: true };
  const paid = { currency: 'XTR', total_amount: 500, invoice_payload: 'p', telegram_payment_charge_id: charge };
  const chat = { id: user, type: 'private' };
  return { update_id: ++updateId, message: { message_id: 1, date: SECONDS, chat, from, [field]: paid } };
}

async function send(...updates: object[]): Promise<void> {
  const body = updates.map((update) => ({ update }));
  const answer = await service.post('/v1/send-batch-update', body, { 'api-key': program.bot.apiKey });
  expect(answer.status).toBe(200);
}

/** The rows of the referrer's balance that are not zero, and the reversals, after all is decided. */
async function result() {
  const all = await rewardsOf(service, program);
  await service.projected();
  const { balance } = await program.call.data(`balance?user_id=${referrer}`);
  return { available: balance[0]?.available ?? null, reversed: dataOf(all, 'accrual_reversed') };
}

async function countOf(eventId: number): Promise<number> {
  const { rows } = await service.database.pool.query(
    `SELECT count(*)::int AS n FROM ${await schema()}.events WHERE user_id = $1 AND event_id = $2`,
    [user, eventId],
  );
  return rows[0].n;
}

async function schema(): Promise<string> {
  const { rows } = await service.database.pool.query(
    `SELECT schemaname AS name FROM pg_tables WHERE tablename = 'refunded_payments' ORDER BY 1 DESC LIMIT 1`,
  );
  return rows[0].name;
}

describe('a refund', () => {
  it.each(['user', 'bot'] as const)('by the %s reverses what the payment earned', async (by) => {
    await begin();
    await send(money('successful_payment', 'c1'), money('successful_payment', 'c2'));
    expect(await result()).toMatchObject({ available: 100, reversed: [] });
    await send(money('refunded_payment', 'c1', by));
    expect(await result()).toMatchObject({ available: 50, reversed: [{ compensation_id: null }] });
    expect(await countOf(SYSTEM_EVENTS.refund)).toBe(1);
    expect(await countOf(SYSTEM_EVENTS.message)).toBe(0);
  });

  it('counts once when it arrives twice, and so does its payment under another update_id', async () => {
    await begin();
    await send(money('successful_payment', 'c1'));
    await send(money('successful_payment', 'c1'));
    expect(await result()).toMatchObject({ available: 50 });
    await send(money('refunded_payment', 'c1'), money('refunded_payment', 'c1', 'bot'));
    await send(money('refunded_payment', 'c1'));
    const { available, reversed } = await result();
    expect([available, reversed.length]).toEqual([0, 1]);
    expect([await countOf(SYSTEM_EVENTS.payment), await countOf(SYSTEM_EVENTS.refund)]).toEqual([1, 1]);
  });

  it('that arrives before its payment, or beside it, reverses what that earns', async () => {
    await begin();
    await send(money('refunded_payment', 'c1', 'bot'));
    expect((await result()).reversed).toEqual([]);
    await send(money('successful_payment', 'c1'));
    await send(money('refunded_payment', 'c2'), money('successful_payment', 'c2'));
    const { available, reversed } = await result();
    expect([available, reversed.length]).toEqual([0, 2]);
  });

  it('of a payment whose reward was paid out makes a compensation', async () => {
    await begin();
    await send(money('successful_payment', 'c1'));
    expect((await result()).available).toBe(50);
    const { payout_id } = await program.call.data('payout', { user_id: referrer, method: 'manual' });
    await operate(service.env, ['payout', 'confirm', '--payout', String(payout_id)]);
    await send(money('refunded_payment', 'c1'));
    const { available, reversed } = await result();
    expect(available).toBe(-50);
    expect(reversed).toMatchObject([{ compensation_id: expect.any(Number), reason: 'the payment was refunded' }]);
  });
});
