import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { broadcastsAnswer, userAnswer, usersAnswer } from '../../../src/api/users/schemas.ts';
import { type BotApiServer, startBotApi } from '../../support/bot-api-server.ts';
import { hasEnded, launch, sendingBot, until } from '../../support/broadcasts.ts';
import { operate } from '../../support/operate.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** The users of a bot over HTTP (decisions.md#users-of-bot). */

let platform: BotApiServer;
let service: TestService;
let bot: TestBot;
let stranger: TestBot;

interface Person {
  readonly id: number;
  readonly first_name: string;
  readonly last_name?: string;
  readonly username?: string;
}
const PEOPLE: readonly Person[] = [
  { id: 70_001, first_name: 'Ärzte', last_name: 'Vogel', username: 'aerzte' },
  { id: 70_002, first_name: 'Bo', last_name: '100%', username: 'bo_reads' },
  { id: 70_003, first_name: 'Cleo', username: 'cleoXreads' },
  { id: 80_004, first_name: 'vogel', username: 'dan' },
];

beforeAll(async () => {
  platform = await startBotApi();
  service = await startTestService({ TELEGRAM_API_ROOT: platform.root, PUBLIC_URL: 'https://go.example/' });
  bot = await sendingBot(service);
  stranger = await service.createBot();
  await send(bot, PEOPLE);
  await send(stranger, [{ id: 70_009, first_name: 'Vogel', username: 'foreign' }]);
});
afterAll(async () => {
  await service?.stop();
  await platform?.close();
});

async function send(to: TestBot, people: readonly Person[]): Promise<void> {
  const updates = people.map((from, index) => ({
    update: {
      update_id: from.id,
      message: {
        message_id: 1,
        date: Date.parse('2026-03-01T10:00:00Z') / 1000 + index,
        chat: { id: from.id, type: 'private' },
        from: { is_bot: false, ...from },
        text: '/start source-ads_campaign-may',
        entities: [{ type: 'bot_command', offset: 0, length: 6 }],
      },
    },
  }));
  const { status, body } = await service.post('/v1/send-batch-update', updates, { 'api-key': to.apiKey });
  expect({ status, body }).toMatchObject({ status: 200 });
  await service.projected();
}

const get = (path: string, query: Record<string, string> = {}, key = bot.apiKey): Promise<Answer> =>
  service.get(`/v1/users/${path}?${new URLSearchParams(query)}`, { 'api-key': key });
const idsOf = ({ body }: Answer): number[] => body.data.items.map(({ user_id }: { user_id: number }) => user_id);

describe('users/list', () => {
  it('finds users of the bot by parts of names, by username and by the beginning of the id, literally', async () => {
    const search = async (text: string) => idsOf(await get('list', { search: text, order: 'name' }));
    expect(await search('vogel')).toEqual([80_004, 70_001]);
    expect(await search('VOGEL ärz')).toEqual([70_001]);
    expect(await search('@Aerzte')).toEqual([70_001]);
    expect(await search('bo_r')).toEqual([70_002]);
    expect(await search('o_reads')).toEqual([70_002]);
    expect(await search('%')).toEqual([70_002]);
    expect(await search('\\')).toEqual([]);
    expect(await search('7000')).toEqual([70_002, 70_003, 70_001]);
    expect(await search('0001')).toEqual([]);
    expect(await search('foreign')).toEqual([]);
  });

  it('pages, orders and counts', async () => {
    const first = await get('list', { limit: '2' });
    expect(first.body.data).toMatchObject({ total: 4 });
    expect(idsOf(first)).toEqual([80_004, 70_003]);
    const second = await get('list', { limit: '2', offset: '2' });
    expect([idsOf(second), second.body.data.total]).toEqual([[70_002, 70_001], 4]);
    const beyond = await get('list', { search: 'vogel', offset: '9' });
    expect([idsOf(beyond), beyond.body.data.total]).toEqual([[], 2]);
    expect(idsOf(await get('list', { order: 'active' }))).toEqual([80_004, 70_003, 70_002, 70_001]);
    expect(usersAnswer.parse(first.body)).toEqual(first.body);
  });

  it.each([{ order: 'age' }, { limit: 'x' }, { search: 'a\0' }, { search: 'x'.repeat(251) }])(
    'refuses %j',
    async (query) => expect((await get('list', query as Record<string, string>)).status).toBe(400),
  );

  it('needs a premium plan', async () => {
    const free = await service.createBot({ plan: 'free' });
    for (const path of ['list', 'get?user_id=1', 'broadcasts?user_id=1'])
      expect((await service.get(`/v1/users/${path}`, { 'api-key': free.apiKey })).status, path).toBe(403);
  });
});

