import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import { importUsers } from '../../../src/commands/intake/import-users.ts';
import { eraseUser } from '../../../src/commands/intake/personal-keys.ts';
import { longOnly } from '../../support/long-only.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';

/**
 * Audiences over HTTP, made from what came in by the other methods. The platform cannot be reached, so that no
 * recipient is called: the recipients are the frozen audience.
 */

let service: TestService;
let bot: TestBot;
/** Of the same owner, with its own key. */
let other: { readonly publicKey: string; readonly apiKey: string };
let foreign: TestBot;
let updateId = 1;

/** A key of all bots of the owner, used for the first. */
let wide: Door;

beforeAll(async () => {
  service = await startTestService({ TELEGRAM_API_ROOT: 'http://127.0.0.1:9' });
  bot = await service.createBot({ timezone: 'Europe/Berlin', token: TOKEN });
  foreign = await service.createBot();
  const { ownerId } = bot;
  const { publicKey } = await createBot(service.commands, { ownerId, name: 'Other', token: TOKEN });
  const key = { ownerId, bots: [publicKey], kind: 'service' as const, name: null, expiresAt: null };
  other = { publicKey, apiKey: (await issueKey(service.commands, key)).apiKey };
  const { apiKey } = await issueKey(service.commands, { ...key, bots: 'all' });
  wide = { apiKey, resourceKey: bot.publicKey };
  await service.projected();
});
afterAll(() => service.stop());

const TOKEN = '123456:token_of-the-bot';

interface Door {
  readonly apiKey: string;
  /** For a key of several bots. */
  readonly resourceKey?: string;
}
const headersOf = ({ apiKey, resourceKey }: Door): Record<string, string> => ({
  'api-key': apiKey,
  ...(resourceKey === undefined ? {} : { 'resource-key': resourceKey }),
});
const post = (path: string, body: unknown, door: Door = bot): Promise<Answer> =>
  service.post(`/v1/${path}`, body, headersOf(door));

async function accepted(path: string, body: unknown, door: Door = bot): Promise<Answer['body']> {
  const answer = await post(path, body, door);
  expect(answer).toMatchObject({ status: 200, body: { ok: true } });
  return answer.body.data;
}

/** Messages of users to the bot, so that it knows them. */
function meet(users: readonly { readonly id: number; readonly text?: string }[], door: Door = bot): Promise<unknown> {
  const updates = users.map(({ id, text = 'Hello' }) => {
    const entities = text.startsWith('/')
      ? [{ type: 'bot_command', offset: 0, length: text.split(' ')[0]!.length }]
      : [];
    const message = {
      message_id: 1,
      date: Math.floor(Date.now() / 1000),
      chat: { id, type: 'private' },
      text,
      entities,
    };
    const from = { id, is_bot: false, first_name: `User ${id}`, is_premium: id % 2 === 0 };
    return { update: { update_id: updateId++, message: { ...message, from } } };
  });
  return accepted('send-batch-update', updates, door);
}

const draft = (segmentations: unknown) => ({ type: 'sendMessage', message: { text: 'Hello' }, segmentations });
const to = (...include: unknown[]) => ({ include });
const all = { type: 'all', config: {} };
const filter = (config: object) => ({ type: 'filter', config });
const list = (...chat_ids: number[]) => ({ type: 'list', config: { chat_ids } });
const from = (task_id: number) => ({ type: 'from_task', config: { task_id } });
const done = (leaf: object) => ['performed_event', leaf];

async function create(segmentations: unknown, door: Door = bot): Promise<number> {
  return (await accepted('broadcast/create', draft(segmentations), door)).id;
}

/** Launches a broadcast to this audience. @returns its frozen recipients */
async function frozen(segmentations: unknown, door: Door = bot): Promise<number[]> {
  return chatsOf(await launched(await create(segmentations, door), door), door);
}

