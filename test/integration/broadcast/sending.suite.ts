import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { activateBroadcast, cancelBroadcast } from '../../../src/commands/broadcast/activation.ts';
import { broadcastsProcess } from '../../../src/processes/broadcasts/broadcast-process.ts';
import { referralReadModel } from '../../../src/projections/referral/read-model.ts';
import { projectionStatus } from '../../../src/projections/runtime/status.ts';
import { type Behaviour, type BotApiServer, type Call, startBotApi } from '../../support/bot-api-server.ts';
import { hasEnded, launch, meet, recipientsOf, sendingBot, statusOf, until } from '../../support/broadcasts.ts';
import { firstSchema } from '../../support/read-model-tables.ts';
import type { TestBot, TestService } from '../../support/service.ts';

/** Sending on every engine of the log: each recipient is called once, and the counts add up. */
export function describeSending(start: (env: Record<string, string>) => Promise<TestService>): void {
  let platform: BotApiServer;
  let service: TestService;
  let bot: TestBot;
  beforeAll(async () => {
    platform = await startBotApi();
    service = await start({ TELEGRAM_API_ROOT: platform.root });
    bot = await sendingBot(service);
  });
  afterAll(async () => {
    await service?.stop();
    await platform?.close();
  });
  afterEach(() => {
    platform.behave(() => undefined);
    expect(platform.mistakes).toEqual([]);
  });

  const chatsOf = (calls: readonly Call[]): number[] => calls.map(({ chatId }) => chatId).sort((a, b) => a - b);
  const some = (count: number, from = 1): number[] => Array.from({ length: count }, (_, i) => from + i);
  const refused = (code: number, description: string, parameters?: object): Behaviour => ({
    error: { code, description, ...(parameters && { parameters }) },
  });

  test('each recipient is called once, whatever the platform answers', async () => {
    const [limited, blocked, becomes, became] = [25, 40, -1001, -3];
    await meet(service, bot, [blocked]);
    let limits = 0;
    platform.behave(({ chatId }) => {
      if (chatId === limited && limits++ === 0) return refused(429, 'Too Many Requests', { retry_after: 1 });
      if (chatId === blocked) return refused(403, 'Forbidden: bot was blocked by the user');
      if (chatId === -1) return refused(400, 'group upgraded', { migrate_to_chat_id: becomes });
      if (chatId === -2) return refused(400, 'group upgraded', { migrate_to_chat_id: became });
      return undefined;
    });
    const chats = [became, -2, -1, ...some(200)];
    const id = await launch(service, bot, { chats, onLimit: { stop: false } });
    expect(await until(service, id, hasEnded)).toMatchObject({
      status: 3,
      count_recipients: chats.length,
      count_delivered: chats.length - 2,
      count_unknown: 0,
    });
    expect(chatsOf(platform.calls)).toEqual([becomes, ...chats, limited].sort((a, b) => a - b));
    const failed = (await recipientsOf(service, id)).filter(({ state }) => state !== 'delivered');
    expect(failed).toEqual([
      { chat_id: -2, state: 'not_delivered', reason: 'migrated' },
      { chat_id: blocked, state: 'not_delivered', reason: 'Forbidden: bot was blocked by the user' },
    ]);
    await service.projected();
    expect(await statusOf(service, blocked)).toBe('blocked');
  });

  test('each recipient is called once across a cancellation, a relaunch and a restart', async () => {
    const before = platform.calls.length;
    const chats = some(300, 1001);
    const calls = () => platform.calls.slice(before);
    platform.behave(() => ({ delayMs: 30 }));
    const id = await launch(service, bot, { chats, cap: 60 });
    await until(service, id, ({ count_delivered }) => count_delivered > 20);
    const { publicKey, ownerId } = bot;
    await cancelBroadcast(service.commands, { bot: publicKey, ownerId, id }, {});
    const cancelled = await until(service, id, hasEnded);
    expect(cancelled).toMatchObject({ status: 4, cancelled: true, count_not_delivered: 0 });
    expect(cancelled.count_delivered).toBe(calls().length);

    await activateBroadcast(service.commands, { bot: publicKey, id, ownerId, changes: {}, ready: () => undefined }, {});
    await until(service, id, ({ count_delivered }) => count_delivered > cancelled.count_delivered + 20);
    await service.restart();
    expect(await until(service, id, ({ status }) => status === 3)).toMatchObject({ count_delivered: chats.length });
    expect(chatsOf(calls())).toEqual(chats);
    expect((await recipientsOf(service, id)).every(({ state }) => state === 'delivered')).toBe(true);
  });

  test('an unexpected error of the database is listed, and sending resumes when it is over', async () => {
    const before = platform.calls.length;
    const { pool } = service.database;
    const referrals = `${firstSchema(referralReadModel)}.referrals`;
    const listed = async () => {
      const processes = await projectionStatus(pool, service.log, []);
      return processes.find(({ name }) => name === broadcastsProcess.name);
    };
    const chats = some(50, 2001);
    await pool.query(`ALTER TABLE ${referrals} RENAME TO gone`);
    const id = await launch(service, bot, { chats, message: { text: 'Hi {{ user.first_name }}!' } });
    expect((await until(service, id, ({ error }) => error !== null)).error).toMatch(/^the service has failed/);
    await expect
      .poll(listed)
      .toMatchObject({ state: 'stopped', error: `broadcast ${id}: relation "${referrals}" does not exist` });
    expect(platform.calls).toHaveLength(before);

    await pool.query(`ALTER TABLE ${firstSchema(referralReadModel)}.gone RENAME TO referrals`);
    const end = await until(service, id, hasEnded);
    expect(end).toMatchObject({ status: 3, count_delivered: chats.length, count_unknown: 0, error: null });
    expect(chatsOf(platform.calls.slice(before))).toEqual(chats);
    await expect.poll(listed).toMatchObject({ state: 'live', error: null });
  });
}
