import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeBot } from '../../../src/commands/catalog/change-bot.ts';
import { eraseUser } from '../../../src/commands/intake/personal-keys.ts';
import { readAll } from '../../support/log.ts';
import { type ReferralCaller, referralCaller } from '../../support/referral.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

let service: TestService;
let bot: TestBot;
let call: ReferralCaller;

beforeAll(async () => {
  // Other tests open long transactions on the same server, and readers of the log wait for them.
  service = await startTestService({ MAX_WAIT_MS: '60000' });
  bot = await service.createBot();
  call = referralCaller(service, bot);
});
afterAll(() => service.stop());

const DAY = Date.UTC(2026, 0, 15, 10, 20, 30);
const CODE = /^[2-9A-HJ-NP-Za-km-z]{8}$/;

/** A user id that no other test uses. */
let users = 1000;
const user = (): number => ++users;

describe('create-code', () => {
  it('makes a new code each time, newest first in codes, with a link as soon as the bot has a username', async () => {
    const owner = user();
    const first = await call.data('create-code', { user_id: owner });
    expect(first).toEqual({ code: expect.stringMatching(CODE), link: null });
    await changeBot(service.commands, bot.publicKey, { username: 'shop_bot' });
    await service.projected();
    const other = referralCaller(service, { ...bot });
    await expect
      .poll(async () => (await other.data(`codes?user_id=${owner}`)).codes[0].link)
      .toBe(`https://t.me/shop_bot?start=${first.code}`);
    const answer = await call.get(`create-code?user_id=${owner}`);
    expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { code, link } = answer.body.data;
    expect(link).toBe(`https://t.me/shop_bot?start=${code}`);
    expect(code).not.toBe(first.code);
    const listed = await call.data(`codes?user_id=${owner}`);
    expect(listed).toEqual({
      total_referrals: 0,
      codes: [code, first.code].map((each) => ({
        code: each,
        link: `https://t.me/shop_bot?start=${each}`,
        date_create: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      })),
    });
  });

  it('is not done by a HEAD', async () => {
    const owner = user();
    const path = `${service.address}/v1/referral/create-code?user_id=${owner}`;
    expect((await fetch(path, { method: 'HEAD', headers: { 'api-key': bot.apiKey } })).status).toBe(405);
    expect((await call.data(`codes?user_id=${owner}`)).codes).toEqual([]);
  });

  it('honours Idempotency-Key by POST and by GET, whose query stands for a body', async () => {
    const [owner, other] = [user(), user()];
    const key = { 'idempotency-key': `post ${owner}` };
    const made = await call.post('create-code', { user_id: owner }, key);
    expect((await call.post('create-code', { user_id: owner }, key)).body).toEqual(made.body);
    expect((await call.post('create-code', { user_id: other }, key)).status).toBe(422);
    const byGet = { 'idempotency-key': `get ${owner}` };
    const got = await call.get(`create-code?user_id=${owner}`, byGet);
    expect((await call.get(`create-code?user_id=${owner}`, byGet)).body).toEqual(got.body);
    expect((await call.get(`create-code?user_id=${other}`, byGet)).status).toBe(422);
    expect((await call.data(`codes?user_id=${owner}`)).codes).toHaveLength(2);
    expect((await call.data(`codes?user_id=${other}`)).codes).toHaveLength(0);
  });

  it('is answered again with the name that the bot had then', async () => {
    const named = await service.createBot();
    const of = referralCaller(service, named);
    const key = { 'idempotency-key': 'named' };
    const made = await of.post('create-code', { user_id: 1 }, key);
    await changeBot(service.commands, named.publicKey, { username: 'other_bot' });
    await expect.poll(async () => (await of.data('codes?user_id=1')).codes[0].link).not.toBeNull();
    expect((await of.post('create-code', { user_id: 1 }, key)).body).toEqual(made.body);
  });
});

