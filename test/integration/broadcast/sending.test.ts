import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { activateBroadcast, cancelBroadcast } from '../../../src/commands/broadcast/activation.ts';
import { changeBot } from '../../../src/commands/catalog/change-bot.ts';
import { pause } from '../../../src/util/pause.ts';
import { type Behaviour, type BotApiServer, type Call, startBotApi } from '../../support/bot-api-server.ts';
import { hasEnded, launch, meet, recipientsOf, sendingBot, statusOf, TOKEN, until } from '../../support/broadcasts.ts';
import { longOnly } from '../../support/long-only.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** Broadcasts sent by the whole service to a stand-in for the platform. */

let platform: BotApiServer;
let service: TestService;
let bot: TestBot;
/** Calls before the present test. */
let before: number;

beforeAll(async () => {
  platform = await startBotApi();
  service = await startTestService({ TELEGRAM_API_ROOT: platform.root });
  bot = await sendingBot(service);
  before = 0;
});
afterAll(async () => {
  await service?.stop();
  await platform?.close();
});
afterEach(() => {
  platform.behave(() => undefined);
  before = platform.calls.length;
  expect(platform.mistakes).toEqual([]);
});

const calls = (): readonly Call[] => platform.calls.slice(before);
const callsTo = (chat: number): readonly Call[] => calls().filter(({ chatId }) => chatId === chat);
const some = (count: number, from = 1): number[] => Array.from({ length: count }, (_, i) => from + i);
const refused = (description: string, code = 400, parameters?: object): Behaviour => ({
  error: { code, description, ...(parameters && { parameters }) },
});

/** A promise that the test fulfils, for answers that wait for it. */
function signal(): { readonly promise: Promise<void>; fulfil(): void } {
  let fulfil = (): void => undefined;
  const promise = new Promise<void>((resolve) => (fulfil = resolve));
  return { promise, fulfil: () => fulfil() };
}

async function relaunch(id: number, changes = {}): Promise<void> {
  const { publicKey, ownerId } = bot;
  await activateBroadcast(service.commands, { bot: publicKey, id, ownerId, changes, ready: () => undefined }, {});
}

test('a text goes to each recipient once', async () => {
  const id = await launch(service, bot, { chats: some(60), message: { text: 'Hello', parse_mode: 'html' } });
  expect(await until(service, id, hasEnded)).toMatchObject({ status: 3, count_recipients: 60, count_delivered: 60 });
  const chats = calls().map(({ chatId }) => chatId);
  expect(chats.sort((a, b) => a - b)).toEqual(some(60));
  const parameters = { text: 'Hello', parse_mode: 'HTML', allow_paid_broadcast: true };
  expect(calls()[0]).toMatchObject({ method: 'sendMessage', token: TOKEN, parameters });
  expect((await recipientsOf(service, id)).every(({ state }) => state === 'delivered')).toBe(true);
});

test('by the API: created, sent, and its recipients listed', async () => {
  const key = { 'api-key': bot.apiKey };
  const segmentations = { include: [{ type: 'list', config: { chat_ids: some(5) } }], exclude: [] };
  const body = { type: 'sendMessage', message: { text: 'Hello' }, segmentations, activate: true };
  const created = await service.post('/v1/broadcast/create', body, key);
  expect(created).toMatchObject({ status: 200, body: { ok: true, data: { status: 1 } } });
  const { id } = created.body.data;
  const get = () => service.get(`/v1/broadcast/get?id=${id}`, key);
  let told = (await get()).body.data;
  for (; told.status !== 3; told = (await get()).body.data) await pause(50);
  expect(told).toMatchObject({ count_recipients: 5, count_delivered: 5, count_not_delivered: 0, error: null });
  const { body: recipients } = await service.get(`/v1/broadcast/recipients?id=${id}&state=delivered&limit=2`, key);
  expect(recipients.data).toMatchObject({ total: 5, items: [{ chat_id: 1, state: 'delivered' }, { chat_id: 2 }] });
});

test('an empty audience is finished at once', async () => {
  const id = await launch(service, bot, { chats: [] });
  expect(await until(service, id, hasEnded)).toMatchObject({ status: 3, count_recipients: 0 });
  expect(calls()).toEqual([]);
});

