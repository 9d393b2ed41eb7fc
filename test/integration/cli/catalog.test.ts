import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestCli, type TestCli } from '../../support/cli.ts';

let cli: TestCli;
let owner: string;
let shop: string;
let cafe: string;

beforeAll(async () => {
  cli = await startTestCli();
  owner = String((await cli.json('owner', 'create', '--name', 'Ann')).owner_id);
  shop = (await cli.json('bot', 'create', '--owner', owner, '--name', 'Shop')).public_key;
  cafe = (await cli.json('bot', 'create', '--owner', owner, '--name', 'Cafe', '--timezone', 'Asia/Tokyo')).public_key;
});
afterAll(() => cli.close());

describe('owner', () => {
  it('is created with defaults, changed and listed', async () => {
    const { owner_id } = await cli.json('owner', 'create', '--name', 'Bea', '--currency', 'eur', '--plan', 'free');
    expect(await cli.json('owner', 'set', '--owner', String(owner_id), '--broadcasts-per-month', '7')).toEqual({
      owner_id,
    });
    expect(await cli.run('owner', 'set', '--owner', '99', '--plan', 'free')).toMatchObject({
      code: 1,
      err: 'botledger: there is no owner 99\n',
    });
    expect(await cli.json('owner', 'list')).toEqual([
      {
        owner_id: Number(owner),
        public_key: expect.stringMatching(/^o\w{15}$/),
        name: 'Ann',
        currency: 'USD',
        plan: 'premium',
        broadcasts_per_month: 100,
      },
      expect.objectContaining({ owner_id, currency: 'EUR', plan: 'free', broadcasts_per_month: 7 }),
    ]);
  });
});

describe('bot', () => {
  it('shows its webhook secret when it is created and when the secret is replaced', async () => {
    const made = await cli.json('bot', 'create', '--owner', owner, '--name', 'Kiosk');
    expect(made).toEqual({ public_key: expect.any(String), webhook_secret: expect.stringMatching(/^[\w-]{43}$/) });
    const rotated = await cli.json('bot', 'rotate-webhook-secret', '--bot', made.public_key);
    expect(rotated).toEqual({ public_key: made.public_key, webhook_secret: expect.stringMatching(/^[\w-]{43}$/) });
    expect(rotated.webhook_secret).not.toBe(made.webhook_secret);
  });

  it('accepts every setting, and lists all but the token', async () => {
    const settings = [
      '--name',
      'Shop 2',
      '--username',
      '@shop_bot',
      '--token',
      '123:abc',
      '--timezone',
      'Europe/Paris',
    ];
    const more = ['--pair-separator', '-', '--value-separator', '_', '--referral-new-users-only', 'true'];
    const last = ['--auto-payout', 'weekly', '--paid-broadcasts', 'on'];
    expect(await cli.json('bot', 'set', '--bot', shop, ...settings, ...more, ...last)).toEqual({ public_key: shop });
    const listed = await cli.run('bot', 'list', '--json');
    expect(listed.out).not.toContain('123:abc');
    expect(JSON.parse(listed.out)).toContainEqual({
      bot_id: 1,
      public_key: shop,
      owner_id: Number(owner),
      name: 'Shop 2',
      username: 'shop_bot',
      has_token: true,
      timezone: 'Europe/Paris',
      pair_separator: '-',
      value_separator: '_',
      referral_new_users_only: true,
      auto_payout: 'weekly',
      paid_broadcasts: true,
    });
    await cli.json('bot', 'set', '--bot', shop, '--username', '', '--token', '');
    expect(await cli.json('bot', 'list')).toContainEqual(
      expect.objectContaining({ public_key: shop, username: null, has_token: false, name: 'Shop 2' }),
    );
  });
});