describe('a visit', () => {
  it("refers a user to the code's owner, under the date of the visit, once and forever", async () => {
    const [owner, late, visitor] = [user(), user(), user()];
    const code = await call.codeFor(owner);
    await call.visit(visitor, code, DAY);
    await call.visit(visitor, await call.codeFor(late), DAY - 5000);
    await service.projected();
    expect(await call.referralsOf(owner)).toEqual([{ referral_id: visitor, date: '2026-01-15 10:20:30' }]);
    expect(await call.referralsOf(late)).toEqual([]);
    expect((await call.data(`codes?user_id=${owner}`)).total_referrals).toBe(1);
  });

  it('of the owner himself never counts, before or after the code was his', async () => {
    const owner = user();
    const code = await call.codeFor(owner);
    await call.visit(owner, code);
    await call.visit(owner, 'own-payload');
    const { results } = await call.data('set-code-owners', [{ code: 'own-payload', user_id: owner }]);
    expect(results).toEqual([{ code: 'own-payload', owner_id: owner, created: true, backfilled: 0 }]);
    expect(await call.referralsOf(owner)).toEqual([]);
  });

  it('refers users first seen by it alone, where the bot is set so, from then on', async () => {
    const other = await service.createBot();
    const own = referralCaller(service, other);
    const [owner, old, fresh, before] = [user(), user(), user(), user()];
    const code = await own.codeFor(owner);
    await own.message(before);
    await own.visit(before, 'later', DAY);
    await changeBot(service.commands, other.publicKey, { referral_new_users_only: true });
    await own.message(old);
    await own.visit(old, code);
    await own.visit(old, 'later');
    await own.visit(fresh, code, DAY);
    await service.projected();
    expect(await own.referralsOf(owner)).toEqual([{ referral_id: fresh, date: '2026-01-15 10:20:30' }]);
    const { results } = await own.data('set-code-owners', [{ code: 'later', user_id: owner }]);
    expect(results).toMatchObject([{ created: true, backfilled: 1 }]);
    expect((await own.referralsOf(owner)).map(({ referral_id }) => referral_id).sort()).toEqual([fresh, before].sort());
  });
});

describe('set-code-owners', () => {
  it('counts past visits for the owner, each user once by the earliest, and is idempotent', async () => {
    const [owner, other, a, b, c] = [user(), user(), user(), user(), user()];
    const code = `ads-${owner}`;
    await call.visit(a, code, DAY);
    await call.visit(a, code, DAY - 60_000);
    await call.visit(b, code, DAY);
    await call.visit(c, await call.codeFor(other), DAY);
    await call.visit(c, code, DAY);
    const body = [{ code, user_id: owner }];
    expect(await call.data('set-code-owners', body)).toEqual({
      results: [{ code, owner_id: owner, created: true, backfilled: 2 }],
    });
    expect(await call.referralsOf(owner)).toEqual([
      { referral_id: b, date: '2026-01-15 10:20:30' },
      { referral_id: a, date: '2026-01-15 10:19:30' },
    ]);
    const again = { results: [{ code, owner_id: owner, created: false, backfilled: 0 }] };
    expect(await call.data('set-code-owners', body)).toEqual(again);
    expect(await call.data('set-code-owners', [{ code, user_id: other }])).toEqual(again);
    // Not made by create-code.
    expect(await call.data(`codes?user_id=${owner}`)).toEqual({ total_referrals: 2, codes: [] });
  });

  it('takes elements in order, and answers a repeat of the request as the first time', async () => {
    const [first, second, visitor] = [user(), user(), user()];
    const [x, y] = [`x-${first}`, `y-${first}`];
    await call.visit(visitor, y, DAY);
    await call.visit(visitor, x, DAY + 5000);
    const body = [
      { code: x, user_id: first },
      { code: y, user_id: second },
      { code: x, user_id: second },
    ];
    const key = { 'idempotency-key': `owners ${first}` };
    const results = [
      { code: x, owner_id: first, created: true, backfilled: 1 },
      { code: y, owner_id: second, created: true, backfilled: 0 },
      { code: x, owner_id: first, created: false, backfilled: 0 },
    ];
    expect(await call.data('set-code-owners', body, key)).toEqual({ results });
    expect(await call.data('set-code-owners', body, key)).toEqual({ results });
    expect((await call.post('set-code-owners', [body[0]], key)).status).toBe(422);
    expect(await call.referralsOf(first)).toEqual([{ referral_id: visitor, date: '2026-01-15 10:20:35' }]);
  });
});