test('each recipient ends as the platform answers', async () => {
  const answers: Record<number, Behaviour> = {
    1: refused('Forbidden: bot was kicked from the group chat', 403),
    2: refused('Bad Request: chat not found'),
    3: refused('Internal Server Error', 500),
    4: { raw: { status: 200, body: '<html>' } },
    5: { raw: { status: 502, body: '{"ok":true}' } },
    6: { reset: true },
    7: refused('Bad Request: message is too long'),
    8: { raw: { status: 200, body: '{"ok":false,"error_code":400}' } },
  };
  platform.behave(({ chatId }) => answers[chatId]);
  const id = await launch(service, bot, { chats: some(40) });
  expect(await until(service, id, hasEnded)).toMatchObject({ status: 3, count_delivered: 32, count_unknown: 4 });
  const ends = (await recipientsOf(service, id)).slice(0, 9).map(({ state, reason }) => `${state}: ${reason}`);
  expect(ends).toEqual([
    'not_delivered: Forbidden: bot was kicked from the group chat',
    'not_delivered: Bad Request: chat not found',
    'unknown: Internal Server Error',
    'unknown: the answer, HTTP 200, could not be read',
    'unknown: error 502',
    expect.stringMatching(/^unknown: the connection failed/),
    'not_delivered: Bad Request: message is too long',
    'not_delivered: error 400',
    'delivered: null',
  ]);
  expect(calls()).toHaveLength(40);
});

describe('users', () => {
  test('that the platform cannot reach are marked, not called again, and back with their next update', async () => {
    await meet(service, bot, [101, 102, 103]);
    platform.behave(({ chatId }) =>
      chatId === 101
        ? refused('Forbidden: bot was blocked by the user', 403)
        : chatId === 102
          ? refused('Forbidden: user is deactivated', 403)
          : undefined,
    );
    const chats = [101, 102, 103];
    await until(service, await launch(service, bot, { chats }), hasEnded);
    await service.projected();
    expect(await Promise.all(chats.map((user) => statusOf(service, user)))).toEqual([
      'blocked',
      'deactivated',
      'active',
    ]);

    const id = await launch(service, bot, { chats });
    expect(await until(service, id, hasEnded)).toMatchObject({ count_delivered: 1, count_not_delivered: 2 });
    expect((await recipientsOf(service, id)).map(({ reason }) => reason)).toEqual([
      'Forbidden: bot was blocked by the user',
      'Forbidden: user is deactivated',
      null,
    ]);
    expect(callsTo(101)).toHaveLength(1);

    await meet(service, bot, [101, 102]);
    expect(await Promise.all(chats.map((user) => statusOf(service, user)))).toEqual(['active', 'active', 'active']);
  });

  test('are named in templates, each in the text’s own way', async () => {
    await meet(service, bot, [201], 'Ann <3');
    const text = 'Hi {{ user.first_name | default: "you" }}{% if user.is_premium %}!{% endif %} & all';
    const reply_markup = {
      inline_keyboard: [[{ text: '{{ user.first_name | default: 1 }}', url: 'https://x.y/?u={{ user.user_id }}' }]],
    };
    const message = { text, parse_mode: 'HTML', reply_markup };
    await until(service, await launch(service, bot, { chats: [-5, 201], message }), hasEnded);
    expect(callsTo(201)[0]?.parameters).toMatchObject({
      text: 'Hi Ann &lt;3 & all',
      reply_markup: { inline_keyboard: [[{ text: 'Ann <3', url: 'https://x.y/?u=201' }]] },
    });
    expect(callsTo(-5)[0]?.parameters['text']).toBe('Hi you & all');
  });
});

