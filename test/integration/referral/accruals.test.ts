import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setExchangeRates } from '../../../src/commands/catalog/set-exchange-rates.ts';
import { changeRule } from '../../../src/commands/referral/change-rule.ts';
import {
  amountsOf,
  dataOf,
  newUser,
  processAgain,
  rewardProgram,
  rewardsOf,
  VISIT,
} from '../../support/reward-program.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { describeAccruals } from './accruals.suite.ts';

/** From what referrals do to what referrers have earned. */

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const DAY = new Date(VISIT).toISOString().slice(0, 10);

describe('an event of a referral', () => {
  it('earns by each rule of its name, and what it earns stands in the event; the first locks the rate', async () => {
    const it = await rewardProgram(service);
    const fixed = await it.rule({ unit_id: it.usd, hold_days: '1.5' });
    const percent = await it.rule({ reward_type: 'percent', amount: null, percent: '2.9', unit_id: it.usd });
    const external = await it.rule({ reward_type: 'external', amount: null });
    const referrer = newUser();
    const referral_id = await it.referral(referrer);
    await it.send({ user_id: referral_id, value_num: 50_000, unit: 'USD' }); // cents
    const all = await rewardsOf(service, it);
    const accrued = dataOf(all, 'reward_accrued');
    expect(accrued).toMatchObject([
      { rule_id: fixed, referral_id, amount: '5', unit_id: it.usd, rate: { reward_type: 'fixed', amount: '5' } },
      { rule_id: percent, referral_id, amount: '14.5', unit_id: it.usd, rate: { reward_type: 'percent' } },
    ]);
    expect(accrued.map(({ available_at, event }) => available_at - event.received)).toEqual([129_600_000, 0]);
    expect(new Set(accrued.map(({ accrual_id }) => accrual_id)).size).toBe(2);
    const locks = dataOf(all, 'reward_rate_locked');
    expect(locks.map(({ rule_id, source }) => [rule_id, source])).toEqual([
      [fixed, 'auto'],
      [percent, 'auto'],
      [external, 'auto'],
    ]);
  });

  it('earns only behind its attribution, in the log and by its date, cut to seconds', async () => {
    const it = await rewardProgram(service);
    await it.rule({ amount: '1' });
    const [referrer, stranger] = [newUser(), newUser()];
    const before = newUser();
    await it.call.message(before);
    await it.send({ user_id: before });
    await it.call.visit(before, await it.call.codeFor(referrer), VISIT);
    const referred = await it.referral(referrer);
    await it.send(
      { user_id: stranger },
      { user_id: referred, date: new Date(VISIT - 1).toISOString(), value_num: 1 },
      { user_id: referred, date: new Date(VISIT).toISOString(), value_num: 2 },
      { user_id: referred, date: new Date(VISIT + 999).toISOString(), event: 'Other' },
    );
    await it.send({ user_id: before });
    // A process that reads the first events only now knows the visit. They earn nothing nevertheless.
    await processAgain(service, 'a late process')();
    const all = await rewardsOf(service, it);
    const earned = dataOf(all, 'reward_accrued');
    expect(earned.map(({ referral_id, event }) => [referral_id, event.index])).toEqual([
      [referred, 2],
      [before, 0],
    ]);
  });

  it('earns by its rules as they stood when it was recorded, whatever waits for its user', async () => {
    const it = await rewardProgram(service);
    const referrer = newUser();
    const late = newUser();
    await it.call.data('mark-referral', { referral_user_id: late, referrer_user_id: referrer });
    await it.send({ user_id: late, event_key: 'too early for any rule' });
    const rule = await it.rule({ amount: '1' });
    await it.send({ user_id: late, event_key: 'by the first amount' });
    await changeRule(service.commands, { bot: it.bot.publicKey, ruleId: rule }, { amount: '2' });
    const second = await it.rule({ amount: '10' });
    await changeRule(service.commands, { bot: it.bot.publicKey, ruleId: second }, { active: false });
    await it.send({ user_id: late, event_key: 'by the locked one' });
    await changeRule(service.commands, { bot: it.bot.publicKey, ruleId: rule }, { active: false });
    expect(await rewardsOf(service, it)).toEqual([]);
    await it.call.message(late);
    await it.send({ user_id: late, event_key: 'by none' });
    expect(amountsOf(await rewardsOf(service, it))).toEqual(['1', '1']);
  });

  it('earns once, however often it is reported, and never what it is not worth', async () => {
    const it = await rewardProgram(service);
    await it.rule({ reward_type: 'percent', amount: null, percent: '10' });
    const referred = await it.referral(newUser());
    await it.send({ user_id: referred, value_num: 12, event_key: 'a' }, { user_id: referred, value_num: 0.04 });
    await it.send({ user_id: referred, value_num: 12, event_key: 'a' }, { user_id: referred });
    await it.send({ user_id: referred, value_num: -3 });
    const all = await rewardsOf(service, it);
    expect(amountsOf(all)).toEqual(['1.2']);
    const refused = dataOf(all, 'reward_refused').map(({ reason }) => reason);
    expect(refused.sort()).toEqual(['no_value', 'not_positive', 'not_positive']);
  });
});

