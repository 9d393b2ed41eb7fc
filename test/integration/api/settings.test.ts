import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { giveQuotaBack, takeQuota } from '../../../src/commands/broadcast/take-quota.ts';
import { changeOwner } from '../../../src/commands/catalog/change-owner.ts';
import { setExchangeRates } from '../../../src/commands/catalog/set-exchange-rates.ts';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../../src/commands/referral/accrue-rewards.ts';
import { SYSTEM_EVENTS } from '../../../src/domain/intake/system-events.ts';
import type { Answer } from '../../support/service.ts';
import { type SettingsService, startSettingsService } from '../../support/settings.ts';

let settings: SettingsService;
beforeAll(async () => {
  settings = await startSettingsService();
});
afterAll(() => settings.service.stop());

describe('the plan', () => {
  it('has the report currency, and the broadcasts of the month without those given back', async () => {
    const { service, bot, owner } = settings;
    const plan = async () => (await service.get('/v1/settings/plan', settings.by(owner))).body.data;
    const month = new Date(service.commands.sources.now()).toISOString().slice(0, 7);
    const before = await plan();
    expect(before).toEqual({
      plan: 'premium',
      currency: 'USD',
      broadcasts: { month, used: 0, limit: expect.any(Number) },
    });
    const activation = randomUUID();
    await takeQuota(service.commands, bot.ownerId, { activation, broadcast_id: 1, bot: bot.publicKey });
    expect((await plan()).broadcasts).toEqual({ ...before.broadcasts, used: 1 });
    await giveQuotaBack(service.commands, bot.ownerId, activation);
    await changeOwner(service.commands, bot.ownerId, { plan: 'free', broadcasts_per_month: 5 });
    expect(await plan()).toEqual({ ...before, plan: 'free', broadcasts: { month, used: 0, limit: 5 } });
    await changeOwner(service.commands, bot.ownerId, { plan: 'premium' });
  });
});