describe('the broadcast is in error', () => {
  test('if the first ten calls are refused because of the message itself, and no other recipient is called', async () => {
    platform.behave(() => refused("Bad Request: can't parse entities: Unexpected end"));
    const id = await launch(service, bot, { chats: some(30) });
    expect(await until(service, id, hasEnded)).toMatchObject({ status: 5, count_not_delivered: 10, cancelled: true });
    expect(calls()).toHaveLength(10);

    platform.behave(() => undefined);
    await relaunch(id, { message: { text: 'Mended' } });
    const end = await until(service, id, ({ status }) => status === 3);
    expect(end).toMatchObject({ count_recipients: 30, count_delivered: 30, count_not_delivered: 0 });
    expect((await recipientsOf(service, id)).every(({ reason }) => reason === null)).toBe(true);
    const mended = calls().slice(10);
    expect(mended.map(({ chatId }) => chatId).sort((a, b) => a - b)).toEqual(some(30));
    expect(mended.every(({ parameters }) => parameters['text'] === 'Mended')).toBe(true);
  });

  longOnly(
    'a later launch calls again the recipients that were refused because of the message, and none whose call may have been made',
    async () => {
      const answers: Record<number, Behaviour> = {
        1: refused('Bad Request: chat not found'),
        2: refused('Internal Server Error', 500),
        3: { reset: true },
        4: refused('Bad Request: message is too long'),
        5: refused('Bad Request: BUTTON_URL_INVALID'),
      };
      const { promise: cancelled, fulfil } = signal();
      platform.behave(({ chatId, parameters }) => {
        if (parameters['text'] === 'Mended') return undefined;
        return answers[chatId] ?? (chatId > 50 ? { after: cancelled } : undefined);
      });
      const id = await launch(service, bot, { chats: some(100), cap: 30 });
      await until(service, id, ({ count_delivered }) => count_delivered > 15);
      await cancelBroadcast(service.commands, { bot: bot.publicKey, ownerId: bot.ownerId, id }, {});
      fulfil();
      expect(await until(service, id, hasEnded)).toMatchObject({ status: 4, count_not_delivered: 5, count_unknown: 2 });
      expect((await recipientsOf(service, id))[3]).toMatchObject({ state: 'not_delivered' });

      await relaunch(id, { message: { text: 'Mended' } });
      const end = await until(service, id, ({ status }) => status === 3);
      expect(end).toMatchObject({ count_delivered: 97, count_not_delivered: 3, count_unknown: 2 });
      expect(some(6).map((chat) => callsTo(chat).length)).toEqual([1, 1, 1, 2, 2, 1]);
      expect(calls()).toHaveLength(102);
    },
  );

  test('but not when there are fewer than ten, or one of them is not', async () => {
    platform.behave(({ chatId }) => (chatId === 5 ? undefined : refused('Bad Request: BUTTON_URL_INVALID')));
    const few = await launch(service, bot, { chats: some(9, 11) });
    const many = await launch(service, bot, { chats: some(30) });
    expect(await until(service, few, hasEnded)).toMatchObject({ status: 3, count_not_delivered: 9 });
    expect(await until(service, many, hasEnded)).toMatchObject({ status: 3, count_not_delivered: 29 });
  });

  test('if the token is refused; no recipient counts as attempted', async () => {
    platform.behave(() => refused('Unauthorized', 401));
    const id = await launch(service, bot, { chats: some(30) });
    expect(await until(service, id, hasEnded)).toMatchObject({ status: 5, count_not_delivered: 0, cancelled: true });
    platform.behave(() => undefined);
    await relaunch(id);
    expect(await until(service, id, ({ status }) => status === 3)).toMatchObject({ count_delivered: 30 });
  });

  test('when the bot has no token', async () => {
    await changeBot(service.commands, bot.publicKey, { token: null });
    await service.projected();
    const id = await launch(service, bot, { chats: some(3) });
    expect(await until(service, id, hasEnded)).toMatchObject({ status: 5, cancelled: true });
    await changeBot(service.commands, bot.publicKey, { token: TOKEN });
    await service.projected();
  });
});

describe('a rate limit', () => {
  const limitFor = (seconds: number) => refused('Too Many Requests', 429, { retry_after: seconds });

  test('stops a broadcast that says so; a relaunch sends the rest', async () => {
    let limited = 0;
    platform.behave(({ chatId }) => (chatId === 25 && limited++ === 0 ? limitFor(1) : undefined));
    const id = await launch(service, bot, { chats: some(200), cap: 100 });
    const end = await until(service, id, hasEnded);
    expect(end).toMatchObject({ status: 4, count_not_delivered: 0, cancelled: true });
    expect(end.count_delivered).toBeLessThan(200);
    await relaunch(id);
    expect(await until(service, id, ({ status }) => status === 3)).toMatchObject({ count_delivered: 200 });
    expect(calls()).toHaveLength(201);
    expect(callsTo(25)).toHaveLength(2);
  });

  longOnly('pauses the bot, and slows the broadcast down until its end', async () => {
    let limited = 0;
    const { promise: pauseSeen, fulfil } = signal();
    platform.behave(({ chatId }) => {
      if (chatId === 12 && limited++ === 0) return limitFor(5); // is seen though commits may take seconds
      // The end also ends the pause in the read model, so it waits for the test.
      return calls().length === 21 ? { after: pauseSeen } : undefined;
    });
    const onLimit = { stop: false, extraDelay: 100 };
    const begun = Date.now();
    const id = await launch(service, bot, { chats: some(20), cap: 1000, onLimit });
    const paused = await until(service, id, ({ paused_until }) => paused_until !== null);
    fulfil();
    expect(paused.paused_until).toBeGreaterThanOrEqual(begun + 5000);
    expect(await until(service, id, hasEnded)).toMatchObject({ status: 3, count_delivered: 20, paused_until: null });
    const at = calls().map((call) => call.at);
    const limitedAt = callsTo(12)[0]!.at;
    const after = at.filter((time) => time > limitedAt + 500);
    expect(after[0]! - limitedAt).toBeGreaterThan(4990);
    expect(after.at(-1)! - after[0]!).toBeGreaterThan(50 * (after.length - 1)); // single calls may arrive late
  });
});