describe('a percentage', () => {
  it("is converted at the rate of the event's day, or is in the event's own currency, which gets a unit", async () => {
    const it = await rewardProgram(service);
    await it.rule({ reward_type: 'percent', amount: null, percent: '10', unit_id: it.usd });
    await it.rule({ reward_type: 'percent', amount: null, percent: '50' });
    await setExchangeRates(service.commands, [
      { from: 'CHF', to: 'USD', rate: '1.1', date: '2026-01-10' },
      { from: 'CHF', to: 'USD', rate: '1.2', date: '2026-01-16' },
      { from: 'CHF', to: 'USD', rate: '9', date: '2026-01-18' },
    ]);
    const referred = await it.referral(newUser());
    const on = (day: string) => ({ user_id: referred, value_num: 1000, unit: 'CHF', date: `${day}T23:59:59.999Z` });
    await it.send(on(DAY), on('2026-01-16'), on('2026-01-17'));
    const all = await rewardsOf(service, it);
    const earned = dataOf(all, 'reward_accrued');
    const inUsd = earned.filter(({ unit_id }) => unit_id === it.usd);
    expect(inUsd.map(({ amount }) => amount)).toEqual(['1.1', '1.2', '1.2']);
    const inChf = earned.filter(({ unit_id }) => unit_id !== it.usd);
    expect(inChf.map(({ amount }) => amount)).toEqual(['5', '5', '5']);
    expect(new Set(inChf.map(({ unit_id }) => unit_id)).size).toBe(1);
  });

  it('without a rate, or of an unknown unit, is refused: an error of the bot that names the rule', async () => {
    const it = await rewardProgram(service);
    const rule = await it.rule({ name: 'Share', reward_type: 'percent', amount: null, percent: '10', unit_id: it.usd });
    const referred = await it.referral(newUser());
    const date = `${DAY}T12:00:00Z`;
    await it.send(
      { user_id: referred, date, value_num: 100, unit: 'NOK' },
      { user_id: referred, date, value_num: 7, unit: 'QQQ' },
    );
    const all = await rewardsOf(service, it);
    expect(dataOf(all, 'reward_refused').map(({ reason }) => reason)).toEqual(['no_rate', 'unknown_unit']);
    expect(all).toHaveLength(2);
    await service.projected();
    const { body } = await service.get('/v1/bot-errors?kind=warning&limit=200', { 'api-key': it.bot.apiKey });
    const errors = body.data.items.filter(({ message }: { message: string }) => message.startsWith('Rule'));
    expect(errors).toMatchObject([
      { message: `Rule ${rule} (Share): unit QQQ is neither a unit of the bot nor a currency` },
      {
        message: `Rule ${rule} (Share): no exchange rate for NOK on ${DAY}`,
        source: 'send-event',
        resolved_at: null,
        payload: { event: 'Order', user_id: referred, value_num: 100, unit: 'NOK', date: `${DAY}T12:00:00.000Z` },
      },
    ]);
    // A rate that comes later does not earn it after all: what is decided is decided.
    await setExchangeRates(service.commands, [{ from: 'NOK', to: 'USD', rate: '0.1', date: '2026-01-01' }]);
    await it.send({ user_id: referred, date, value_num: 100, unit: 'NOK' });
    expect(amountsOf(await rewardsOf(service, it))).toEqual(['0.01']);
  });
});

describe('accruals', () => describeAccruals(startTestService));
