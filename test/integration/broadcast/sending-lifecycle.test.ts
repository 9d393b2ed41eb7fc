import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { cancelBroadcast } from '../../../src/commands/broadcast/activation.ts';
import { changeOwner } from '../../../src/commands/catalog/change-owner.ts';
import { ANY_CATEGORIES } from '../../../src/domain/streams.ts';
import { openPostgresLog } from '../../../src/log/postgres/postgres-log.ts';
import { broadcastsProcess } from '../../../src/processes/broadcasts/broadcast-process.ts';
import { broadcastsReadModel } from '../../../src/projections/broadcasts/read-model.ts';
import { projectionStatus } from '../../../src/projections/runtime/status.ts';
import { pause } from '../../../src/util/pause.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { type BotApiServer, type Call, startBotApi } from '../../support/bot-api-server.ts';
import { hasEnded, launch, recipientsOf, sendingBot, sendingOf, until } from '../../support/broadcasts.ts';
import { longOnly } from '../../support/long-only.ts';
import { firstSchema } from '../../support/read-model-tables.ts';
import { startTestInstance, startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** Broadcasts with schedules, plans, and services that stop and start. */

const HOUR_MS = 3_600_000;

let platform: BotApiServer;
let service: TestService;
let bot: TestBot;
let others: { stop(): Promise<void> }[];
/** Calls before the present test. */
let before: number;

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
  others = [];
  before = platform.calls.length;
});
afterEach(async () => {
  for (const other of others) await other.stop();
  platform.behave(() => undefined);
  expect(platform.mistakes).toEqual([]);
});

const calls = (): readonly Call[] => platform.calls.slice(before);
const some = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

/** The process as `projection list` shows it. */
async function listed() {
  const processes = await projectionStatus(service.database.pool, service.log, []);
  return processes.find(({ name }) => name === broadcastsProcess.name);
}

async function errorOf(id: number): Promise<string | null> {
  await service.projected();
  const { rows } = await service.database.pool.query<{ broadcast: string }>(
    `SELECT broadcast FROM ${firstSchema(broadcastsReadModel)}.broadcasts WHERE id = $1`,
    [id],
  );
  return JSON.parse(rows[0]!.broadcast).error;
}

longOnly(
  'a schedule is waited for; one that was due more than an hour ago when the service starts is missed, a later one is kept',
  async () => {
    const now = Date.now();
    const soon = await launch(service, bot, { chats: [1], date_send: now + 1500 });
    const tomorrow = await launch(service, bot, { chats: [1], date_send: now + 86_400_000 });
    await until(service, soon, hasEnded);
    expect(Date.now()).toBeGreaterThanOrEqual(now + 1500);
    expect(await sendingOf(service, tomorrow)).toMatchObject({ status: 1, count_delivered: 0 });

    // Activated three hours ago, for two hours ago and for half an hour ago.
    const ids: number[] = [];
    await service.restart(async () => {
      const log = await openPostgresLog({ connectionString: service.database.url, anyCategories: ANY_CATEGORIES });
      const then = { commands: { log, sources: { ...systemSources, now: () => now - 3 * HOUR_MS } } };
      ids.push(await launch(then, bot, { chats: [2], date_send: now - 2 * HOUR_MS }));
      ids.push(await launch(then, bot, { chats: [3], date_send: now - HOUR_MS / 2 }));
      await log.close();
    });
    const [missed, kept] = ids;
    expect(await until(service, missed!, hasEnded)).toMatchObject({ status: 5 });
    expect(await errorOf(missed!)).toBe('missed');
    expect(await until(service, kept!, hasEnded)).toMatchObject({ status: 3, count_delivered: 1 });
    expect(calls().map(({ chatId }) => chatId)).toEqual([1, 3]);
  },
);

test('the plan is checked again when sending starts', async () => {
  const id = await launch(service, bot, { chats: [1], date_send: Date.now() + 1000 });
  await changeOwner(service.commands, bot.ownerId, { plan: 'free' });
  expect(await until(service, id, hasEnded)).toMatchObject({ status: 5, count_recipients: 1 });
  expect(await errorOf(id)).toBe('premium plan required');
  expect(calls()).toEqual([]);
});

longOnly(
  'a service that stops releases the recipients that it has not begun to call; the next one resumes after a second',
  async () => {
    platform.behave(() => ({ delayMs: 50 }));
    const id = await launch(service, bot, { chats: some(300), cap: 60 });
    await until(service, id, ({ count_delivered }) => count_delivered > 30);
    let at: number[] = [];
    await service.restart(async () => {
      at = calls().map((call) => call.at);
    });
    expect(await until(service, id, hasEnded)).toMatchObject({ status: 3, count_delivered: 300, count_unknown: 0 });
    expect(calls()).toHaveLength(300);
    const first = calls()[at.length];
    expect(first!.at - at.at(-1)!).toBeGreaterThan(1000);
  },
);