describe('mark-referral', () => {
  const mark = (body: object, headers?: Record<string, string>) => call.data('mark-referral', body, headers);

  it('by a code refers to its owner, and again tells who that is', async () => {
    const [owner, other, referred] = [user(), user(), user()];
    const [code, foreign] = [await call.codeFor(owner), await call.codeFor(other)];
    const answer = { referral_id: referred, referrer_id: owner };
    const marked = await mark({ referral_user_id: referred, code });
    expect(marked).toEqual({ ...answer, code, already_attributed: false });
    expect(await mark({ referral_user_id: referred, code })).toEqual({ ...answer, code, already_attributed: true });
    const byAnother = { ...answer, code: foreign, already_attributed: true };
    expect(await mark({ referral_user_id: referred, code: foreign })).toEqual(byAnother);
    expect(await mark({ referral_user_id: referred, referrer_user_id: other })).toEqual({
      ...byAnother,
      code: null,
    });
    expect((await call.referralsOf(owner)).map(({ referral_id }) => referral_id)).toEqual([referred]);
  });

  it('by a referrer gives one who has no code a code, which is in no list', async () => {
    const [referrer, a, b, visitor] = [user(), user(), user(), user()];
    const first = await mark({ referral_user_id: a, referrer_user_id: referrer });
    expect(first).toEqual({
      referral_id: a,
      referrer_id: referrer,
      code: expect.stringMatching(CODE),
      already_attributed: false,
    });
    expect(await mark({ referral_user_id: b, referrer_user_id: referrer })).toMatchObject({ code: null });
    await call.visit(visitor, first.code);
    await service.projected();
    expect(await call.data(`codes?user_id=${referrer}`)).toEqual({ total_referrals: 3, codes: [] });
  });

  it('creates no code for a user who has a referrer', async () => {
    const [owner, referrer, referred] = [user(), user(), user()];
    await call.visit(referred, await call.codeFor(owner));
    const key = { 'idempotency-key': `marked ${referred}` };
    for (const headers of [{}, key, key])
      expect(await mark({ referral_user_id: referred, referrer_user_id: referrer }, headers)).toEqual({
        referral_id: referred,
        referrer_id: owner,
        code: null,
        already_attributed: true,
      });
    const next = await mark({ referral_user_id: user(), referrer_user_id: referrer });
    expect(next.code).toMatch(CODE);
  });

  it('gets its first answer again, also if it would be refused by now', async () => {
    const [referred, other] = [user(), user()];
    const code = `own-${referred}`;
    await call.visit(other, code);
    const key = { 'idempotency-key': `own ${referred}` };
    const body = { referral_user_id: referred, code };
    const first = await call.post('mark-referral', body, key);
    expect(first).toMatchObject({ status: 200, body: { data: { referrer_id: null, already_attributed: false } } });
    await call.data('set-code-owners', [{ code, user_id: referred }]);
    expect((await call.post('mark-referral', body)).status).toBe(400);
    expect(await call.post('mark-referral', body, key)).toMatchObject({ status: 200, body: first.body });
    expect((await call.post('mark-referral', { ...body, referral_user_id: other }, key)).status).toBe(422);
  });

  it('by a code without an owner waits for one, like a visit', async () => {
    const [owner, referred] = [user(), user()];
    const code = `unowned-${owner}`;
    await call.visit(user(), code);
    const waiting = { referral_id: referred, referrer_id: null, code, already_attributed: false };
    expect(await mark({ referral_user_id: referred, code })).toEqual(waiting);
    expect(await mark({ referral_user_id: referred, code })).toEqual(waiting);
    const { results } = await call.data('set-code-owners', [{ code, user_id: owner }]);
    expect(results).toMatchObject([{ created: true, backfilled: 2 }]);
    const marked = await mark({ referral_user_id: referred, code });
    expect(marked).toEqual({ ...waiting, referrer_id: owner, already_attributed: true });
  });

  it('gets its first answer again under its Idempotency-Key', async () => {
    const [referrer, referred] = [user(), user()];
    const key = { 'idempotency-key': `mark ${referred}` };
    const body = { referral_user_id: referred, referrer_user_id: referrer };
    const first = await mark(body, key);
    expect(first).toMatchObject({ code: expect.stringMatching(CODE), already_attributed: false });
    expect(await mark(body, key)).toEqual(first);
    expect(await mark(body)).toEqual({ ...first, code: null, already_attributed: true });
    expect((await call.post('mark-referral', { ...body, referrer_user_id: user() }, key)).status).toBe(422);
  });

  it('two may refer each other', async () => {
    const [a, b] = [user(), user()];
    expect(await mark({ referral_user_id: a, referrer_user_id: b })).toMatchObject({ referrer_id: b });
    expect(await mark({ referral_user_id: b, referrer_user_id: a })).toMatchObject({ referrer_id: a });
  });

  it('never across bots', async () => {
    const other = referralCaller(service, await service.createBot());
    const [owner, visitor] = [user(), user()];
    const code = await call.codeFor(owner);
    await other.visit(visitor, code);
    await service.projected();
    expect(await call.referralsOf(owner)).toEqual([]);
    expect(await other.referralsOf(owner)).toEqual([]);
    // At that bot it is a payload of a visit, without an owner.
    expect(await other.data('mark-referral', { referral_user_id: visitor, code })).toMatchObject({ referrer_id: null });
    const marked = await mark({ referral_user_id: visitor, code });
    expect(marked).toMatchObject({ referrer_id: owner, already_attributed: false });
  });
});

