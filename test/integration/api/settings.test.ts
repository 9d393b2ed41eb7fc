import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import { setExchangeRates } from '../../../src/commands/catalog/set-exchange-rates.ts';
import type { KeyKind } from '../../../src/domain/catalog/events.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';

let service: TestService;
let bot: TestBot;
let other: TestBot;
/** Owner keys for all bots: of the bot's owner, and of another owner. */
let owner: string;
let stranger: string;

beforeAll(async () => {
  service = await startTestService();
  [bot, other] = [await service.createBot(), await service.createBot({ kind: 'owner' })];
  [owner, stranger] = [await keyFor(bot.ownerId, 'owner'), await keyFor(other.ownerId, 'owner')];
  await service.projected();
});
afterAll(() => service.stop());

async function keyFor(ownerId: number, kind: KeyKind, bots: 'all' | string[] = 'all'): Promise<string> {
  return (await issueKey(service.commands, { ownerId, bots, kind, name: null, expiresAt: null })).apiKey;
}

/** Headers of a request by a key, about the bot. */
const by = (key: string, more: Record<string, string> = {}): Record<string, string> => ({
  'api-key': key,
  'resource-key': bot.publicKey,
  ...more,
});
const set = (path: string, body: object, key = owner, more: Record<string, string> = {}): Promise<Answer> =>
  service.post(`/v1/settings/${path}`, body, by(key, more));
const list = async (path: string, key = owner): Promise<Answer['body']> =>
  (await service.get(`/v1/settings/${path}`, by(key))).body.data.items;
/** The log as text, to look for secrets in it. */
async function logText(): Promise<string> {
  const texts: string[] = [];
  for await (const batch of service.log.storedRecords(new AbortController().signal)) texts.push(JSON.stringify(batch));
  return texts.join('\n');
}

describe('access to the settings', () => {
  interface Operation {
    readonly tags: readonly string[];
    readonly requestBody?: { readonly content: Record<string, { readonly example: object }> };
  }
  /** Each route of the settings, called as its example says. */
  async function routes(): Promise<{ name: string; call: (headers: Record<string, string>) => Promise<Answer> }[]> {
    const { paths } = (await service.get('/openapi.json')).body as {
      paths: Record<string, Record<string, Operation>>;
    };
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { tags }]) => tags[0] === 'Settings')
        .map(([method, { requestBody }]) => ({
          name: `${method} ${path}`,
          call: (headers: Record<string, string>) =>
            method === 'get'
              ? service.get(path, headers)
              : service.post(path, requestBody!.content['application/json']!.example, headers),
        })),
    );
  }

  it('is refused without a key, with a service key, a personal key and the owner key of another owner', async () => {
    const refused: [string, Record<string, string>, number, string][] = [
      ['no key', { 'resource-key': bot.publicKey }, 401, 'API key missing'],
      ['a service key', by(await keyFor(bot.ownerId, 'service')), 403, 'this needs an owner key'],
      ['a personal key', by(bot.apiKey), 403, 'this needs an owner key'],
      ['the owner key of another owner', by(stranger), 403, 'this key cannot access this resource'],
      ["another owner's key for one bot", by(other.apiKey), 403, 'this key cannot access this resource'],
    ];
    await service.projected();
    const before = await service.log.endCursor();
    const all = await routes();
    expect(all).toHaveLength(21);
    for (const { name, call } of all)
      for (const [key, headers, status, error] of refused) {
        const { status: answered, body } = await call(headers);
        expect([name, key, answered, body.error]).toEqual([name, key, status, expect.stringContaining(error)]);
      }
    expect(await service.log.endCursor()).toEqual(before);
  });

  it('is granted to an owner key', async () => {
    const shop = await service.createBot();
    const key = await keyFor(shop.ownerId, 'owner');
    await service.projected();
    const refused = [];
    for (const { name, call } of await routes()) {
      const { status, body } = await call({ 'api-key': key, 'resource-key': shop.publicKey });
      // The examples name keys, payouts and bots that are not this owner's.
      if (status !== 200) refused.push(`${name} ${status} ${body.error}`);
    }
    expect(refused).toEqual([
      'post /v1/settings/keys/issue 404 there is no bot demo',
      'post /v1/settings/keys/rotate 404 there is no key 1',
      'post /v1/settings/keys/revoke 404 there is no key 1',
      'post /v1/settings/webhook/redeliver 404 the bot has no payout 1',
    ]);
  });

  it('an owner key does what a personal key does', async () => {
    expect((await service.get('/v1/reports/list', by(owner))).status).toBe(200);
    const session = await service.post('/console/session', { key: owner }, { 'sec-fetch-site': 'same-origin' });
    expect(session).toMatchObject({ status: 200, body: { data: { kind: 'owner', all_bots: true } } });
    const cookie = session.headers.get('set-cookie')!.split(';', 1)[0]!;
    const named = { cookie, 'resource-key': bot.publicKey, 'sec-fetch-site': 'same-origin' };
    expect((await service.get('/v1/settings/keys', named)).status).toBe(200);
    expect((await service.post('/v1/settings/bots/set', { name: 'By session' }, named)).status).toBe(200);
    const forged = { ...named, 'sec-fetch-site': 'cross-site' };
    expect((await service.post('/v1/settings/bots/set', { name: 'Forged' }, forged)).status).toBe(403);
    expect(await list('bots')).toContainEqual(expect.objectContaining({ name: 'By session' }));
  });

  it('of a key for one bot ends at that bot', async () => {
    const narrow = await keyFor(bot.ownerId, 'owner', [bot.publicKey]);
    await service.projected();
    const second = (await set('bots/create', { name: 'Second' })).body.data.resource_key;
    expect((await list('bots', narrow)).map((row: { resource_key: string }) => row.resource_key)).toEqual([
      bot.publicKey,
    ]);
    expect((await set('bots/create', { name: 'Third' }, narrow)).status).toBe(403);
    expect((await set('bots/set', { name: 'x' }, narrow, { 'resource-key': second })).status).toBe(403);
    expect((await set('keys/issue', { bots: 'all' }, narrow)).status).toBe(404);
    expect((await set('keys/issue', { bots: [second] }, narrow)).status).toBe(404);
    const all = await list('keys');
    const seen = await list('keys', narrow);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.length).toBeLessThan(all.length);
    for (const { bots } of seen) expect(bots).toEqual([bot.publicKey]);
    const wide = all.find(({ is_own }: { is_own: boolean }) => is_own).key_id;
    expect((await set('keys/revoke', { key_id: wide }, narrow)).status).toBe(404);
    expect((await set('keys/rotate', { key_id: wide }, narrow)).status).toBe(404);
  });
});

