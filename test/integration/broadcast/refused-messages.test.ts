import { afterAll, beforeAll, expect, test } from 'vitest';
import { variantOf } from '../../../src/domain/broadcast/variant-of.ts';
import { type BotApiServer, type Call, startBotApi } from '../../support/bot-api-server.ts';
import { hasEnded, launch, recipientsOf, sendingBot, until } from '../../support/broadcasts.ts';
import { longOnly } from '../../support/long-only.ts';
import { REFUSALS_OF_MESSAGE } from '../../support/refusals.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** Messages that the platform refuses for every recipient (decisions.md#refused-for-the-message). */
const RECIPIENTS = 40;
/** Several broadcasts run at once. */
const WITHIN_MS = 60_000;

let platform: BotApiServer;
let service: TestService;
let bot: TestBot;
beforeAll(async () => {
  platform = await startBotApi();
  service = await startTestService({ TELEGRAM_API_ROOT: platform.root });
  bot = await sendingBot(service);
  platform.behave((call) => {
    const [, index] = /broken-(\d+)/.exec(JSON.stringify(call.parameters)) ?? [];
    return index === undefined ? undefined : { error: { code: 400, description: REFUSALS_OF_MESSAGE[Number(index)]! } };
  });
});
afterAll(async () => {
  await service.stop();
  await platform.close();
});

const photos = (media: string) => ({ media: [1, 2].map((n) => ({ type: 'photo', media: `${media}-${n}` })) });
/** An album for a refusal of one of its parts, else a text. */
const messageOf = (description: string, text: string) => (description.includes('message #') ? photos(text) : { text });
/** The first chat of each broadcast. */
const firstOf = (index: number): number => 1000 * (index + 1);
const isBroken = ({ parameters }: Call): boolean => JSON.stringify(parameters).includes('broken');

test.concurrent.each(REFUSALS_OF_MESSAGE.map((description, index) => [description, index] as const))(
  'a refused message stops, and all get the mended one once: %s',
  async (description, index) => {
    const chats = Array.from({ length: RECIPIENTS }, (_, i) => firstOf(index) + i);
    const type = description.includes('message #') ? 'sendMediaGroup' : 'sendMessage';
    const id = await launch(service, bot, { type, message: messageOf(description, `broken-${index}`), chats });
    const stopped = await until(service, id, hasEnded, WITHIN_MS);
    const calls = () => platform.calls.filter(({ chatId }) => chats.includes(chatId));
    const refused = calls().length;
    expect(stopped).toMatchObject({ status: 5, count_delivered: 0, count_not_delivered: refused, count_unknown: 0 });
    const reasons = (await recipientsOf(service, id)).flatMap(({ reason }) => reason ?? []);
    expect(reasons).toEqual(Array.from({ length: refused }, () => description));
    expect(refused).toBeGreaterThanOrEqual(10);
    expect(refused).toBeLessThan(RECIPIENTS);

    const mended = { id, message: messageOf(description, 'mended') };
    const { status } = await service.post('/v1/broadcast/activate', mended, { 'api-key': bot.apiKey });
    expect(status).toBe(200);
    const ended = await until(service, id, ({ status }) => status === 3, WITHIN_MS);
    expect(ended).toMatchObject({ count_recipients: RECIPIENTS, count_delivered: RECIPIENTS, error: null });
    expect((await recipientsOf(service, id)).every(({ state }) => state === 'delivered')).toBe(true);
    const got = calls()
      .filter((call) => !isBroken(call))
      .map(({ chatId }) => chatId);
    expect(got.sort((a, b) => a - b)).toEqual(chats);
    expect(calls().filter(isBroken)).toHaveLength(refused);
    expect(platform.mistakes).toEqual([]);
  },
);

longOnly(
  'a refused variant stops the broadcast though the other one is delivered, and all get a message once',
  async () => {
    const chats = Array.from({ length: 400 }, (_, i) => 900_000 + i);
    const variants = (text: string) => [
      { name: 'A', share: 50, message: { text } },
      { name: 'B', share: 50, message: { text: 'good' } },
    ];
    const id = await launch(service, bot, { variants: variants('broken-1'), chats, cap: 100 });
    const stopped = await until(service, id, hasEnded, WITHIN_MS);
    expect(stopped).toMatchObject({ status: 5, count_unknown: 0 });
    const calls = () => platform.calls.filter(({ chatId }) => chatId >= chats[0]!);
    const refused = calls().filter(isBroken).length;
    expect(refused).toBeGreaterThanOrEqual(10);
    expect(refused).toBeLessThan(chats.filter((chat) => variantOf([50, 50], id, chat) === 0).length);

    const { status } = await service.post(
      '/v1/broadcast/activate',
      { id, variants: variants('mended') },
      { 'api-key': bot.apiKey },
    );
    expect(status).toBe(200);
    const ended = await until(service, id, ({ status }) => status === 3, WITHIN_MS);
    expect(ended).toMatchObject({ count_delivered: chats.length, error: null });
    const got = calls().flatMap((call) => (isBroken(call) ? [] : [call.chatId]));
    expect(got.sort((a, b) => a - b)).toEqual(chats);
  },
);