describe('what stays', () => {
  it('referrals of users who were erased, on either side', async () => {
    const [owner, visitor] = [user(), user()];
    await call.visit(visitor, await call.codeFor(owner), DAY);
    for (const each of [owner, visitor]) await eraseUser(service.commands, bot.publicKey, each);
    await service.projected();
    expect(await call.referralsOf(owner)).toEqual([{ referral_id: visitor, date: '2026-01-15 10:20:30' }]);
  });

  it('a code that is taken is not given; another one is', async () => {
    const owner = user();
    await call.codeFor(owner);
    const commits = await readAll(service.log, { categories: ['referral'] });
    const created = commits.filter(({ stream }) => stream === `referral-${bot.publicKey}`).at(-1)!;
    expect(created).toMatchObject({
      keyId: expect.any(Number),
      revision: null,
      events: [{ data: { user_id: owner } }],
    });
  });
});

it("a command to another bot is no start of this one's, whichever way the update comes", async () => {
  const named = await service.createBot();
  await changeBot(service.commands, named.publicKey, { username: 'shop_bot' });
  await service.projected();
  const from = { id: user(), is_bot: false, first_name: 'Ada' };
  const updateTo = (addressee: string, update_id: number) => {
    const text = `/start@${addressee} CODE`;
    const entities = [{ type: 'bot_command', offset: 0, length: text.indexOf(' ') }];
    const message = {
      message_id: update_id,
      date: DAY / 1000,
      chat: { id: from.id, type: 'private' },
      from,
      text,
      entities,
    };
    return { update_id, message };
  };
  const webhook = { 'x-telegram-bot-api-secret-token': named.webhookSecret };
  const ways = [
    (update: object) => service.post(`/v1/webhook/${named.publicKey}`, update, webhook),
    (update: object) => service.post('/v1/send-update', { update }, { 'api-key': named.apiKey }),
  ];
  let updates = 0;
  for (const send of ways)
    for (const addressee of ['other_bot', 'shop_bot'])
      expect(await send(updateTo(addressee, ++updates))).toMatchObject({ status: 200 });
  const commits = await readAll(service.log, { categories: ['intake'] });
  const mine = commits.filter(({ stream }) => stream === `intake-${named.publicKey}`);
  const codes = mine.map(({ events }) => JSON.stringify(events).includes('CODE'));
  expect(codes).toEqual([false, true, false, true]);
});