describe('keys', () => {
  it('a key is issued, works, is rotated, and stops when it is revoked', async () => {
    const issued = await set('keys/issue', { bots: [bot.publicKey], kind: 'personal', name: 'Ann' });
    const { key_id, api_key } = issued.body.data;
    expect((await service.get('/v1/reports/list', { 'api-key': api_key })).status).toBe(200);
    const rotated = (await set('keys/rotate', { key_id, overlap_seconds: 0 })).body.data;
    await expect.poll(async () => (await service.get('/v1/reports/list', { 'api-key': api_key })).status).toBe(401);
    expect((await service.get('/v1/reports/list', { 'api-key': rotated.api_key })).status).toBe(200);
    expect((await set('keys/revoke', { key_id: rotated.key_id })).body.data).toEqual({ key_id: rotated.key_id });
    await expect
      .poll(async () => (await service.get('/v1/reports/list', { 'api-key': rotated.api_key })).status)
      .toBe(401);
    const rows = await list('keys');
    expect(rows).toContainEqual(
      expect.objectContaining({ key_id: rotated.key_id, kind: 'personal', name: 'Ann', rotates: key_id }),
    );
    expect(JSON.stringify(rows)).not.toContain(api_key.split(':')[1]);
  });

  it('a repeat under an Idempotency-Key issues nothing and does not show the value again', async () => {
    const body = { bots: 'all', kind: 'service', name: 'once' };
    const key = { 'idempotency-key': 'issue once' };
    const first = await set('keys/issue', body, owner, key);
    const again = await set('keys/issue', body, owner, key);
    expect(again).toMatchObject({ status: 200, body: { data: { key_id: first.body.data.key_id, api_key: null } } });
    expect((await set('keys/issue', { ...body, name: 'twice' }, owner, key)).status).toBe(422);
    const named = (await list('keys')).filter(({ name }: { name: string }) => name === 'once');
    expect(named).toHaveLength(1);
    expect(await logText()).not.toContain(first.body.data.api_key.split(':')[1]);
  });

  it('an owner key issues no owner key, and does not lock its holder out', async () => {
    expect(await set('keys/issue', { bots: 'all', kind: 'owner' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'kind', allowed: ['personal', 'service'] }] },
    });
    const own = (await list('keys')).find(({ is_own }: { is_own: boolean }) => is_own).key_id;
    expect((await set('keys/revoke', { key_id: own })).status).toBe(409);
    expect(await set('keys/rotate', { key_id: own, overlap_seconds: 599 })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'overlap_seconds' }] },
    });
    const mine = await keyFor(bot.ownerId, 'owner');
    await service.projected();
    const id = (await list('keys', mine)).find(({ is_own }: { is_own: boolean }) => is_own).key_id;
    const next = (await set('keys/rotate', { key_id: id, overlap_seconds: 600 }, mine)).body.data;
    expect((await list('keys', next.api_key)).find(({ is_own }: { is_own: boolean }) => is_own).kind).toBe('owner');
    // The answer with the new value was lost: the former key replaces the new one, too.
    expect((await set('keys/rotate', { key_id: next.key_id }, mine)).status).toBe(200);
  });

  it("another owner's bots and keys are not within reach", async () => {
    expect((await set('keys/issue', { bots: [other.publicKey] })).status).toBe(404);
    const [theirs] = (await service.get('/v1/settings/keys', { 'api-key': stranger })).body.data.items;
    expect((await set('keys/revoke', { key_id: theirs.key_id })).status).toBe(404);
    expect((await set('keys/rotate', { key_id: theirs.key_id })).status).toBe(404);
    expect((await list('keys')).map(({ key_id }: { key_id: number }) => key_id)).not.toContain(theirs.key_id);
  });

  it('say when they were last used, to the minute', async () => {
    const issued = (await set('keys/issue', { bots: [bot.publicKey], name: 'used' })).body.data;
    const lastUse = async (): Promise<string | null> =>
      (await list('keys')).find(({ key_id }: { key_id: number }) => key_id === issued.key_id).last_used_at;
    expect(await lastUse()).toBeNull();
    const before = Date.now();
    for (let i = 0; i < 5; i++) await service.get('/v1/reports/events', { 'api-key': issued.api_key });
    await expect.poll(lastUse).not.toBeNull();
    const at = Date.parse((await lastUse())!);
    expect(at % 60_000).toBe(0);
    expect(at).toBeGreaterThan(before - 60_000);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    ['no scope', {}, 'bots'],
    ['an empty scope', { bots: [] }, 'bots'],
    ['an unknown kind', { bots: 'all', kind: 'admin' }, 'kind'],
    ['an end in the past', { bots: 'all', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['an end that is no date', { bots: 'all', expires_at: 'tomorrow' }, 'expires_at'],
    ['a name with U+0000', { bots: 'all', name: 'a\0b' }, 'name'],
  ])('are refused with %s', async (_, body, path) => {
    expect(await set('keys/issue', body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
  });
});

describe('bots', () => {
  it('a bot is created once under an Idempotency-Key, and set; its token is in no answer and not in the log', async () => {
    const body = { name: 'New', username: '@new_bot', token: '987654:TOKEN-of-New', timezone: 'Asia/Kolkata' };
    const key = { 'idempotency-key': 'create once' };
    const created = (await set('bots/create', body, owner, key)).body.data;
    expect(created.webhook_secret).toMatch(/^[\w-]{43}$/);
    expect((await set('bots/create', body, owner, key)).body.data).toEqual({ ...created, webhook_secret: null });
    const about = { 'resource-key': created.resource_key };
    const changes = { name: 'Newer', timezone: 'Europe/Paris', auto_payout: 'weekly', referral_new_users_only: true };
    expect((await set('bots/set', changes, owner, about)).status).toBe(200);
    const rows = await list('bots');
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
    expect(JSON.stringify(rows) + (await logText())).not.toContain('TOKEN-of-New');
    expect((await set('bots/set', { token: '' }, owner, about)).status).toBe(200);
    expect(await list('bots')).toContainEqual(expect.objectContaining({ name: 'Newer', has_token: false }));
    const secret = (await set('bots/rotate-webhook-secret', {}, owner, about)).body.data.webhook_secret;
    const call = (token: string): Promise<Answer> =>
      service.post(
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
    expect(await set('bots/set', body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
  });

  it('null counts as absent', async () => {
    const before = await list('bots');
    expect((await set('bots/set', { name: null, token: null, auto_payout: null })).status).toBe(200);
    expect(await list('bots')).toEqual(before);
  });
});

describe('goals, units and rates', () => {
  it('a goal and a unit are created once, and listed at once', async () => {
    const key = { 'idempotency-key': 'goal' };
    const goal = (await set('goals/create', { target_id: 77, name: 'Trial' }, owner, key)).body.data;
    expect((await set('goals/create', { target_id: 77, name: 'Trial' }, owner, key)).body.data).toEqual(goal);
    expect((await set('goals/create', { target_id: 77, name: 'Again' })).status).toBe(409);
    expect(await list('goals')).toContainEqual({ ...goal, name: 'Trial' });
    const unit = (await set('units/create', { code: 'gem', name: 'Gems', scale: 3 }, owner, key)).body.data;
    expect((await set('units/create', { code: 'gem', name: 'Gems', scale: 3 }, owner, key)).body.data).toEqual(unit);
    expect(await list('units')).toContainEqual({ ...unit, code: 'GEM', name: 'Gems', scale: 3 });
    expect((await set('units/create', { code: 'USD' })).body.details).toEqual([
      expect.objectContaining({ path: 'code' }),
    ]);
    expect((await set('units/create', { code: 'XYZ', scale: 19 })).status).toBe(400);
  });

  it('exchange rates are read with all their digits, and cannot be set', async () => {
    const rate = '1.123456789012345678901234567';
    await setExchangeRates(service.commands, [{ from: 'EUR', to: 'USD', rate, date: '2025-01-15' }]);
    await service.projected();
    const answer = await fetch(`${service.address}/v1/settings/exchange-rates`, { headers: by(owner) });
    expect(await answer.text()).toContain(`"rate":${rate}`);
    expect((await set('exchange-rates', {})).status).toBe(405);
  });
});

describe('reward rules', () => {
  it('a rule is created once, edited and deactivated', async () => {
    const body = { name: 'Sales', trigger_event_id: 1, reward_type: 'percent', percent: 12.5, hold_days: '1.5' };
    const key = { 'idempotency-key': 'rule' };
    const { rule_id } = (await set('rules/create', body, owner, key)).body.data;
    expect((await set('rules/create', body, owner, key)).body.data).toEqual({ rule_id });
    expect((await set('rules/edit', { rule_id, percent: '20', active: false })).status).toBe(200);
    const rows = await list('rules');
    expect(rows.filter((row: { rule_id: number }) => row.rule_id === rule_id)).toEqual([
      { ...body, rule_id, amount: null, percent: 20, unit_id: null, hold_days: 1.5, active: false },
    ]);
  });

  it("a fixed rule is in the owner's currency, which gets a unit", async () => {
    const body = { name: 'Fixed', trigger_event_id: 1, reward_type: 'fixed', amount: '0.10' };
    const { rule_id } = (await set('rules/create', body)).body.data;
    const usd = (await list('units')).find(({ code }: { code: string }) => code === 'USD');
    expect(await list('rules')).toContainEqual(expect.objectContaining({ rule_id, amount: 0.1, unit_id: usd.unit_id }));
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
  ])('a wrong %s is refused: %j', async (path, wrong) => {
    const body = { name: 'Wrong', trigger_event_id: 1, reward_type: 'percent', ...wrong };
    expect(await set('rules/create', body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
  });
});

describe('the payout webhook', () => {
  it('shows its secret the first time and after a rotation, once, and keeps it when the address changes', async () => {
    const shop = await service.createBot({ kind: 'owner' });
    const as = (more: Record<string, string> = {}) => ({ 'api-key': shop.apiKey, ...more });
    const post = (path: string, body: object, more = {}) =>
      service.post(`/v1/settings/webhook/${path}`, body, as(more));
    const get = async () => (await service.get('/v1/settings/webhook', as())).body.data.webhook;
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
    expect(await logText()).not.toContain(secret);
    for (const wrong of ['shop', 'ftp://shop.example', 'https://me:secret@shop.example'])
      expect(await post('set', { url: wrong })).toMatchObject({ status: 400, body: { details: [{ path: 'url' }] } });
  });
});