test('a chat that has become another is followed once, unless that is a recipient itself', async () => {
  const migrated = (to: number) => refused('Bad Request: group chat was upgraded', 400, { migrate_to_chat_id: to });
  platform.behave(({ chatId }) => (chatId === -1 ? migrated(-1001) : chatId === -2 ? migrated(-3) : undefined));
  const id = await launch(service, bot, { chats: [-1, -2, -3] });
  await until(service, id, hasEnded);
  expect(await recipientsOf(service, id)).toEqual([
    { chat_id: -3, state: 'delivered', reason: null },
    { chat_id: -2, state: 'not_delivered', reason: 'migrated' },
    { chat_id: -1, state: 'delivered', reason: null },
  ]);
  expect(
    calls()
      .map(({ chatId }) => chatId)
      .sort((a, b) => a - b),
  ).toEqual([-1001, -3, -2, -1]);
});

describe('messages', () => {
  test('a file goes by URL once, then by its id; a pin is a second call', async () => {
    const photo = 'https://files.example/cat.jpg';
    const message = { photo, caption: 'Cat', pin_message: true };
    const id = await launch(service, bot, { type: 'sendPhoto', chats: some(5), message, cap: 20 });
    expect(await until(service, id, hasEnded)).toMatchObject({ status: 3, count_delivered: 5 });
    const sent = calls().filter(({ method }) => method === 'sendPhoto');
    expect(sent.map(({ parameters }) => parameters['photo'])).toEqual([photo, ...Array(4).fill(`id of ${photo}`)]);
    expect(sent[0]?.parameters).not.toHaveProperty('allow_paid_broadcast');
    const pins = calls().filter(({ method }) => method === 'pinChatMessage');
    expect(pins.map(({ parameters }) => parameters['message_id']).sort()).toEqual(sent.map(({ n }) => n).sort());
  });

  test('a pin that fails does not undo the delivery', async () => {
    platform.behave(({ method }) =>
      method === 'pinChatMessage' ? refused('Bad Request: not enough rights') : undefined,
    );
    const id = await launch(service, bot, { chats: some(3), message: { text: 'x', pin_message: true } });
    expect(await until(service, id, hasEnded)).toMatchObject({ status: 3, count_delivered: 3 });
  });

  test('an album goes with the ids of its files', async () => {
    const media = ['a.jpg', 'b.mp4'].map((name, i) => ({
      type: i === 0 ? 'photo' : 'video',
      media: `https://files.example/${name}`,
    }));
    const id = await launch(service, bot, { type: 'sendMediaGroup', chats: some(3), message: { media } });
    await until(service, id, hasEnded);
    expect(calls().map(({ parameters }) => parameters['media'])).toEqual([
      media,
      ...Array(2).fill(media.map((item) => ({ ...item, media: `id of ${item.media}` }))),
    ]);
  });
});

test('waits for a platform that is down, and calls no recipient twice', async () => {
  await platform.down();
  const id = await launch(service, bot, { chats: some(30) });
  const waiting = await until(service, id, ({ error }) => error !== null);
  expect(waiting.error).toMatch(/^the platform cannot be reached since 20.*Z: the connection failed: ECONNREFUSED$/);
  await platform.up();
  expect(await until(service, id, hasEnded)).toMatchObject({ status: 3, count_delivered: 30, error: null });
  expect(calls()).toHaveLength(30);
});

test('a cancellation stops the calls within a second, and a relaunch resumes after them', async () => {
  const id = await launch(service, bot, { chats: some(300), cap: 50 });
  await until(service, id, ({ count_delivered }) => count_delivered > 20);
  await cancelBroadcast(service.commands, { bot: bot.publicKey, ownerId: bot.ownerId, id }, {});
  await pause(1000);
  const made = calls().length;
  const end = await until(service, id, hasEnded);
  expect(end).toMatchObject({ status: 4, cancelled: true });
  expect(calls()).toHaveLength(made);
  expect(end.count_delivered).toBe(made);
  await relaunch(id, { settings: { intervalCap: 1000, rateLimitOnError: { stop: true, extraDelay: 0 } } });
  expect(await until(service, id, ({ status }) => status === 3)).toMatchObject({ count_delivered: 300 });
  expect(calls()).toHaveLength(300);
});