describe('key', () => {
  it('is issued for one bot, several or all, rotated and revoked', async () => {
    const single = await cli.json(
      'key',
      'issue',
      '--owner',
      owner,
      '--bot',
      shop,
      '--kind',
      'personal',
      '--name',
      'Ann',
    );
    expect(single).toEqual({ key_id: expect.any(Number), api_key: expect.stringMatching(`^${shop}:[\\w-]{43}$`) });
    const several = await cli.json('key', 'issue', '--owner', owner, '--bot', shop, '--bot', cafe);
    const all = await cli.json('key', 'issue', '--owner', owner, '--all-bots', '--expires', '2025-02-28');
    const next = await cli.json('key', 'rotate', '--key', String(several.key_id), '--overlap', '90m');
    expect(await cli.json('key', 'revoke', '--key', String(single.key_id))).toEqual({ key_id: single.key_id });
    const now = cli.sources.now();
    const keys = (await cli.json('key', 'list', '--owner', owner)) as { key_id: number }[];
    expect(keys.map(({ key_id }) => key_id)).toEqual([single, several, all, next].map(({ key_id }) => key_id));
    expect(keys).toMatchObject([
      { public_part: shop, bots: [shop], kind: 'personal', name: 'Ann', revoked_at: new Date(now).toISOString() },
      { bots: [shop, cafe], kind: 'service', name: null, revoked_at: new Date(now + 90 * 60_000).toISOString() },
      { bots: 'all', expires_at: '2025-03-01T00:00:00.000Z', revoked_at: null },
      { bots: [shop, cafe], rotates: several.key_id, revoked_at: null },
    ]);
  });

  it('is issued by an operator as an owner key: no other key issues it', async () => {
    const issued = await cli.json('key', 'issue', '--owner', owner, '--all-bots', '--kind', 'owner');
    const keys = await cli.json('key', 'list', '--owner', owner);
    expect(keys).toContainEqual(
      expect.objectContaining({ key_id: issued.key_id, kind: 'owner', bots: 'all', last_used_at: null }),
    );
  });

  it.each([
    ['without a scope', 2, ['--owner', '1'], 'either --bot or --all-bots'],
    ['with two scopes', 2, ['--owner', '1', '--all-bots', '--bot', 'x'], 'cannot be used with'],
    ['for an unknown bot', 1, ['--owner', '1', '--bot', 'bNone'], 'there is no bot bNone'],
    ['for an unknown owner', 1, ['--owner', '99', '--all-bots'], 'there is no owner 99'],
    ['expired', 1, ['--owner', '1', '--all-bots', '--expires', '2025-01-14'], 'expires must lie in the future'],
    ['until a day that does not exist', 2, ['--owner', '1', '--all-bots', '--expires', '2025-02-30'], 'YYYY-MM-DD'],
  ])('is not issued %s', async (_, code, argv, message) => {
    expect(await cli.run('key', 'issue', ...argv)).toMatchObject({
      code,
      out: '',
      err: expect.stringContaining(message),
    });
  });

  it('must exist to be revoked, rotated or listed', async () => {
    const refused = { code: 1, err: 'botledger: there is no key 99\n' };
    expect(await cli.run('key', 'revoke', '--key', '99')).toMatchObject(refused);
    expect(await cli.run('key', 'rotate', '--key', '99')).toMatchObject(refused);
    expect(await cli.run('key', 'list', '--owner', '99')).toMatchObject({
      code: 1,
      err: 'botledger: there is no owner 99\n',
    });
  });
});

