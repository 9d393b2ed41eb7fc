import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAll } from '../../support/log.ts';
import { type ReferralCaller, referralCaller } from '../../support/referral.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** Refusals of the methods of codes and attribution. */

let service: TestService;
let bot: TestBot;
let call: ReferralCaller;

beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot({ plan: 'free', kind: 'service' });
  call = referralCaller(service, bot);
});
afterAll(() => service.stop());

const commits = async (): Promise<number> => (await readAll(service.log, { categories: ['referral'] })).length;
const refusal = (path: string, error_code = 400) => ({
  status: error_code,
  body: { ok: false, error: expect.any(String), error_code, details: [{ path, message: expect.any(String) }] },
});

describe('a wrong user_id is a 400', () => {
  it.each<[string, unknown]>([
    ['missing', {}],
    ['null', { user_id: null }],
    ['a string', { user_id: '5' }],
    ['0', { user_id: 0 }],
    ['negative', { user_id: -5 }],
    ['a fraction', { user_id: 1.5 }],
    ['beyond 2^53', '{"user_id":9007199254740993}'],
    ['a list', { user_id: [5] }],
  ])('create-code: %s', async (_, body) => {
    expect(await call.post('create-code', body)).toMatchObject(refusal('user_id'));
  });

  it.each([
    '',
    '?user_id=',
    '?user_id=abc',
    '?user_id=0',
    '?user_id=-5',
    '?user_id=1.5',
    '?user_id=9007199254740993',
    '?user_id=5&user_id=6',
  ])('in the query: %j', async (query) => {
    for (const path of ['create-code', 'codes', 'referrals'])
      expect(await call.get(path + query)).toMatchObject(refusal('user_id'));
  });

  it('a body that is no object', async () => {
    expect((await call.post('create-code', '{')).body.error_code).toBe(400);
    expect(await call.post('create-code', [])).toMatchObject(refusal(''));
    expect(await call.post('mark-referral', 5)).toMatchObject(refusal(''));
  });
});

describe('lists', () => {
  it('clamp limit and offset that are out of range, and refuse texts that are no numbers', async () => {
    const owner = 50;
    const code = await call.codeFor(owner);
    for (const user of [51, 52, 53]) await call.visit(user, code, Date.UTC(2026, 0, user));
    await service.projected();
    const page = async (query: string): Promise<number[]> =>
      (await call.data(`referrals?user_id=${owner}&${query}`)).referrals.map(
        ({ referral_id }: { referral_id: number }) => referral_id,
      );
    expect(await page('limit=2')).toEqual([53, 52]);
    expect(await page('limit=2&offset=2')).toEqual([51]);
    expect(await page('limit=0')).toEqual([53]);
    expect(await page('limit=-7')).toEqual([53]);
    expect(await page('limit=5000&offset=-3')).toEqual([53, 52, 51]);
    expect(await page('offset=99999999999999999999999')).toEqual([]);
    for (const [name, value] of [
      ['limit', 'ten'],
      ['limit', ''],
      ['limit', '1.5'],
      ['offset', 'x'],
      ['offset', '1e3'],
    ])
      expect(await call.get(`referrals?user_id=${owner}&${name}=${value}`)).toMatchObject(refusal(name!));
  });

  it('of an unknown user are empty', async () => {
    expect(await call.data('codes?user_id=4711')).toEqual({ total_referrals: 0, codes: [] });
    expect(await call.data('referrals?user_id=4711')).toEqual({ referrals: [] });
  });
});

describe('set-code-owners', () => {
  it.each<[string, unknown]>([
    ['', {}],
    ['', []],
    ['', 'text'],
    ['', { code: 'a', user_id: 1 }],
    ['0', [5]],
    ['0', [null]],
    ['0.code', [{ user_id: 1 }]],
    ['0.code', [{ code: null, user_id: 1 }]],
    ['0.code', [{ code: 5, user_id: 1 }]],
    ['0.code', [{ code: '', user_id: 1 }]],
    ['0.code', [{ code: 'x'.repeat(65), user_id: 1 }]],
    ['0.code', [{ code: 'a b', user_id: 1 }]],
    ['0.user_id', [{ code: 'a' }]],
    ['0.user_id', [{ code: 'a', user_id: 0 }]],
    ['0.user_id', [{ code: 'a', user_id: '1' }]],
    ['1.user_id', [{ code: 'a', user_id: 1 }, { code: 'b' }]],
  ])('refuses at %j: %j', async (path, body) => {
    const before = await commits();
    expect(await call.post('set-code-owners', typeof body === 'string' ? '"text"' : body)).toMatchObject(refusal(path));
    expect(await commits()).toBe(before);
  });

  it('names every wrong element', async () => {
    const { body } = await call.post('set-code-owners', [{ code: 'a' }, { user_id: 1 }, { code: 'c', user_id: 1 }]);
    expect(body.details.map(({ path }: { path: string }) => path)).toEqual(['0.user_id', '1.code']);
  });
});

describe('mark-referral', () => {
  it.each<[string, object]>([
    ['referral_user_id', { code: 'a' }],
    ['referral_user_id', { referral_user_id: '5', code: 'a' }],
    ['referral_user_id', { referral_user_id: 0, code: 'a' }],
    ['code', { referral_user_id: 5 }],
    ['code', { referral_user_id: 5, code: null, referrer_user_id: null }],
    ['code', { referral_user_id: 5, code: 'a', referrer_user_id: 6 }],
    ['code', { referral_user_id: 5, code: 6 }],
    ['code', { referral_user_id: 5, code: 'a\u0000' }],
    ['referrer_user_id', { referral_user_id: 5, referrer_user_id: '6' }],
    ['referrer_user_id', { referral_user_id: 5, referrer_user_id: 0 }],
    ['referrer_user_id', { referral_user_id: 5, referrer_user_id: 5 }],
  ])('refuses at %s: %j', async (path, body) => {
    expect(await call.post('mark-referral', body)).toMatchObject(refusal(path));
  });

  it('first self, then an unknown code, then a user who has a referrer already', async () => {
    const [owner, referred] = [60, 61];
    const code = await call.codeFor(owner);
    await call.data('mark-referral', { referral_user_id: owner, referrer_user_id: 62 });
    await call.data('mark-referral', { referral_user_id: referred, code });
    const before = await commits();
    expect(await call.post('mark-referral', { referral_user_id: owner, code })).toMatchObject(refusal('code'));
    for (const unknown of ['unknown', '', 'x y', 'x'.repeat(1000)])
      expect(await call.post('mark-referral', { referral_user_id: referred, code: unknown })).toMatchObject(
        refusal('code', 404),
      );
    expect(await commits()).toBe(before);
  });

  it('a refused mark leaves its Idempotency-Key free', async () => {
    const key = { 'idempotency-key': 'refused first' };
    const body = { referral_user_id: 65, code: 'comes-later' };
    expect((await call.post('mark-referral', body, key)).status).toBe(404);
    await call.data('set-code-owners', [{ code: 'comes-later', user_id: 66 }]);
    expect((await call.post('mark-referral', body, key)).body.data).toMatchObject({ referrer_id: 66 });
  });
});

it('without a key: 401, whatever the body', async () => {
  for (const path of ['create-code', 'set-code-owners', 'mark-referral'])
    expect((await service.post(`/v1/referral/${path}`, '{')).body).toMatchObject({ ok: false, error_code: 401 });
  for (const path of ['create-code', 'codes', 'referrals'])
    expect((await service.get(`/v1/referral/${path}`)).body).toMatchObject({ ok: false, error_code: 401 });
});