async function launched(id: number, door: Door = bot): Promise<number> {
  await accepted('broadcast/activate', { id }, door);
  await expect.poll(async () => (await get(`get?id=${id}`, door)).status, { interval: 50 }).not.toBeOneOf([1, 6, 7]);
  return id;
}

async function get(what: string, door: Door): Promise<Answer['body']> {
  const { body } = await service.get(`/v1/broadcast/${what}`, headersOf(door));
  expect(body).toMatchObject({ ok: true });
  return body.data;
}

async function chatsOf(id: number, door: Door = bot): Promise<number[]> {
  await service.projected();
  const { items } = await get(`recipients?id=${id}&limit=500`, door);
  return items.map(({ chat_id }: { chat_id: number }) => chat_id);
}

longOnly('users acknowledged before are in the audience, by any method', async () => {
  await meet([{ id: 1 }, { id: 2, text: '/start utmsource-ads' }, { id: 3 }, { id: 4 }, { id: 5 }]);
  expect(await frozen(to(all))).toEqual([1, 2, 3, 4, 5]);

  await accepted('send-event', { event: 'order', user_id: 99 });
  await service.projected();
  const { items: events } = (await service.get('/v1/reports/events', { 'api-key': bot.apiKey })).body.data;
  const { event_id } = events.find(({ name }: { name: string }) => name === 'order');
  await accepted('send-event', [
    { event: 'order', user_id: 3, value_num: 5, category: 'books' },
    { event: 'order', user_id: 4, value_num: 50, date: '2024-01-01T00:00:00Z' },
  ]);
  expect(await frozen(to(filter({ event_filters: done({ event_id }) })))).toEqual([3, 4]);
  const late = done({ event_id, period_days: 30, negation: true });
  expect(await frozen(to(filter({ event_filters: late })))).toEqual([1, 2, 4, 5]);
  const books = done({ event_id, conditions: ['like', 'events.category', 'boo%'] });
  expect(await frozen(to(filter({ event_filters: books })))).toEqual([3]);

  await accepted('referral/mark-referral', { referral_user_id: 5, referrer_user_id: 1 });
  const referred = ['=', 'users.addition_fields.referrer_id', 1];
  expect(await frozen(to(filter({ user_conditions: referred })))).toEqual([5]);
  expect(await frozen(to(filter({ user_conditions: ['=', 'users.addition_fields.utm_source', 'ads'] })))).toEqual([2]);

  const user = { user_id: 5, custom_fields: { level: { number: '7.50' } } };
  await importUsers(service.commands, bot.publicKey, [user]);
  const seven = ['and', ['=', 'users.custom_fields.level', 7.5], ['is', 'users.gender', null]];
  expect(await frozen({ include: [filter({ user_conditions: seven }), list(-100, 8)], exclude: [list(8)] })).toEqual([
    -100, 5,
  ]);
});

it('an uploaded list serves its broadcast, and no other', async () => {
  const id = await create(undefined);
  const uploaded = await accepted('broadcast/upload-segment', { task_id: id, chat_ids: [7, -1001, 7, 3] });
  const custom = { type: 'custom', config: { segment_id: uploaded.segment_id } };
  await accepted('broadcast/save', { id, segmentations: { include: [custom], exclude: [list(3)] } });
  expect(await chatsOf(await launched(id))).toEqual([-1001, 7]);

  const path = 'segmentations.include.0.config.segment_id';
  for (const answer of [
    await post('broadcast/save', { id: await create(undefined), segmentations: to(custom) }),
    await post('broadcast/create', draft(to(custom))),
  ])
    expect(answer).toMatchObject({ status: 400, body: { ok: false, error_code: 400, details: [{ path }] } });
});