describe('rule', () => {
  const rule = (...options: string[]) => ['rule', 'create', '--bot', cafe, '--name', 'Orders', ...options];
  const onSale = ['--trigger-event-id', '100'];

  it('is created, edited and listed, with all digits of its decimals', async () => {
    const { unit_id } = await cli.json('unit', 'create', '--bot', cafe, '--code', 'PTS', '--scale', '3');
    const fixed = ['--type', 'fixed', '--amount', '0.125', '--unit', String(unit_id), '--hold-days', '7.50'];
    const { rule_id } = await cli.json(...rule(...onSale, ...fixed));
    expect(cli.changes.at(-1)).toMatchObject({ category: 'program', position: expect.any(String) });
    const percent = await cli.json(...rule(...onSale, '--type', 'percent', '--percent', '2.9'));
    expect(percent.rule_id).toBe(rule_id + 1);
    const edit = ['rule', 'edit', '--bot', cafe, '--rule', String(rule_id)];
    expect(await cli.json(...edit, '--amount', '0.250', '--active', 'false')).toEqual({ rule_id });
    const listed = { bot: cafe, name: 'Orders', trigger_event_id: 100 };
    expect(await cli.json('rule', 'list', '--bot', cafe)).toEqual([
      {
        ...listed,
        rule_id,
        ...{ reward_type: 'fixed', amount: 0.25, percent: null, unit_id, hold_days: 7.5, active: false },
      },
      {
        ...listed,
        rule_id: rule_id + 1,
        ...{ reward_type: 'percent', amount: null, percent: 2.9, unit_id: null, hold_days: 0, active: true },
      },
    ]);
    expect((await cli.run('rule', 'list', '--bot', cafe)).out).toMatch(/^bot +rule_id +name/);
  });

  it.each([
    ['event', ['--trigger-event-id', '999', '--type', 'fixed', '--amount', '1']],
    ['unit', [...onSale, '--type', 'fixed', '--amount', '1', '--unit', '999']],
    ['amount', [...onSale, '--type', 'fixed']],
    ['amount', [...onSale, '--type', 'fixed', '--amount', '0.125']],
    ['percent', [...onSale, '--type', 'fixed', '--amount', '1', '--percent', '1']],
    ['percent', [...onSale, '--type', 'percent', '--percent', 'half']],
    ['hold', [...onSale, '--type', 'external', '--hold-days', '-1']],
  ])('is refused with an error that names %s', async (what, options) => {
    const { code, err } = await cli.run(...rule(...options));
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(what) });
  });

  it("with a fixed amount and no unit uses the owner's currency, whose unit is created once, and not for a refused rule", async () => {
    const { owner_id } = await cli.json('owner', 'create', '--name', 'Yuki', '--currency', 'JPY');
    const { public_key: sushi } = await cli.json('bot', 'create', '--owner', String(owner_id), '--name', 'Sushi');
    const fixed = ['rule', 'create', '--bot', sushi, '--name', 'Orders', ...onSale, '--type', 'fixed', '--amount'];
    const units = () => cli.json('unit', 'list', '--bot', sushi);
    for (const [options, says] of [
      [['0.5'], 'at most 0 decimals'],
      [['5', '--percent', '1'], 'percent'],
    ] as const)
      expect(await cli.run(...fixed, ...options)).toMatchObject({ code: 1, err: expect.stringContaining(says) });
    expect(await units()).toEqual([]);
    for (const amount of ['5', '7']) await cli.json(...fixed, amount);
    const [unit, ...more] = await units();
    expect(unit).toMatchObject({ code: 'JPY', scale: 0 });
    expect(more).toEqual([]);
    await cli.json('owner', 'set', '--owner', String(owner_id), '--currency', 'EUR');
    expect(await cli.json('rule', 'list', '--bot', sushi)).toMatchObject([
      { amount: 5, unit_id: unit.unit_id },
      { amount: 7, unit_id: unit.unit_id },
    ]);
  });

  it('is refused if the rule, the bot or the type is unknown', async () => {
    const edited = await cli.run('rule', 'edit', '--bot', shop, '--rule', '1', '--active', 'false');
    expect(edited).toMatchObject({ code: 1, err: expect.stringContaining('the bot has no rule 1') });
    expect(await cli.run('rule', 'list', '--bot', 'unknown')).toMatchObject({ code: 1 });
    expect(await cli.run(...rule(...onSale, '--type', 'gift'))).toMatchObject({ code: 2 });
  });
});

describe('a currency', () => {
  it('is refused as a new unit of a bot', async () => {
    for (const code of ['USD', 'eur', 'XTR']) {
      const refused = await cli.run('unit', 'create', '--bot', cafe, '--code', code, '--scale', '3');
      const err = `code must not be an ISO 4217 code or XTR; use rule create --unit ${code.toUpperCase()}`;
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(err) });
    }
  });

  it('is accepted by its code as the unit of a rule, and its unit has the decimals of the currency', async () => {
    const rule = ['rule', 'create', '--bot', cafe, '--name', 'Yen', '--trigger-event-id', '100', '--type', 'fixed'];
    const { rule_id } = await cli.json(...rule, '--amount', '5', '--unit', 'jpy');
    const units = (await cli.json('unit', 'list', '--bot', cafe)) as { code: string; unit_id: number; scale: number }[];
    const yen = units.find(({ code }) => code === 'JPY');
    expect(yen).toMatchObject({ scale: 0 });
    const rules = (await cli.json('rule', 'list', '--bot', cafe)) as object[];
    expect(rules).toContainEqual(expect.objectContaining({ rule_id, unit_id: yen!.unit_id }));
    const refused = await cli.run(...rule, '--amount', '5', '--unit', 'ZZZ');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('ISO 4217') });
  });
});

