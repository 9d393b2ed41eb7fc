import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUnit } from '../../../src/commands/catalog/units.ts';
import { type Accounts, createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../../src/commands/referral/accrue-rewards.ts';
import { changeRule, createRule, setRate } from '../../../src/commands/referral/change-rule.ts';
import { administerPayout } from '../../../src/commands/referral/payouts.ts';
import { account } from '../../../src/domain/referral/account/account.ts';
import type { RewardItem } from '../../../src/domain/referral/account/reward.ts';
import { Rejection } from '../../../src/domain/rejection.ts';
import { accountStream } from '../../../src/domain/streams.ts';
import { accountsReadModel } from '../../../src/projections/accounts/read-model.ts';
import { oracle } from '../../support/account-oracle.ts';
import { cause, item, percentItem } from '../../support/account-samples.ts';
import { commandOf, RULES, steps } from '../../support/account-steps.ts';
import { readAll } from '../../support/log.ts';
import { replay, rowsOf } from '../../support/replay.ts';
import type { Answer, TestBot, TestService } from '../../support/service.ts';

function onlyRejections(error: unknown): void {
  if (!(error instanceof Rejection)) throw error;
}

/** Balances, payouts and reversals over HTTP: on every engine of the log. */
export function describeAccounts(start: () => Promise<TestService>): void {
  let service: TestService;
  let bot: TestBot;
  let other: TestBot;
  /** The first bot with rules. */
  let ruled: TestBot;
  let accounts: Accounts;
  beforeAll(async () => {
    service = await start();
    [bot, other] = [await service.createBot(), await service.createBot()];
    ruled = await service.createBot();
    for (const { rule_id, name, ...rule } of RULES.map((each) => ({ ...each, name: 'Rule', trigger_event_id: 1 }))) {
      // The accounts get other units than those of the rules, which are of no bot.
      const { ruleId } = await createRule(service.commands, { bot: ruled.publicKey, ...rule, name, unit_id: null });
      expect(ruleId).toBe(rule_id);
    }
    accounts = createAccounts(service.commands);
  });
  afterAll(() => service.stop());

  const key = () => ({ 'api-key': bot.apiKey });
  const get = (path: string, headers: Record<string, string> = key()) => service.get(`/v1/referral/${path}`, headers);
  const post = (path: string, body: unknown, more: Record<string, string> = {}) =>
    service.post(`/v1/referral/${path}`, body, { ...key(), ...more });
  const dataOf = async (path: string) => {
    const { status, body } = await get(path);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data;
  };

  /** Rewards, received now, known to the service when this resolves. */
  async function earn(referrer: number, ...items: readonly RewardItem[]): Promise<void> {
    const received = service.commands.sources.now();
    const now = items.map((each) => ({ ...each, event: { ...each.event, date: received, received } }));
    await accrueRewards(accounts, { bot: bot.publicKey, referrer, items: now });
    await service.projected();
  }

  /** Again as long as a busy machine says that it was certainly not done. */
  async function payOut(): Promise<Answer> {
    const answer = await post('payout', { user_id: 1 });
    return answer.status === 503 ? payOut() : answer;
  }

  test('0.1 and 0.2 are 0.3, which a hundred concurrent requests pay out once, to the digit', async () => {
    const [dime, two] = ['0.1', '0.2'].map((amount, index) => item(index, { rule: { rule_id: index + 1, amount } }));
    await earn(1, dime!, two!, item(2, { rule: { rule_id: 3, amount: '123456789012345.67' } }));
    const raw = await fetch(`${service.address}/v1/referral/balance?user_id=1`, { headers: key() });
    expect(await raw.text()).toContain('"available":123456789012345.97,"reserved":0,"paid":0,"on_hold":0');

    const answers = await Promise.all(Array.from({ length: 100 }, payOut));
    const done = answers.filter(({ status }) => status === 200);
    expect(done).toHaveLength(1);
    for (const { status, body } of answers)
      if (status !== 200) expect(body).toMatchObject({ ok: false, error: 'no available balance', error_code: 400 });

    const { payouts } = await dataOf('payouts?user_id=1');
    expect(payouts).toEqual([
      {
        payout_id: done[0]!.body.data.payout_id,
        amount: 123456789012345.97,
        unit_id: 1,
        // The bot has no webhook.
        status: expect.toSatisfy((status: number) => status === 0 || status === 3),
        method: 'webhook',
        initiated_by: 'api',
        requested_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        processed_at: null,
      },
    ]);
    const { balance } = await dataOf('balance?user_id=1');
    expect(balance).toEqual([{ unit_id: 1, available: 0, reserved: 123456789012345.97, paid: 0, on_hold: 0 }]);
  });

  test('a payout takes every unit, or one; a repeat gets the first answer', async () => {
    const gem = percentItem(1, '10', '50', { base: { value: '50', rate: '1', unit: { unit_id: 7, scale: 0 } } });
    const bare = item(2, { rule: { rule_id: 9, unit_id: null, amount: '3' } });
    await earn(2, item(0), gem, bare);
    const one = { 'idempotency-key': 'one' };
    const first = await post('payout', { user_id: 2, unit_id: null, method: 'manual' }, one);
    expect(first).toMatchObject({ status: 200, body: { ok: true } });
    const { payout_id } = first.body.data;
    expect(first.body.data).toEqual({ payout_id, payout_ids: [payout_id] });
    expect((await post('payout', { user_id: 2, unit_id: null, method: 'manual' }, one)).body).toEqual(first.body);
    expect((await post('payout', { user_id: 2 }, one)).status).toBe(422);

    const rest = await post('payout', { user_id: 2, method: null });
    const { payout_ids } = rest.body.data;
    expect(payout_ids).toHaveLength(2);
    expect(rest.body.data.payout_id).toBe(Math.min(...payout_ids));
    const { payouts } = await dataOf('payouts?user_id=2&limit=2');
    expect(payouts.map((each: { unit_id: number; amount: number }) => [each.unit_id, each.amount])).toEqual([
      [7, 5],
      [1, 5],
    ]);
    expect((await dataOf('payouts?user_id=2&offset=2')).payouts).toMatchObject([
      { payout_id, unit_id: null, amount: 3, method: 'manual', status: 0 },
    ]);
    // A repeat of what would be refused now.
    expect((await post('payout', { user_id: 2, unit_id: null, method: 'manual' }, one)).body).toEqual(first.body);
  });

  test('lists accruals in each of their states', async () => {
    const held = item(1, { rule: { rule_id: 2, hold_days: '30', unit_id: null, amount: '2.5' }, referral_id: 8 });
    await earn(3, item(0), held);
    const { accruals } = await dataOf('accruals?user_id=3');
    const [onHold, confirmed] = accruals;
    expect(onHold).toMatchObject({ referral_id: 8, amount: 2.5, unit_id: null, status: 0 });
    const days = (Date.parse(`${onHold.available_at}Z`) - Date.parse(`${onHold.date}Z`)) / 86_400_000;
    expect(days).toBe(30);
    expect(confirmed).toMatchObject({ referral_id: 7, amount: 5, unit_id: 1, status: 1, available_at: null });
    expect((await dataOf('accruals?user_id=3&limit=1&offset=1')).accruals).toEqual([confirmed]);
    expect((await dataOf('accruals?user_id=3&limit=0')).accruals).toEqual([onHold]);

    const { payout_id } = (await post('payout', { user_id: 3, method: 'manual' })).body.data;
    expect((await dataOf('accruals?user_id=3')).accruals[1]).toMatchObject({ status: 1 });
    await administerPayout(accounts, {
      ...{ bot: bot.publicKey, userId: 3, payoutId: payout_id },
      action: 'confirm',
      force: false,
    });
    await service.projected();
    expect((await dataOf('accruals?user_id=3')).accruals).toMatchObject([{ id: onHold.id }, { status: 2 }]);
    expect((await dataOf('payouts?user_id=3')).payouts).toMatchObject([
      { status: 2, processed_at: expect.stringMatching(/^\d{4}-/) },
    ]);

    const again = { 'idempotency-key': 'reverse' };
    const reversal = { accrual_id: confirmed.id, reason: 'returned' };
    const answer = await post('reverse-accrual', reversal, again);
    expect(answer).toMatchObject({ status: 200, body: { ok: true, data: {} } });
    expect((await post('reverse-accrual', reversal, again)).body).toEqual(answer.body);
    expect(await post('reverse-accrual', reversal)).toMatchObject({ status: 409, body: { error_code: 409 } });
    expect(await post('reverse-accrual', { accrual_id: onHold.id })).toMatchObject({ status: 200 });
    const [compensation, ...none] = (await dataOf('accruals?user_id=3')).accruals;
    expect(none).toEqual([]);
    expect(compensation).toMatchObject({ amount: -5, status: 1, available_at: null, referral_id: 7 });
    expect(await post('reverse-accrual', { accrual_id: compensation.id })).toMatchObject({ status: 409 });
    expect((await dataOf('balance?user_id=3')).balance).toEqual([
      { unit_id: null, available: 0, reserved: 0, paid: 0, on_hold: 0 },
      { unit_id: 1, available: -5, reserved: 0, paid: 5, on_hold: 0 },
    ]);

    const { history } = await dataOf('history?user_id=3');
    const rows = history.map((row: Record<string, unknown>) => [
      ...[row['position'], row['event'], row['amount'], row['unit_id']],
      ...[row['on_hold'], row['available'], row['reserved'], row['paid']],
    ]);
    expect(rows).toEqual([
      [1, 'accrued', 5, 1, 0, 5, 0, 0],
      [1, 'accrued', 2.5, null, 2.5, 0, 0, 0],
      [2, 'payout_requested', 5, 1, 0, 0, 5, 0],
      [3, 'payout_paid', 5, 1, 0, 0, 0, 5],
      [4, 'compensated', -5, 1, 0, -5, 0, 5],
      [5, 'cancelled', -2.5, null, 0, 0, 0, 0],
    ]);
    expect((await dataOf('history?user_id=3&unit_id=null&limit=1&offset=1')).history).toEqual([history[5]]);
    expect((await dataOf(`history?user_id=3&unit_id=${Number.MAX_SAFE_INTEGER}`)).history).toEqual([]);
    expect((await dataOf('history?user_id=3&at=2020-01-01%2000:00:00')).history).toEqual([]);
    const at = encodeURIComponent(history[5].date);
    expect((await dataOf(`history?user_id=3&at=${at}`)).history).toEqual(history);
    const latest = history.toReversed();
    expect((await dataOf('history?user_id=3&order=desc')).history).toEqual(latest);
    expect((await dataOf(`history?user_id=3&order=desc&at=${at}&limit=2&offset=1`)).history).toEqual(
      latest.slice(1, 3),
    );
    const { balance, data_as_of } = await dataOf(`balance?user_id=3&at=${at}`);
    expect(balance).toEqual((await dataOf('balance?user_id=3')).balance);
    expect(data_as_of).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  test("rates are the rules', until one is locked by the first accrual, or by hand", async () => {
    const { unitId } = await createUnit(service.commands, { bot: bot.publicKey, code: 'GEM', name: null, scale: 1 });
    const shared = { bot: bot.publicKey, trigger_event_id: 1, hold_days: '0', unit_id: unitId };
    const fixed = { ...shared, name: 'Sale', reward_type: 'fixed', amount: '2.5', percent: null } as const;
    const share = { ...shared, name: 'Share', reward_type: 'percent', amount: null, percent: '12.125' } as const;
    const [first, second] = [
      (await createRule(service.commands, fixed)).ruleId,
      (await createRule(service.commands, share)).ruleId,
    ];
    await service.projected();
    const rule = { trigger_event_id: 1, unit_id: unitId, locked: false, source: null };
    const asRuled = [
      { ...rule, rule_id: first, rule_name: 'Sale', reward_type: 'fixed', reward_amount: 2.5, reward_percent: null },
      {
        ...rule,
        rule_id: second,
        rule_name: 'Share',
        reward_type: 'percent',
        reward_amount: null,
        reward_percent: 12.125,
      },
    ];
    expect((await dataOf('rates?user_id=6')).rates).toEqual(asRuled);
    await earn(6, item(0, { rule: { rule_id: first, amount: '2.5', unit_id: unitId } }));
    await setRate(accounts, { bot: bot.publicKey, userId: 6, ruleId: second, percent: '20' });
    await changeRule(service.commands, { bot: bot.publicKey, ruleId: first }, { amount: '9.9' });
    await service.projected();
    expect((await dataOf('rates?user_id=6')).rates).toEqual([
      { ...asRuled[0], locked: true, source: 'auto' },
      { ...asRuled[1], reward_percent: 20, locked: true, source: 'manual' },
    ]);
    expect((await dataOf('rates?user_id=7')).rates).toMatchObject([{ reward_amount: 9.9 }, { reward_percent: 12.125 }]);
    await changeRule(service.commands, { bot: bot.publicKey, ruleId: first }, { active: false });
    await service.projected();
    expect((await dataOf('rates?user_id=6')).rates).toMatchObject([{ rule_id: second }]);
  });

  test('no accrual of another bot is shown or reversed', async () => {
    await earn(4, item(0));
    const [{ id }] = (await dataOf('accruals?user_id=4')).accruals;
    const foreign = { 'api-key': other.apiKey };
    const reversal = await service.post('/v1/referral/reverse-accrual', { accrual_id: id }, foreign);
    expect(reversal).toMatchObject({ status: 404, body: { ok: false, error_code: 404 } });
    expect((await get('balance?user_id=4', foreign)).body.data).toEqual({ balance: [] });
    expect((await dataOf('accruals?user_id=4')).accruals).toHaveLength(1);
  });

  test('one order earns once, however often it is accrued', async () => {
    const second = createAccounts(service.commands);
    const items = [0, 1, 2].map((index) => ({ ...item(index, { rule: { rule_id: 4 } }), event: cause(index + 500) }));
    const command = { bot: bot.publicKey, referrer: 5, items };
    await Promise.all([accounts, second, accounts, second].map((each) => accrueRewards(each, command)));
    await service.projected();
    expect((await dataOf('accruals?user_id=5')).accruals).toHaveLength(3);
    const { history } = await dataOf('history?user_id=5');
    expect(history).toHaveLength(3);
  });

  test('after random commands, answers and tables equal a plain list of the events', async () => {
    const second = createAccounts(service.commands);
    let userId = 1000;
    await fc.assert(
      fc.asyncProperty(steps(60), async (taken) => {
        const key = { bot: ruled.publicKey, userId: userId++ };
        for (const [index, step] of taken.entries()) {
          if (step.type === 'wait') continue;
          const instance = index % 2 === 0 ? accounts : second;
          const now = service.commands.sources.now();
          const command = await instance.view(key, (state) => commandOf(step, state, now));
          if (command !== null) await instance.change(key, command).catch(onlyRejections);
        }
        const { expected, balance, accruals, now } = await oracleAndAnswers(key.userId);
        const balances = [...expected.balances(now)].map(([unit, amounts]) => [unit, ...amounts.map(Number)]);
        expect(balance.map((row: object) => Object.values(row))).toEqual(
          balances.sort(([a], [b]) => Number(a) - Number(b)),
        );
        const statuses = accruals.map(({ id, status }: { id: number; status: number }) => [id, status]);
        expect(new Map(statuses)).toEqual(expected.statuses(now));
      }),
      { numRuns: 4, endOnFailure: true },
    );
    const { rows, commits } = await rowsAndCommits();
    expect(rows).toEqual(await replay(accountsReadModel, commits, service.log.keys));
  });

  /** The tables, and the commits that they hold. */
  async function rowsAndCommits() {
    for (;;) {
      const commits = await readAll(service.log, { categories: ['account'] });
      await service.projected();
      const rows = await rowsOf(service.database.pool, accountsReadModel);
      const after = await readAll(service.log, { categories: ['account'] });
      if (after.length === commits.length) return { rows, commits };
    }
  }

  /** Returns an account as the log and the service have it at one moment: payouts are delivered all the time. */
  async function oracleAndAnswers(userId: number) {
    const headers = { 'api-key': ruled.apiKey };
    for (;;) {
      const { head, commits } = await service.log.read(accountStream(ruled.publicKey, userId));
      await service.projected();
      const { balance } = (await get(`balance?user_id=${userId}`, headers)).body.data;
      const { accruals } = (await get(`accruals?user_id=${userId}&limit=200`, headers)).body.data;
      const after = await service.log.read(accountStream(ruled.publicKey, userId), head);
      if (after.commits.length > 0) continue;
      const expected = oracle();
      for (const event of commits.flatMap(({ events }) => events.map(account.read))) expected.apply(event);
      return { expected, balance, accruals, now: service.commands.sources.now() };
    }
  }

  test.each<[number, string, string, unknown]>([
    [400, 'user_id', 'balance', undefined],
    [400, 'user_id', 'balance?user_id=x', undefined],
    [400, 'user_id', 'balance?user_id=0', undefined],
    [400, 'user_id', 'balance?user_id=1&user_id=2', undefined],
    [400, 'user_id', 'payouts?user_id=1e3', undefined],
    [400, 'limit', 'payouts?user_id=1&limit=ten', undefined],
    [400, 'user_id', 'accruals', undefined],
    [400, 'offset', 'accruals?user_id=1&offset=1.5', undefined],
    [400, 'user_id', 'rates', undefined],
    [400, 'user_id', 'history', undefined],
    [400, 'unit_id', 'history?user_id=1&unit_id=usd', undefined],
    [400, 'unit_id', `history?user_id=1&unit_id=${Number.MAX_SAFE_INTEGER + 1}`, undefined],
    [400, 'at', 'history?user_id=1&at=2026-02-30%2000:00:00', undefined],
    [400, 'at', 'history?user_id=1&at=2026-01-01', undefined],
    [400, 'user_id', 'payout', {}],
    [400, 'user_id', 'payout', { user_id: '1' }],
    [400, 'user_id', 'payout', { user_id: 1.5 }],
    [400, 'user_id', 'payout', { user_id: 4040404 }],
    [400, 'user_id', 'payout', { user_id: 2, unit_id: 999 }],
    [400, 'unit_id', 'payout', { user_id: 1, unit_id: 'USD' }],
    [400, 'method', 'payout', { user_id: 1, method: 'cash' }],
    [400, '', 'payout', [1]],
    [400, 'accrual_id', 'reverse-accrual', {}],
    [400, 'accrual_id', 'reverse-accrual', { accrual_id: '1' }],
    [400, 'reason', 'reverse-accrual', { accrual_id: 1, reason: 5 }],
    [400, 'reason', 'reverse-accrual', { accrual_id: 1, reason: 'x'.repeat(10_001) }],
    [404, 'accrual_id', 'reverse-accrual', { accrual_id: 987_654_321 }],
  ])('%i for %s: %s %j', async (status, path, url, body) => {
    const answer = body === undefined ? await get(url) : await post(url, body);
    expect(answer).toMatchObject({ status, body: { ok: false, error_code: status, details: [{ path }] } });
    expect(answer.body.error).toEqual(expect.stringMatching(/./));
  });

  test('no answer without a key', async () => {
    for (const path of ['balance', 'payouts', 'accruals', 'rates', 'history'])
      expect(await get(`${path}?user_id=1`, {})).toMatchObject({ status: 401 });
    for (const path of ['payout', 'reverse-accrual'])
      expect(await service.post(`/v1/referral/${path}`, {})).toMatchObject({ status: 401 });
  });
}