describe('bots', () => {
  it('a bot is created once under an Idempotency-Key, and set; its token is in no answer and not in the log', async () => {
    const body = { name: 'New', username: '@new_bot', token: '987654:TOKEN-of-New', timezone: 'Asia/Kolkata' };
    const key = { 'idempotency-key': 'create once' };
    const created = (await settings.set('bots/create', body, settings.owner, key)).body.data;
    expect(created.webhook_secret).toMatch(/^[\w-]{43}$/);
    expect((await settings.set('bots/create', body, settings.owner, key)).body.data).toEqual({
      ...created,
      webhook_secret: null,
    });
    const about = { 'resource-key': created.resource_key };
    const changes = { name: 'Newer', timezone: 'Europe/Paris', auto_payout: 'weekly', referral_new_users_only: true };
    expect((await settings.set('bots/set', changes, settings.owner, about)).status).toBe(200);
    const rows = await settings.list('bots');
    expect(rows.filter(({ username }: { username: string }) => username === 'new_bot')).toEqual([
      {
        resource_key: created.resource_key,
        username: 'new_bot',
        has_token: true,
        pair_separator: '_',
        value_separator: '-',
        paid_broadcasts: false,
        ...changes,
      },
    ]);
    expect(JSON.stringify(rows) + (await settings.logText())).not.toContain('TOKEN-of-New');
    expect((await settings.set('bots/set', { token: '' }, settings.owner, about)).status).toBe(200);
    expect(await settings.list('bots')).toContainEqual(expect.objectContaining({ name: 'Newer', has_token: false }));
    const secret = (await settings.set('bots/rotate-webhook-secret', {}, settings.owner, about)).body.data
      .webhook_secret;
    const call = (token: string): Promise<Answer> =>
      settings.service.post(
        `/v1/webhook/${created.resource_key}`,
        { update_id: 1 },
        { 'x-telegram-bot-api-secret-token': token },
      );
    await expect.poll(async () => (await call(secret)).status).toBe(200);
    expect((await call(created.webhook_secret)).status).toBe(401);
  });

  it.each([
    ['token', { token: 'nonsense' }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['timezone', { timezone: '+01:00' }],
    ['username', { username: 'a b' }],
    ['name', { name: '' }],
    ['value_separator', { value_separator: '_' }],
    ['auto_payout', { auto_payout: 'hourly' }],
    ['paid_broadcasts', { paid_broadcasts: 'yes' }],
  ])('a wrong %s is refused: %j', async (path, body) => {
    expect(await settings.set('bots/set', body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
  });

  it('null counts as absent', async () => {
    const before = await settings.list('bots');
    expect((await settings.set('bots/set', { name: null, token: null, auto_payout: null })).status).toBe(200);
    expect(await settings.list('bots')).toEqual(before);
  });
});

describe('words of events', () => {
  const startEvent = async () =>
    (await settings.service.get('/v1/reports/events', settings.by(settings.owner))).body.data.items.find(
      ({ name }: { name: string }) => name === 'start',
    );
  const describeStart = (words: object) => settings.set('events/describe', { event_id: SYSTEM_EVENTS.start, ...words });

  it('are listed at once, and stay where a change does not name them', async () => {
    expect(await startEvent()).toMatchObject({ title: null, description: null, hidden: false });
    expect((await describeStart({ title: 'Started the bot', description: 'First contact' })).status).toBe(200);
    expect((await describeStart({ hidden: true, title: null })).status).toBe(200);
    const described = { title: 'Started the bot', description: 'First contact', hidden: true };
    expect(await startEvent()).toMatchObject(described);
    expect((await describeStart({ title: '', hidden: false })).status).toBe(200);
    expect(await startEvent()).toMatchObject({ title: null, description: 'First contact', hidden: false });
  });

  it.each([
    ['event_id', 404, { event_id: 98_765, title: 'x' }],
    ['title', 400, { event_id: 1, title: 'x'.repeat(251) }],
    ['description', 400, { event_id: 1, description: 'x'.repeat(1001) }],
    ['title', 400, { event_id: 1, title: '\0' }],
    ['hidden', 400, { event_id: 1, hidden: 'yes' }],
  ])('with a wrong %s are refused: %i', async (path, status, body) => {
    expect(await settings.set('events/describe', body)).toMatchObject({ status, body: { details: [{ path }] } });
  });
});

describe('goals, units and rates', () => {
  it('a goal and a unit are created once, and listed at once', async () => {
    const key = { 'idempotency-key': 'goal' };
    const goal = (await settings.set('goals/create', { target_id: 77, name: 'Trial' }, settings.owner, key)).body.data;
    expect(
      (await settings.set('goals/create', { target_id: 77, name: 'Trial' }, settings.owner, key)).body.data,
    ).toEqual(goal);
    expect((await settings.set('goals/create', { target_id: 77, name: 'Again' })).status).toBe(409);
    expect(await settings.list('goals')).toContainEqual({ ...goal, name: 'Trial' });
    const unit = (await settings.set('units/create', { code: 'gem', name: 'Gems', scale: 3 }, settings.owner, key)).body
      .data;
    expect(
      (await settings.set('units/create', { code: 'gem', name: 'Gems', scale: 3 }, settings.owner, key)).body.data,
    ).toEqual(unit);
    expect(await settings.list('units')).toContainEqual({ ...unit, code: 'GEM', name: 'Gems', scale: 3 });
    expect((await settings.set('units/create', { code: 'USD' })).body.details).toEqual([
      expect.objectContaining({ path: 'code' }),
    ]);
    expect((await settings.set('units/create', { code: 'XYZ', scale: 19 })).status).toBe(400);
  });

  it('exchange rates are read with all their digits, and cannot be set', async () => {
    const rate = '1.123456789012345678901234567';
    await setExchangeRates(settings.service.commands, [{ from: 'EUR', to: 'USD', rate, date: '2025-01-15' }]);
    await settings.service.projected();
    const answer = await fetch(`${settings.service.address}/v1/settings/exchange-rates`, {
      headers: settings.by(settings.owner),
    });
    expect(await answer.text()).toContain(`"rate":${rate}`);
    expect((await settings.set('exchange-rates', {})).status).toBe(405);
  });

  it('exchange rates are listed in parts, and by currency', async () => {
    const date = '2025-02-01';
    const pairs = [
      ['GBP', 'EUR'],
      ['GBP', 'USD'],
      ['JPY', 'USD'],
    ] as const;
    await setExchangeRates(
      settings.service.commands,
      pairs.map(([from, to]) => ({ from, to, rate: '2', date })),
    );
    await settings.service.projected();
    const listed = async (query: string): Promise<string[]> =>
      (await settings.list(`exchange-rates?${query}`)).map(({ from, to }: { from: string; to: string }) => from + to);
    expect(await listed('from=gbp')).toEqual(['GBPEUR', 'GBPUSD']);
    expect(await listed('from=GBP&to=USD')).toEqual(['GBPUSD']);
    expect(await listed('from=GBP&limit=1&offset=1')).toEqual(['GBPUSD']);
    expect(await listed('to=eur')).toEqual(['GBPEUR']);
    expect(await listed('from=%EF%BF%BD')).toEqual([]);
  });
});

describe('reward rules', () => {
  it('a rule is created once, edited and deactivated', async () => {
    const body = { name: 'Sales', trigger_event_id: 1, reward_type: 'percent', percent: 12.5, hold_days: '1.5' };
    const key = { 'idempotency-key': 'rule' };
    const { rule_id } = (await settings.set('rules/create', body, settings.owner, key)).body.data;
    expect((await settings.set('rules/create', body, settings.owner, key)).body.data).toEqual({ rule_id });
    expect((await settings.set('rules/edit', { rule_id, percent: '20', active: false })).status).toBe(200);
    const rows = await settings.list('rules');
    expect(rows.filter((row: { rule_id: number }) => row.rule_id === rule_id)).toEqual([
      { ...body, rule_id, amount: null, percent: 20, unit_id: null, hold_days: 1.5, active: false },
    ]);
  });

  it("a fixed rule is in the owner's currency, which gets a unit", async () => {
    const body = { name: 'Fixed', trigger_event_id: 1, reward_type: 'fixed', amount: '0.10' };
    const { rule_id } = (await settings.set('rules/create', body)).body.data;
    const usd = (await settings.list('units')).find(({ code }: { code: string }) => code === 'USD');
    expect(await settings.list('rules')).toContainEqual(
      expect.objectContaining({ rule_id, amount: 0.1, unit_id: usd.unit_id }),
    );
  });

  it.each([
    ['percent', { percent: 1000 }],
    ['percent', { percent: '1e2' }],
    ['percent', { percent: -1 }],
    ['percent', { percent: 'many' }],
    ['percent', { percent: true }],
    ['percent', {}],
    ['hold_days', { percent: 5, hold_days: 1e6 }],
    ['amount', { percent: 5, amount: 5 }],
    ['currency', { percent: 5, currency: 'ABC' }],
    ['reward_type', { percent: 5, reward_type: 'gift' }],
    ['trigger_event_id', { percent: 5, trigger_event_id: SYSTEM_EVENTS.refund }],
    ['trigger_event_id', { reward_type: 'fixed', amount: 5, trigger_event_id: SYSTEM_EVENTS.refund }],
  ])('a wrong %s is refused: %j', async (path, wrong) => {
    const body = { name: 'Wrong', trigger_event_id: 1, reward_type: 'percent', ...wrong };
    expect(await settings.set('rules/create', body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
  });
});

describe('the payout webhook', () => {
  it('lists what became of an announcement, and announces a payout again', async () => {
    const accounts = createAccounts(settings.service.commands);
    const shop = await settings.service.createBot({ kind: 'owner' });
    const headers = { 'api-key': shop.apiKey };
    const rule = {
      rule_id: 1,
      reward_type: 'fixed',
      amount: '5',
      percent: null,
      unit_id: null,
      hold_days: '0',
    } as const;
    const event = { commit_id: randomUUID(), index: 0, event_id: 1, date: Date.now(), received: Date.now() };
    const items = [{ rule, referral_id: 2, event }];
    await accrueRewards(accounts, { bot: shop.publicKey, referrer: 1, items });
    await settings.service.projected();
    // A name is checked at each call: this one leads to an address that may not be called, so nothing is connected to.
    const url = 'https://localhost:9/payouts';
    expect((await settings.service.post('/v1/settings/webhook/set', { url }, headers)).status).toBe(200);
    const asked = { user_id: 1, method: 'webhook' };
    const { payout_id } = (await settings.service.post('/v1/referral/payout', asked, headers)).body.data;
    const deliveries = async (query = ''): Promise<{ attempt: number }[]> =>
      (await settings.service.get(`/v1/settings/webhook/deliveries${query}`, headers)).body.data.items;
    const failed = {
      payout_id,
      webhook_id: expect.stringMatching(new RegExp(`^payout_${payout_id}_`)),
      status: null,
      error: expect.any(String),
    };
    const within = { timeout: 20_000 };
    await expect.poll(() => deliveries(), within).toEqual([{ ...failed, attempt: 1, at: expect.any(String) }]);
    const status = async (): Promise<number> =>
      (await settings.service.get('/v1/referral/payouts?user_id=1', headers)).body.data.payouts[0].status;
    await expect.poll(status, within).toBe(3);
    const key = { ...headers, 'idempotency-key': 'again' };
    const again = () => settings.service.post('/v1/settings/webhook/redeliver', { payout_id }, key);
    expect((await again()).body).toEqual({ ok: true, data: { payout_id } });
    await expect.poll(async () => (await deliveries()).map(({ attempt }) => attempt), within).toEqual([2, 1]);
    await expect.poll(status, within).toBe(3);
    expect((await again()).body).toEqual({ ok: true, data: { payout_id } });
    expect(await deliveries('?limit=1&offset=1')).toMatchObject([{ attempt: 1 }]);
    expect(await deliveries(`?payout_id=${payout_id + 1}`)).toEqual([]);
    expect(await settings.set('webhook/redeliver', { payout_id })).toMatchObject({ status: 404 });
  });

  it.each([
    ['http://shop.example/payouts', 'the url must begin with https://'],
    ['https://127.0.0.1/payouts', 'the url must lead to the public internet'],
    ['https://10.0.0.1', 'the url must lead to the public internet'],
  ])('refuses %s, which no delivery would call', async (url, message) => {
    expect(await settings.set('webhook/set', { url })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'url', message: expect.stringContaining(message) }] },
    });
  });

  it('shows its secret the first time and after a rotation, once, and keeps it when the address changes', async () => {
    const shop = await settings.service.createBot({ kind: 'owner' });
    const as = (more: Record<string, string> = {}) => ({ 'api-key': shop.apiKey, ...more });
    const post = (path: string, body: object, more = {}) =>
      settings.service.post(`/v1/settings/webhook/${path}`, body, as(more));
    const get = async () => (await settings.service.get('/v1/settings/webhook', as())).body.data.webhook;
    expect(await get()).toBeNull();
    expect((await post('rotate-secret', {})).status).toBe(404);
    const key = { 'idempotency-key': 'set' };
    const url = 'https://shop.example/payouts';
    const { secret } = (await post('set', { url }, key)).body.data;
    expect(secret).toMatch(/^whsec_/);
    expect((await post('set', { url }, key)).body.data.secret).toBeNull();
    expect((await post('set', { url: `${url}/2` })).body.data.secret).toBeNull();
    const rotated = (await post('rotate-secret', {}, key)).body.data.secret;
    expect(rotated).toMatch(/^whsec_/);
    expect(rotated).not.toBe(secret);
    expect((await post('rotate-secret', {}, key)).body.data.secret).toBeNull();
    expect(await get()).toEqual({ url: `${url}/2`, set_at: expect.any(String), signatures: 2 });
    expect(await settings.logText()).not.toContain(secret);
    for (const wrong of ['shop', 'ftp://shop.example', 'https://me:secret@shop.example'])
      expect(await post('set', { url: wrong })).toMatchObject({ status: 400, body: { details: [{ path: 'url' }] } });
  });
});
