import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type UpdateItem, updatesReceived } from '../../../src/domain/intake/intake-events.ts';
import { SYSTEM_EVENTS } from '../../../src/domain/intake/system-events.ts';
import { intakeStream } from '../../../src/domain/streams.ts';
import { type BotApiServer, startBotApi } from '../../support/bot-api-server.ts';
import { hasEnded, meet, recipientsOf, sendingBot, until } from '../../support/broadcasts.ts';
import { longOnly } from '../../support/long-only.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** Service messages that the bot causes in private chats: they come with `from` = the bot (decisions.md#actor). */

const ITSELF = 777;
const USERS = [101, 102, 103];

let platform: BotApiServer;
let service: TestService;
let bot: TestBot;
beforeAll(async () => {
  platform = await startBotApi();
  service = await startTestService({ TELEGRAM_API_ROOT: platform.root });
});
beforeEach(async () => {
  bot = await sendingBot(service);
  await meet(service, bot, USERS);
});
afterAll(async () => {
  await service.stop();
  await platform.close();
});

const seconds = () => Math.floor(Date.now() / 1000);

/** How many the audience, the uniques and the new users are, and the chats that a broadcast to all calls. */
async function countsOf() {
  await service.projected();
  const key = { 'api-key': bot.apiKey };
  const segmentations = { include: [{ type: 'all', config: {} }] };
  const size = await service.post('/v1/broadcast/audience-size', { segmentations }, key);
  const metric = { type: 'trend', event_id: null, event_name: 'any', agr: 'total_uniq_user_id' };
  const source_request = { type: 'trends', type_chart: 'number', granularity: 'month', requests: [metric] };
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const params = { ':date_from': `${day(-1)} 00:00:00`, ':date_to': `${day(1)} 23:59:59` };
  const report_config = { source_request, settings: { params } };
  const uniques = await service.post('/v1/reports/preview', { report_config }, key);
  const query = new URLSearchParams({ date_from: `${day(-1)} 00:00:00`, date_to: `${day(1)} 23:59:59` });
  const created = await service.get(`/v1/reports/new-users?${query}`, key);
  const message = { type: 'sendMessage', message: { text: 'Hello' }, segmentations, activate: true };
  const { id } = (await service.post('/v1/broadcast/create', message, key)).body.data;
  await until(service, id, hasEnded);
  return {
    audience: size.body.data.count,
    uniques: uniques.body.data.rows.reduce((sum: number, { s0 }: { s0: number }) => sum + s0, 0),
    newUsers: created.body.data.total,
    called: (await recipientsOf(service, id)).map(({ chat_id }) => chat_id),
  };
}

it('leaves the bot out after it has pinned a message in each private chat', async () => {
  const before = await countsOf();
  expect(before).toMatchObject({ audience: USERS.length, uniques: USERS.length, called: USERS });
  const from = { id: ITSELF, is_bot: true, first_name: 'Shop', username: 'shop_bot' };
  const pins = USERS.map((id) => {
    const chat = { id, type: 'private' };
    const pinned_message = { message_id: 7, date: seconds(), chat, from, text: 'Hello' };
    return {
      update: { update_id: 5_000_000 + id, message: { message_id: 8, date: seconds(), chat, from, pinned_message } },
    };
  });
  const { status } = await service.post('/v1/send-batch-update', pins, { 'api-key': bot.apiKey });
  expect(status).toBe(200);
  expect(await countsOf()).toEqual(before);
});

longOnly('leaves the bot out where an older log has it as a user', async () => {
  const before = await countsOf();
  const items: UpdateItem[] = USERS.map((id) => ({
    update_id: 6_000_000 + id,
    user_id: ITSELF,
    makes_user: true,
    is_bot: true,
    is_premium: false,
    chat_type: 'private',
    event_id: SYSTEM_EVENTS.message,
  }));
  const { log, sources } = service.commands;
  const events = [updatesReceived.create({ items })];
  const stream = intakeStream(bot.publicKey);
  await log.append({ id: sources.uuid(), stream, expected: 'any', at: sources.now(), events });
  expect(await countsOf()).toEqual(before);
});

it('keeps another bot that writes in its own private chat', async () => {
  const other = 888;
  const from = { id: other, is_bot: true, first_name: 'Other' };
  const message = { message_id: 1, date: seconds(), chat: { id: other, type: 'private' }, from, text: 'hi' };
  const update = { update_id: 7_000_000, message };
  await service.post('/v1/send-update', { update }, { 'api-key': bot.apiKey });
  expect(await countsOf()).toMatchObject({ audience: USERS.length + 1, called: [...USERS, other] });
});