longOnly('of several senders one sends for a bot, and another resumes when it stops', async () => {
  others.push(await startTestInstance({ ...service.env, ROLE: 'process' }));
  others.push(await startTestInstance({ ...service.env, ROLE: 'process' }));
  const id = await launch(service, bot, { chats: some(400), cap: 100 });
  await until(service, id, ({ count_delivered }) => count_delivered > 30);
  for (const other of others.splice(0)) {
    await other.stop();
    await pause(300);
  }
  expect(await until(service, id, hasEnded)).toMatchObject({ status: 3, count_delivered: 400 });
  expect(calls()).toHaveLength(400);
  expect((await recipientsOf(service, id)).every(({ state }) => state === 'delivered')).toBe(true);
});

longOnly(
  'a rate limit pauses the bot beyond the end of its broadcast, for another broadcast, a restart and another instance',
  async () => {
    const [limitedChat, seconds] = [1, 6];
    const anotherBot = await sendingBot(service);
    platform.behave(({ chatId }) =>
      chatId === limitedChat
        ? { error: { code: 429, description: 'Too Many Requests', parameters: { retry_after: seconds } } }
        : undefined,
    );
    const limited = await launch(service, bot, { chats: [limitedChat] });
    expect(await until(service, limited, hasEnded)).toMatchObject({ status: 4, paused_until: null });
    const ofAnother = await launch(service, anotherBot, { chats: [2] });
    const next = await launch(service, bot, { chats: [3] });
    const { paused_until } = await until(service, next, (sending) => sending.paused_until !== null);
    await until(service, ofAnother, hasEnded);

    others.push(await startTestInstance({ ...service.env, ROLE: 'process' }));
    await service.restart();
    expect(await until(service, next, hasEnded)).toMatchObject({ status: 3, count_delivered: 1, paused_until: null });
    expect(Date.now()).toBeGreaterThanOrEqual(paused_until!);
    const [first, second, third] = calls();
    expect([first, second, third].map((call) => call?.chatId)).toEqual([limitedChat, 2, 3]);
    expect(third!.at - first!.at).toBeGreaterThanOrEqual(seconds * 1000 - 10);
  },
);

longOnly(
  'a platform that answers only 502 does not cost the audience: the failure is shown and listed, and one recipient is tried',
  async () => {
    platform.behave(() => ({ raw: { status: 502, body: '<html>Bad Gateway' } }));
    const chats = some(200);
    const id = await launch(service, bot, { chats, cap: 50 });
    const { error } = await until(service, id, (sending) => sending.error !== null);
    expect(error).toMatch(
      /^the platform has given no usable answer since 20.*Z: the answer, HTTP 502, could not be read$/,
    );
    await expect.poll(listed).toMatchObject({ state: 'stopped', error: `bot ${bot.publicKey}: ${error}` });
    platform.behave(() => undefined);
    const end = await until(service, id, hasEnded);
    expect(end).toMatchObject({ status: 3, error: null });
    expect(end.count_unknown).toBeGreaterThanOrEqual(10);
    expect(end.count_unknown).toBeLessThan(100);
    expect(end.count_delivered).toBe(chats.length - end.count_unknown);
    expect(calls()).toHaveLength(chats.length);
    await expect.poll(listed).toMatchObject({ state: 'live', error: null });
  },
);

longOnly(
  'while the look-up of due broadcasts fails, broadcasts that are being sent continue, and later ones are sent once it works',
  async () => {
    const { pool } = service.database;
    const table = `${firstSchema(broadcastsReadModel)}.broadcasts`;
    const long = await launch(service, bot, { chats: some(300), cap: 10 });
    await until(service, long, ({ count_delivered }) => count_delivered > 5);
    await pool.query(`ALTER TABLE ${table} RENAME COLUMN due TO gone`);
    await expect
      .poll(listed)
      .toMatchObject({ state: 'stopped', error: 'what there is to send: column "due" does not exist' });
    const { count_delivered } = (await sendingOf(service, long))!;
    await until(service, long, (sending) => sending.count_delivered > count_delivered);
    await pool.query(`ALTER TABLE ${table} RENAME COLUMN gone TO due`);
    const later = await launch(service, await sendingBot(service), { chats: [1] });
    await until(service, later, hasEnded);
    await expect.poll(listed).toMatchObject({ state: 'live', error: null });
    expect(await sendingOf(service, long)).toMatchObject({ status: 2 });
    await cancelBroadcast(service.commands, { bot: bot.publicKey, ownerId: bot.ownerId, id: long }, {});
    await until(service, long, hasEnded);
  },
);

test('a cancellation waits for the answers to calls under way', async () => {
  platform.behave(() => ({ delayMs: 700 }));
  const id = await launch(service, bot, { chats: some(50), cap: 20 });
  while (calls().length === 0) await pause(10);
  await cancelBroadcast(service.commands, { bot: bot.publicKey, ownerId: bot.ownerId, id }, {});
  const end = await until(service, id, hasEnded);
  expect(end).toMatchObject({ status: 4, cancelled: true, count_not_delivered: 0 });
  // Each call has the platform's answer.
  expect(end.count_delivered).toBe(calls().length);
  expect(await sendingOf(service, id)).toMatchObject({ count_recipients: 50 });
});
