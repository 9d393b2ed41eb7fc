import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createFindLaunch } from '../../../src/api/clicks/find-launch.ts';
import { clickToken, readClickToken } from '../../../src/domain/broadcast/clicks.ts';
import { variantOf } from '../../../src/domain/broadcast/variant-of.ts';
import type { EventLog } from '../../../src/log/port.ts';
import { type BotApiServer, startBotApi } from '../../support/bot-api-server.ts';
import { hasEnded, sendingBot, until } from '../../support/broadcasts.ts';
import { longOnly } from '../../support/long-only.ts';
import { firstReader } from '../../support/read-model-tables.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';
import { spied } from '../../support/spied-pool.ts';

/** Clicks on links of broadcasts: from the message as the platform gets it, over the redirect, to the statistics. */

const PUBLIC_URL = 'https://go.example/base';
const SHOP = 'https://shop.example/?a=1&b=2';
const HELP = 'https://help.example/';

let platform: BotApiServer;
let service: TestService;
let bot: TestBot;

beforeAll(async () => {
  platform = await startBotApi();
  service = await startTestService({ TELEGRAM_API_ROOT: platform.root, PUBLIC_URL: `${PUBLIC_URL}/` });
});
afterAll(async () => {
  await service?.stop();
  await platform?.close();
});
beforeEach(async () => {
  bot = await sendingBot(service);
});

const own = () => ({ 'api-key': bot.apiKey });
const post = (method: string, body: object) => service.post(`/v1/broadcast/${method}`, body, own());
const statistics = async (id: number) => {
  await service.projected();
  return (await service.get(`/v1/broadcast/statistics?id=${id}`, own())).body.data;
};

const CHATS = [1, 2, 3, 4, 5, 6, 7, 8];
const message = (name: string) => ({
  text: `<b>${name}</b> <a href="${SHOP.replaceAll('&', '&amp;')}">shop</a> https://plain.example`,
  parse_mode: 'html',
  reply_markup: { inline_keyboard: [[{ text: 'Help', url: HELP }], [{ text: 'Chat', url: 'https://t.me/some_user' }]] },
});
const variants = ['A', 'B'].map((name) => ({ name, share: 50, message: message(name) }));
const SETTINGS = { track_clicks: true, intervalCap: 1000 };

async function launched(content: object = { variants }, settings: object = SETTINGS): Promise<number> {
  const segmentations = { include: [{ type: 'list', config: { chat_ids: CHATS } }] };
  const { status, body } = await post('create', {
    type: 'sendMessage',
    segmentations,
    settings,
    activate: true,
    ...content,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  await until(service, body.data.id, hasEnded);
  return body.data.id;
}

/**
 * The links of the latest message to each chat, as the platform got it: the link of the text, and the link of the
 * button.
 */
function received(): Map<number, { shop: string; help: string; text: string }> {
  return new Map(
    platform.calls.map(({ chatId, parameters }) => {
      const text = String(parameters['text']);
      const rows = (parameters['reply_markup'] as { inline_keyboard: { url: string }[][] }).inline_keyboard;
      const [, shop = ''] = /href="([^"]*)"/.exec(text) ?? [];
      return [chatId, { shop, help: rows[0]![0]!.url, text }];
    }),
  );
}

const pathOf = (link: string): string => {
  expect(link).toMatch(/^https:\/\/go\.example\/base\/r\/[\w-]{20,40}$/);
  return link.slice(PUBLIC_URL.length);
};
const open = (link: string, init: RequestInit = {}) =>
  fetch(service.address + pathOf(link), { redirect: 'manual', ...init });

