import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SYSTEM_EVENTS } from '../../../src/domain/intake/system-events.ts';
import { operate } from '../../support/operate.ts';
import { dataOf, newUser, type RewardProgram, rewardProgram, rewardsOf } from '../../support/reward-program.ts';
import type { TestService } from '../../support/service.ts';

const SECONDS = Math.floor(Date.now() / 1000) - 3600;

/**
 * Refunds of payments of the platform (decisions.md#refunds) on one engine of the log.
 * @param between runs between the first and the second updates of a charge
 */
export function describeRefunds(
  start: () => Promise<TestService>,
  between: (service: TestService, program: RewardProgram) => Promise<void> = async () => {},
): void {
  let service: TestService;
  let program: RewardProgram;
  let referrer: number;
  let user: number;
  let updateId = 900_000;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    program = await rewardProgram(service);
    const rule = { reward_type: 'percent', amount: null, percent: '10' } as const;
    await program.rule({ trigger_event_id: SYSTEM_EVENTS.payment, ...rule });
    referrer = newUser();
    user = await program.referral(referrer);
  });

  function money(field: 'successful_payment' | 'refunded_payment', charge: string, by: 'user' | 'bot' = 'user') {
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

  /** Payments, refunds and messages of the user in reports, and the sum of payments and refunds. */
  async function reported() {
    const { payment, refund, message } = SYSTEM_EVENTS;
    const of = (event_id: number) => ({ agr: 'total', filters: ['=', 'events.event_type_id', event_id] });
    const sum = { agr: 'property_sum', agr_field: 'events.value_int' };
    const requests = [
      ...[payment, refund, message].map(of),
      { ...sum, filters: ['in', 'events.event_type_id', [payment, refund]] },
    ].map((metric) => ({ type: 'trend', event_id: null, event_name: 'all', ...metric }));
    const source_request = { type: 'trends', type_chart: 'number', requests, filters: ['=', 'events.user_id', user] };
    const day = (days: number): string => new Date((SECONDS + days * 86_400) * 1000).toISOString().slice(0, 10);
    const params = { ':date_from': `${day(-1)} 00:00:00`, ':date_to': `${day(1)} 23:59:59` };
    const body = { report_config: { source_request, settings: { params } } };
    const answer = await service.post('/v1/reports/run', body, { 'api-key': program.bot.apiKey });
    expect(answer).toMatchObject({ status: 200 });
    const [payments, refunds, messages, net] = answer.body.data.columns.flatMap(
      ({ total }: { total?: number }) => total ?? [],
    );
    return { payments, refunds, messages, net };
  }

  it.each(['user', 'bot'] as const)(
    'by the %s reverses what the payment earned, and reports subtract it',
    async (by) => {
      await send(money('successful_payment', 'c1'), money('successful_payment', 'c2'));
      expect(await result()).toMatchObject({ available: 100, reversed: [] });
      await between(service, program);
      await send(money('refunded_payment', 'c1', by));
      expect(await result()).toMatchObject({ available: 50, reversed: [{ compensation_id: null }] });
      expect(await reported()).toEqual({ payments: 2, refunds: 1, messages: 0, net: 500 });
    },
  );

  it('counts once when it arrives twice, and so does its payment under another update_id', async () => {
    await send(money('successful_payment', 'c1'));
    await between(service, program);
    await send(money('successful_payment', 'c1'));
    expect(await result()).toMatchObject({ available: 50 });
    await send(money('refunded_payment', 'c1'), money('refunded_payment', 'c1', 'bot'));
    await send(money('refunded_payment', 'c1'));
    const { available, reversed } = await result();
    expect([available, reversed.length]).toEqual([0, 1]);
    expect(await reported()).toEqual({ payments: 1, refunds: 1, messages: 0, net: 0 });
  });

  it('that arrives before its payment, or at the same time, reverses its reward', async () => {
    await send(money('refunded_payment', 'c1', 'bot'));
    expect((await result()).reversed).toEqual([]);
    await between(service, program);
    await send(money('successful_payment', 'c1'));
    await send(money('refunded_payment', 'c2'), money('successful_payment', 'c2'));
    const { available, reversed } = await result();
    expect([available, reversed.length]).toEqual([0, 2]);
    expect(await reported()).toEqual({ payments: 2, refunds: 2, messages: 0, net: 0 });
  });

  it('of a payment whose reward was paid out makes a compensation', async () => {
    await send(money('successful_payment', 'c1'));
    expect((await result()).available).toBe(50);
    const { payout_id } = await program.call.data('payout', { user_id: referrer, method: 'manual' });
    await operate(service.env, ['payout', 'confirm', '--payout', String(payout_id)]);
    await between(service, program);
    await send(money('refunded_payment', 'c1'));
    const { available, reversed } = await result();
    expect(available).toBe(-50);
    expect(reversed).toMatchObject([{ compensation_id: expect.any(Number), reason: 'the payment was refunded' }]);
  });

  it('reverses once, also after a lost database', async () => {
    await send(money('successful_payment', 'c1'), money('refunded_payment', 'c2'));
    await between(service, program);
    await send(money('refunded_payment', 'c1'));
    const before = await result();
    expect(before).toMatchObject({ available: 0, reversed: [{ compensation_id: null }] });
    await service.restart(() => service.dropDerived());
    await service.projected();
    expect(await result()).toEqual(before);
    await send(money('refunded_payment', 'c1'), money('successful_payment', 'c2'));
    const { available, reversed } = await result();
    expect([available, reversed.length]).toEqual([0, 2]);
  });
}