describe('goal and unit', () => {
  it('are created and listed, for several bots at once', async () => {
    expect(await cli.json('goal', 'create', '--bot', shop, '--target-id', '7', '--name', 'Sign-up')).toEqual({
      target_id: 7,
      event_id: 101,
    });
    expect(await cli.json('goal', 'list', '--bot', shop, '--bot', cafe)).toEqual([
      { bot: shop, target_id: 1, event_id: 100, name: 'Sale' },
      { bot: shop, target_id: 7, event_id: 101, name: 'Sign-up' },
      { bot: cafe, target_id: 1, event_id: 100, name: 'Sale' },
    ]);
    const { unit_id } = await cli.json(
      'unit',
      'create',
      '--bot',
      shop,
      '--code',
      'gem',
      '--name',
      'Gems',
      '--scale',
      '0',
    );
    expect(await cli.json('unit', 'list', '--bot', shop)).toEqual([
      { bot: shop, unit_id, code: 'GEM', name: 'Gems', scale: 0 },
    ]);
  });

  it('are refused if the id or code is taken or the bot is unknown', async () => {
    const goal = await cli.run('goal', 'create', '--bot', shop, '--target-id', '1', '--name', 'x');
    expect(goal).toEqual({ code: 1, out: '', err: 'botledger: target_id 1 is taken\n' });
    await cli.json('unit', 'create', '--bot', cafe, '--code', 'TOK');
    expect(await cli.run('unit', 'create', '--bot', cafe, '--code', 'tok')).toMatchObject({ code: 1 });
    expect(await cli.run('goal', 'list', '--bot', 'bNone')).toMatchObject({ code: 1 });
  });
});

describe('fx', () => {
  it('sets a rate, from today by default, and lists all its digits', async () => {
    expect(await cli.json('fx', 'set', '--from', 'EUR', '--to', 'USD', '--rate', '1.10')).toEqual({});
    const exact = '0.123456789012345678901234567890';
    await cli.json('fx', 'set', '--from', 'usd', '--to', 'GEM', '--rate', exact, '--date', '2024-12-31');
    const { out } = await cli.run('fx', 'list', '--json');
    expect(out).toBe(
      '[{"from":"EUR","to":"USD","date":"2025-01-15","rate":1.1},' +
        '{"from":"USD","to":"GEM","date":"2024-12-31","rate":0.12345678901234567890123456789}]\n',
    );
  });
});

describe('every command', () => {
  it('answers with lines of text, and with a table for a list', async () => {
    const created = await cli.run('goal', 'create', '--bot', cafe, '--target-id', '2', '--name', 'Sign-up');
    expect(created).toEqual({ code: 0, out: 'target_id: 2\nevent_id: 101\n', err: '' });
    expect((await cli.run('goal', 'list', '--bot', cafe)).out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['bot', 'target_id', 'event_id', 'name'],
      [cafe, '1', '100', 'Sale'],
      [cafe, '2', '101', 'Sign-up'],
      [''],
    ]);
    expect((await cli.run('fx', 'set', '--from', 'EUR', '--to', 'USD', '--rate', '1.1')).out).toBe('done\n');
  });

  it('names ISO 4217 in the error for an unknown currency', async () => {
    const refused = await cli.run('owner', 'create', '--name', 'Zed', '--currency', 'zzz');
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/ISO 4217 list of \d{4}-\d\d-\d\d.*ZZZ is none/),
    });
  });

  it('waits for the stream it appended to, and for caches that may hold the old state', async () => {
    const since = cli.changes.length;
    await cli.json('owner', 'set', '--owner', owner, '--plan', 'free');
    await cli.json('unit', 'create', '--bot', cafe, '--code', 'KM');
    await cli.json('owner', 'set', '--owner', owner, '--plan', 'free');
    const [last] = (await cli.log.read(`owner-${owner}`)).commits.slice(-1);
    expect(cli.changes.slice(since)).toMatchObject([
      { category: 'owner', position: last?.position, replaces: true },
      { category: 'bot', position: expect.any(String) },
      { category: 'owner', position: last?.position },
    ]);
  });

  it('writes its answer and exits with 3 when read models do not apply its change in time', async () => {
    cli.stall();
    const { code, out, err } = await cli.run('key', 'issue', '--owner', owner, '--all-bots', '--json');
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ api_key: expect.any(String) });
    expect(err).toBe('botledger: recorded, but not in effect everywhere within 10 s\n');
  });
});
