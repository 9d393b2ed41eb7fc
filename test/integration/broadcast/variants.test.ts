import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bucketOf, variantOf } from '../../../src/domain/broadcast/variant-of.ts';
import type { Variant } from '../../../src/domain/broadcast/variants.ts';
import { bucketSql, digestSql } from '../../../src/queries/broadcast/variant-sql.ts';
import { type BotApiServer, startBotApi } from '../../support/bot-api-server.ts';
import { hasEnded, launch, meet, sendingBot, until } from '../../support/broadcasts.ts';
import { longOnly } from '../../support/long-only.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** Broadcasts with variants, over HTTP, sent to a stand-in for the platform. */

let platform: BotApiServer;
let service: TestService;
let bot: TestBot;

beforeAll(async () => {
  platform = await startBotApi();
  service = await startTestService({ TELEGRAM_API_ROOT: platform.root });
});
afterAll(async () => {
  await service?.stop();
  await platform?.close();
});
beforeEach(async () => {
  bot = await sendingBot(service);
  platform.behave(() => undefined);
});

const own = () => ({ 'api-key': bot.apiKey });
const post = (method: string, body: object) => service.post(`/v1/broadcast/${method}`, body, own());
const statistics = async (id: number) => (await service.get(`/v1/broadcast/statistics?id=${id}`, own())).body;
const variantsOf = (shares: readonly number[]): Variant[] =>
  shares.map((share, index) => ({ name: `V${index}`, share, message: { text: `Text ${index}` } }));

test('the bucket of a recipient is the same in SQL', async () => {
  const ids = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  const pairs = fc.sample(fc.tuple(ids, fc.maxSafeInteger()), { numRuns: 500, seed: 7 });
  const { rows } = await service.database.pool.query<{ bucket: number }>(
    `SELECT ${bucketSql(digestSql('id', 'chat'))} AS bucket FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS n (id, chat, i)
      ORDER BY i`,
    [pairs.map(([id]) => id), pairs.map(([, chat]) => chat)],
  );
  expect(rows.map(({ bucket }) => bucket)).toEqual(pairs.map(([id, chat]) => bucketOf(id, chat)));
});

test('each recipient gets the message of its variant, and the statistics count by variant', async () => {
  const chats = Array.from({ length: 300 }, (_, i) => 5000 + i);
  const isRefused = (chat: number) => chat % 7 === 0;
  platform.behave(({ chatId }) =>
    isRefused(chatId) ? { error: { code: 403, description: 'Forbidden: no' } } : undefined,
  );
  const shares = [10, 60, 30];
  const id = await launch(service, bot, { variants: variantsOf(shares), chats });
  await until(service, id, hasEnded);
  const texts = new Map(platform.calls.map(({ chatId, parameters }) => [chatId, parameters['text']]));
  for (const chat of chats) expect(texts.get(chat)).toBe(`Text ${variantOf(shares, id, chat)}`);

  const count = (of: readonly number[]) => ({
    count_recipients: of.length,
    count_delivered: of.filter((chat) => !isRefused(chat)).length,
    count_not_delivered: of.filter(isRefused).length,
    count_cancelled: 0,
    count_unknown: 0,
  });
  const { data } = await statistics(id);
  expect(data).toMatchObject({
    total: count(chats),
    variants: shares.map((share, index) => ({
      name: `V${index}`,
      share,
      ...count(chats.filter((chat) => variantOf(shares, id, chat) === index)),
    })),
  });
  expect(data.variants.map((each: { count_recipients: number }) => each.count_recipients)).not.toContain(0);
});

test('a draft takes variants, one of them refused by its place; a message takes them away again', async () => {
  const variants = variantsOf([50, 50]);
  const { body } = await post('create', { type: 'sendMessage', variants });
  expect(body.data).toMatchObject({ variants, message: {} });
  const { id } = body.data;
  for (const [given, path] of [
    [[{ ...variants[0], share: 51 }, variants[1]], 'variants'],
    [[{ ...variants[0], message: { text: '{{ user.nam }}' } }, variants[1]], 'variants.0.message.text'],
  ] as const)
    expect(await post('save', { id, variants: given })).toMatchObject({ status: 400, body: { details: [{ path }] } });
  const both = { id, message: { text: 'x' }, variants };
  expect(await post('save', both)).toMatchObject({ status: 400, body: { details: [{ path: 'variants' }] } });
  const field = 'user.custom_fields.nobody_has';
  const unknown = [variants[0], { ...variants[1], message: { text: `{{ ${field} }}` } }];
  expect((await post('save', { id, variants: unknown })).body.warnings).toMatchObject([
    { path: 'variants.1.message.text' },
  ]);
  const single = (await post('save', { id, message: { text: 'x' } })).body.data;
  expect(single.message).toEqual({ text: 'x' });
  expect(single).not.toHaveProperty('variants');
  expect((await statistics(id)).data).toMatchObject({ total: { count_recipients: 0 }, variants: [] });
});

longOnly('counts of a stopped broadcast add up, and a relaunch keeps the variant of each recipient', async () => {
  await meet(service, bot, [1, 2, 3, 4, 5, 6, 7, 8]);
  platform.behave(({ chatId }) =>
    chatId === 3
      ? { error: { code: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } } }
      : undefined,
  );
  const chats = [1, 2, 3, 4, 5, 6, 7, 8];
  const id = await launch(service, bot, { variants: variantsOf([50, 50]), chats, cap: 1 });
  await until(service, id, ({ status }) => status === 4);
  const { total, variants } = (await statistics(id)).data;
  expect(total.count_cancelled).toBeGreaterThan(0);
  expect(total.count_delivered + total.count_not_delivered + total.count_cancelled).toBe(chats.length);
  for (const [key, value] of Object.entries(total).filter(([key]) => key.startsWith('count_')))
    expect(variants[0][key] + variants[1][key]).toBe(value);

  platform.behave(() => undefined);
  const settings = { intervalCap: 1000 };
  const changed = variantsOf([50, 50]).map((each, index) => ({ ...each, message: { text: `New ${index}` } }));
  expect((await post('activate', { id, message: { text: 'x' } })).status).toBe(400);
  expect((await post('activate', { id, variants: variantsOf([40, 60]) })).status).toBe(400);
  expect((await post('activate', { id, variants: changed, settings })).body.data.status).toBe(1);
  await until(service, id, ({ status }) => status === 3);
  const texts = new Map(platform.calls.map(({ chatId, parameters }) => [chatId, String(parameters['text'])]));
  for (const chat of chats) expect(texts.get(chat)?.at(-1)).toBe(String(variantOf([50, 50], id, chat)));
  expect(texts.get(8)).toMatch(/^New/);
});