test('a tracked broadcast: message, redirect, statistics by link and variant; a rebuild counts the same', async () => {
  const id = await launched();
  const links = received();
  expect(new Set([...links.values()].flatMap(({ shop, help }) => [shop, help])).size).toBe(2 * CHATS.length);
  expect(links.get(1)!.text).toContain('https://plain.example');
  const calls = platform.calls.filter(({ chatId }) => chatId === 1).at(-1)!;
  expect(JSON.stringify(calls.parameters)).toContain('"https://t.me/some_user"');

  const clicks: [chat: number, which: 'shop' | 'help'][] = [
    [1, 'shop'],
    [1, 'shop'],
    [1, 'help'],
    [2, 'shop'],
    [3, 'help'],
    [4, 'shop'],
    [5, 'help'],
  ];
  for (const [chat, which] of clicks) {
    const answer = await open(links.get(chat)![which]);
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe(which === 'shop' ? SHOP : HELP);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
  const preview = await open(links.get(6)!.shop, { headers: { 'user-agent': 'TelegramBot (like TwitterBot)' } });
  const head = await open(links.get(7)!.shop, { method: 'HEAD' });
  expect([preview.status, head.status]).toEqual([302, 302]);
  expect(head.headers.get('location')).toBe(SHOP);
  await recorded(clicks.length);

  const variant = (chat: number) => variantOf([50, 50], id, chat);
  const counted = (so: (click: (typeof clicks)[number]) => boolean) => {
    const such = clicks.filter(so);
    return { clicked: new Set(such.map(([chat]) => chat)).size, clicks: such.length };
  };
  const before = await statistics(id);
  expect(before.total).toMatchObject({ count_delivered: CHATS.length, ...counted(() => true) });
  for (const index of [0, 1])
    expect(before.variants[index]).toMatchObject(counted(([chat]) => variant(chat) === index));
  expect(before.links).toEqual(
    [0, 1].flatMap((index) =>
      (['shop', 'help'] as const).map((which) => ({
        launch: 1,
        variant: 'AB'[index],
        url: which === 'shop' ? SHOP : HELP,
        ...counted(([chat, of]) => variant(chat) === index && of === which),
      })),
    ),
  );

  await service.restart(() => service.dropDerived());
  const { data_as_of: _, ...after } = await statistics(id);
  const { data_as_of: __, ...same } = before;
  expect(after).toEqual(same);
  // After a restart nothing is kept in memory: the link is looked up in the log.
  expect((await open(links.get(8)!.help)).headers.get('location')).toBe(HELP);
});

/** Waits until the log has so many clicks. */
async function recorded(clicks: number): Promise<void> {
  for (let i = 0; ; i++) {
    await service.projected();
    const { rows } = await service.database.pool.query(
      'SELECT coalesce(sum(clicks), 0)::int AS n FROM clicks_v1.clicks JOIN clicks_v1.bots USING (bot_id) WHERE public_key = $1',
      [bot.publicKey],
    );
    if (rows[0].n >= clicks || i === 200) return expect(rows[0].n).toBe(clicks);
    await sleep(20);
  }
}

longOnly('a token that was made up or changed is a page that says so, and counts nothing', async () => {
  const id = await launched({ message: message('x') });
  const links = received();
  const token = pathOf(links.get(1)!.shop).slice(3);
  const { link } = readClickToken(token)!;
  const key = Buffer.alloc(32, 1);
  const forged = [
    'x',
    '%00',
    `${token.slice(0, -1)}${token.endsWith('A') ? 'E' : 'A'}`,
    `${token}A`,
    clickToken(key, link),
    clickToken(key, { ...link, broadcastId: id + 1000 }),
    clickToken(key, { ...link, launch: 2 }),
    clickToken(key, { ...link, link: 99 }),
  ];
  for (const text of forged) {
    const answer = await fetch(`${service.address}/r/${text}`, { redirect: 'manual' });
    expect([text, answer.status, answer.headers.get('location')]).toEqual([text, 404, null]);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await answer.text()).toContain('This link is not valid');
  }
  expect((await fetch(`${service.address}/r/${token}`, { method: 'POST' })).status).toBe(405);
  await open(links.get(2)!.shop);
  await recorded(1);
  expect((await statistics(id)).total).toMatchObject({ clicked: 1, clicks: 1 });
});

test('a flood of clicks on one link is recorded ten times, and answered each time', async () => {
  const id = await launched({ message: message('x') });
  const { shop, help } = received().get(1)!;
  const before = await repeated();
  for (let i = 0; i < 25; i++) expect((await open(shop)).status).toBe(302);
  await open(help);
  await recorded(11);
  const { links } = await statistics(id);
  expect(links).toMatchObject([
    { url: SHOP, variant: null, clicked: 1, clicks: 10 },
    { url: HELP, clicked: 1, clicks: 1 },
  ]);
  const after = await repeated();
  expect(after - before).toBe(15);
});