describe('users/get', () => {
  it('answers the profile, the first visit, and who brought the user', async () => {
    const headers = { 'api-key': bot.apiKey };
    await service.post('/v1/referral/mark-referral', { referral_user_id: 70_003, referrer_user_id: 70_002 }, headers);
    await service.projected();
    const { status, body } = await get('get', { user_id: '70003' });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        data: {
          ...{ user_id: 70_003, first_name: 'Cleo', last_name: null, username: 'cleoXreads', user_status: 'active' },
          ...{ date_create: '2026-03-01T10:00:02+00:00', erased: false, referrals: 0 },
          addition_fields: { utm_source: 'ads', utm_campaign: 'may' },
          referral: { referrer_id: 70_002, code: expect.anything() },
        },
      },
    });
    expect(userAnswer.parse(body)).toEqual(body);
    expect((await get('get', { user_id: '70002' })).body.data).toMatchObject({ referrals: 1, referral: null });
  });

  it('says that there is no such user, also of a user of another bot', async () => {
    for (const id of ['70009', '5']) {
      const { status, body } = await get('get', { user_id: id });
      expect({ status, body }).toMatchObject({ status: 404, body: { error: `User with id ${id} was not found` } });
    }
    for (const id of ['', '0', '-1', 'x']) expect((await get('get', { user_id: id })).status, id).toBe(400);
  });

  it('says of an erased user that they were erased', async () => {
    await send(bot, [{ id: 90_005, first_name: 'Gone' }]);
    await operate(service.env, ['user', 'erase', '--bot', bot.publicKey, '--user', '90005']);
    await service.projected();
    const { body } = await get('get', { user_id: '90005' });
    expect(body.data).toMatchObject({ erased: true, first_name: null, custom_fields: {} });
    expect(idsOf(await get('list', { search: 'Gone' }))).toEqual([]);
  });
});

describe('users/broadcasts', () => {
  it("lists the broadcasts that had the user, as their recipients have them, and no other bot's", async () => {
    platform.behave(({ chatId }) =>
      chatId === 70_002 ? { error: { code: 403, description: 'Forbidden: bot was blocked by the user' } } : undefined,
    );
    const audiences = [[70_001], [70_001, 70_002, 70_003], [70_003, 80_004], [1, 2, 70_002, 80_004, 90_000]];
    const ids: number[] = [];
    for (const chats of audiences) {
      const id = await launch(service, bot, { chats, message: { text: 'hi' } });
      await until(service, id, hasEnded);
      ids.push(id);
    }
    await service.projected();
    for (const user of [1, 70_001, 70_002, 70_003, 80_004, 90_000, 12]) {
      const { body } = await get('broadcasts', { user_id: String(user) });
      const expected = [];
      for (const [index, id] of ids.entries()) {
        if (!audiences[index]!.includes(user)) continue;
        const list = await service.get(`/v1/broadcast/recipients?id=${id}`, { 'api-key': bot.apiKey });
        const of = list.body.data.items.find(({ chat_id }: { chat_id: number }) => chat_id === user);
        const date = `${of.date.replace(' ', 'T')}+00:00`;
        expected.unshift({ broadcast_id: id, state: of.state, reason: of.reason, date, clicks: 0, first_click: null });
      }
      expect(body.data.items, String(user)).toMatchObject(expected);
      expect(body.data.items).toHaveLength(expected.length);
      expect(broadcastsAnswer.parse(body)).toEqual(body);
    }
    const { body } = await get('broadcasts', { user_id: '70003', limit: '1', offset: '1' });
    expect(body.data.items.map((each: { broadcast_id: number }) => each.broadcast_id)).toEqual([ids[1]]);
    expect((await get('broadcasts', { user_id: '70003' }, stranger.apiKey)).body.data.items).toEqual([]);
  });

  it('counts the clicks of the user', async () => {
    const message = { text: '<a href="https://shop.example/">a</a>', parse_mode: 'html' };
    const segmentations = { include: [{ type: 'list', config: { chat_ids: [70_001, 70_003] } }] };
    const made = await service.post(
      '/v1/broadcast/create',
      { type: 'sendMessage', segmentations, message, settings: { track_clicks: true }, activate: true },
      { 'api-key': bot.apiKey },
    );
    await until(service, made.body.data.id, hasEnded);
    const { parameters } = platform.calls.filter(({ chatId }) => chatId === 70_003).at(-1)!;
    const [, link = ''] = /href="([^"]*)"/.exec(String(parameters['text'])) ?? [];
    const path = new URL(link).pathname;
    for (let times = 0; times < 2; times++)
      expect((await fetch(service.address + path, { redirect: 'manual' })).status).toBe(302);
    const latest = async (user: number) => {
      await service.projected();
      return (await get('broadcasts', { user_id: String(user), limit: '1' })).body.data.items[0];
    };
    await expect.poll(async () => (await latest(70_003)).clicks).toBe(2);
    expect(await latest(70_003)).toMatchObject({ broadcast_id: made.body.data.id, first_click: expect.any(String) });
    expect(await latest(70_001)).toMatchObject({ clicks: 0, first_click: null });
  });
});