describe('another broadcast', () => {
  it('gives its recipients; a broadcast of another bot gives only users of this bot', async () => {
    await meet([{ id: 21 }, { id: 22 }]);
    await meet([{ id: 22 }, { id: 23 }], other);
    const ours = await launched(await create(to(list(21, 40, -5))));
    const theirs = await launched(await create(to(all, list(-6)), other), other);
    expect(await chatsOf(theirs, other)).toEqual([22, 23]);
    expect(await frozen(to(from(ours), from(theirs)), wide)).toEqual([-5, 21, 22, 40]);
    const excluding = { include: [list(21, 22, 23)], exclude: [from(ours), from(theirs)] };
    expect(await frozen(excluding, wide)).toEqual([23]);
    // The key of one bot does not reach the other bot's broadcast.
    const refused = await post('broadcast/create', { ...draft(to(from(theirs))), activate: true });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ message: 'there is no such broadcast' }] } });
  });

  it('must have recipients, be another, and be of the same owner: else it is refused at activation', async () => {
    const unfrozen = await create(to(all));
    const others = (await accepted('broadcast/create', draft(to(list(1))), foreign)).id;
    const own = await create(to(all));
    for (const task of [unfrozen, others, own, 999_999]) {
      const refused = await post('broadcast/activate', { id: own, segmentations: to(all, from(task)) });
      const details = [{ path: 'segmentations.include.1.config.task_id' }];
      expect(refused).toMatchObject({ status: 400, body: { ok: false, error_code: 400, details } });
    }
    expect(await get(`get?id=${own}`, bot)).toMatchObject({ status: 0, segmentations: { include: [all] } });
  });
});

longOnly('no audience has a user after the erasure, whatever it is made from', async () => {
  await meet([{ id: 31 }, { id: 32 }, { id: 33 }]);
  const source = await launched(await create(to(list(31, 32, 33, 34))));
  const id = await create(undefined);
  const { segment_id } = await accepted('broadcast/upload-segment', { task_id: id, chat_ids: [31, 32] });
  await accepted('broadcast/save', { id, segmentations: to({ type: 'custom', config: { segment_id } }) });
  await eraseUser(service.commands, bot.publicKey, 31);
  // The service does not know this one.
  await eraseUser(service.commands, bot.publicKey, 34);
  const some = filter({ user_conditions: ['>=', 'users.user_id', 31] });
  expect(await chatsOf(await launched(id))).toEqual([32]);
  expect(await frozen(to(some))).toEqual([32, 33]);
  expect(await frozen(to(list(31, 33, 34)))).toEqual([33]);
  expect(await frozen(to(from(source)))).toEqual([32, 33]);
  await meet([{ id: 31 }]);
  expect(await frozen(to(all))).not.toContain(31);
  expect(await frozen({ include: [some], exclude: [list(32)] })).toEqual([33]);
});

it.each([
  ['include', undefined],
  ['include', { exclude: [all] }],
  ['include.1.config', to(all, filter({}))],
  ['exclude.0.config', { include: [all], exclude: [filter({ user_conditions: [], event_filters: null })] }],
])('a broadcast without an audience is not sent: %s', async (path, segmentations) => {
  const id = await create(segmentations);
  const refused = await post('broadcast/activate', { id });
  expect(refused).toMatchObject({ status: 400, body: { details: [{ path: `segmentations.${path}` }] } });
  expect(await post('broadcast/create', { ...draft(segmentations), activate: true })).toMatchObject({ status: 400 });
});

it('is shown as it was sent', async () => {
  const conditions = ['and', ['not', ['like', 'users.username', '%_bot']], ['>', 'users.custom_fields.n', 0.1]];
  const segmentations = { include: [filter({ user_conditions: conditions })], exclude: [list(5)] };
  expect((await get(`get?id=${await create(segmentations)}`, bot)).segmentations).toEqual(segmentations);
});

it('names each mistake with its path and the accepted values', async () => {
  const answer = await post('broadcast/create', draft(to(filter({ user_conditions: ['~', 'users.user_id', 1] }))));
  expect(answer).toMatchObject({
    status: 400,
    body: {
      ok: false,
      error_code: 400,
      details: [
        {
          path: 'segmentations.include.0.config.user_conditions.0',
          message: 'unknown operator',
          allowed: expect.arrayContaining(['not', 'not like', 'is']),
        },
      ],
    },
  });
});