async function repeated(): Promise<number> {
  const text = await (await fetch(`${service.address}/metrics`)).text();
  return Number(/^botledger_clicks_total\{result="repeated"\} (\d+)$/m.exec(text)?.[1]);
}

longOnly('a relaunch has new links; links of the first launch still lead to the same pages', async () => {
  platform.behave(({ chatId }) =>
    chatId === 3
      ? { error: { code: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } } }
      : undefined,
  );
  const id = await launched({ message: message('x') }, { ...SETTINGS, intervalCap: 1 });
  platform.behave(() => undefined);
  const first = received().get(1)!.help;
  const other = { text: 'New', reply_markup: { inline_keyboard: [[{ text: 'Go', url: 'https://new.example/ä' }]] } };
  expect((await post('activate', { id, message: other, settings: SETTINGS })).status).toBe(200);
  await until(service, id, ({ status }) => status === 3);
  const second = received().get(8)!.help;
  expect((await open(first)).headers.get('location')).toBe(HELP);
  expect((await open(second)).headers.get('location')).toBe('https://new.example/%C3%A4');
  await recorded(2);
  const { links, total } = await statistics(id);
  expect(total).toMatchObject({ clicked: 2, clicks: 2 });
  expect(
    links.map(({ launch, url, clicks }: { launch: number; url: string; clicks: number }) => [launch, url, clicks]),
  ).toEqual([
    [1, SHOP, 0],
    [1, HELP, 1],
    [2, 'https://new.example/ä', 1],
  ]);
});

test('without track_clicks links stay as they are, and no number says that there were no clicks', async () => {
  const id = await launched({ message: message('x') }, { intervalCap: 1000 });
  expect(received().get(1)).toMatchObject({ help: HELP });
  expect(await statistics(id)).toMatchObject({ total: { clicked: null, clicks: null }, links: [] });
});

longOnly('an activation with track_clicks is refused where PUBLIC_URL is not set', async () => {
  const plain = await startTestService({ TELEGRAM_API_ROOT: platform.root });
  try {
    const other = await sendingBot(plain);
    const body = {
      type: 'sendMessage',
      message: { text: 'x' },
      segmentations: { include: [{ type: 'all' }] },
      settings: { track_clicks: true },
      activate: true,
    };
    const headers = { 'api-key': other.apiKey };
    expect(await plain.post('/v1/broadcast/create', body, headers)).toMatchObject({
      status: 400,
      body: { details: [{ path: 'settings.track_clicks' }] },
    });
    const draft = await plain.post('/v1/broadcast/create', { ...body, activate: false }, headers);
    expect(draft.body.data.settings.track_clicks).toBe(true);
  } finally {
    await plain.stop();
  }
});

test('made-up numbers of broadcasts and launches leave the first click of a real launch its look-up', async () => {
  const id = await launched();
  await service.projected();
  const statements: string[] = [];
  let reads = 0;
  const log: Pick<EventLog, 'read' | 'keys'> = {
    keys: service.log.keys,
    read: (...given) => {
      reads++;
      return service.log.read(...given);
    },
  };
  const find = createFindLaunch({ log, db: firstReader(spied(service.database.pool, statements)) });
  const invented = Array.from({ length: 2000 }, (_, n) => find(n % 2 === 0 ? 1_000_000 + n : id, 2 + n));
  expect(await find(id, 1)).toMatchObject({ bot: bot.publicKey });
  expect(new Set(await Promise.all(invented))).toEqual(new Set([null]));
  expect({ statements: statements.length, reads }).toEqual({ statements: 1, reads: 1 });
  // Asked one after the other, launches of a broadcast that has been read cost a read each second.
  await Promise.all([find(id, 5000), find(id, 5001)]);
  expect(reads).toBe(2);
  expect(await find(id, 1)).toMatchObject({ bot: bot.publicKey });
  expect(reads).toBe(2);
});
