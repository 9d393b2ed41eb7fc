import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBroadcast } from '../../src/commands/broadcast/create-broadcast.ts';
import { createIdPool } from '../../src/commands/reserve-ids.ts';
import { DEFAULT_SETTINGS } from '../../src/domain/broadcast/settings.ts';
import { clicksReadModel } from '../../src/projections/clicks/read-model.ts';
import { type BotApiServer, startBotApi } from '../support/bot-api-server.ts';
import { hasEnded, sendingBot, until } from '../support/broadcasts.ts';
import { firstSchema } from '../support/read-model-tables.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type ServiceProcess, serviceProcess } from '../support/service-process.ts';

/** An instance that redirects clicks is killed with -9: clicks that it had recorded stay, and none counts twice. */

const PUBLIC_URL = 'https://go.example';
const TARGET = 'https://shop.example/';
const EACH = 10;

let platform: BotApiServer;
let service: TestService;
let api: ServiceProcess;
beforeAll(async () => {
  platform = await startBotApi();
  service = await startTestService({ TELEGRAM_API_ROOT: platform.root, PUBLIC_URL });
  api = await serviceProcess({ ...service.env, ROLE: 'api', LOG_LEVEL: 'info' });
});
afterAll(async () => {
  await api?.kill('SIGKILL', 'group');
  await service?.stop();
  await platform?.close();
});

it('a kill -9 loses only clicks that were not recorded yet, and the links still lead to their targets', async () => {
  const bot = await sendingBot(service);
  const chats = Array.from({ length: 3 * EACH }, (_, place) => place + 1);
  const message = { text: 'x', reply_markup: { inline_keyboard: [[{ text: 'Go', url: TARGET }]] } };
  const { broadcast } = await createBroadcast(
    service.commands,
    {
      ids: createIdPool(service.commands, 'broadcast'),
      bot: bot.publicKey,
      ownerId: bot.ownerId,
      type: 'sendMessage',
      content: {
        name: null,
        message,
        segmentations: JSON.stringify({ include: [{ type: 'list', config: { chat_ids: chats } }], exclude: [] }),
        settings: { ...DEFAULT_SETTINGS, intervalCap: 1000, track_clicks: true },
        date_send: null,
      },
      activate: () => undefined,
    },
    {},
  );
  await until(service, broadcast.id, hasEnded);
  const links = new Map(
    platform.calls.map(({ chatId, parameters }) => [chatId, /https:[^"]*/.exec(JSON.stringify(parameters))![0]]),
  );

  /** The recipients of a part click, one after the other. */
  async function click(part: number): Promise<void> {
    for (const chat of chats.slice(part * EACH, (part + 1) * EACH)) {
      const path = links.get(chat)!.slice(PUBLIC_URL.length);
      const answer = await fetch(api.address + path, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([302, TARGET]);
    }
  }
  /** How many clicks each recipient of a part has, without recipients that have none. */
  async function recorded(part: number): Promise<number[]> {
    await service.projected();
    const { rows } = await service.database.pool.query<{ clicks: number }>(
      `SELECT clicks FROM ${firstSchema(clicksReadModel)}.clicks WHERE broadcast_id = $1 AND place / $2::int = $3`,
      [broadcast.id, EACH, part],
    );
    return rows.map(({ clicks }) => clicks);
  }
  async function allRecorded(part: number): Promise<void> {
    for (let i = 0; i < 200 && (await recorded(part)).length < EACH; i++) await sleep(50);
    expect(await recorded(part)).toEqual(new Array(EACH).fill(1));
  }

  await api.start();
  await api.ready();
  await click(0);
  await allRecorded(0);
  await click(1);
  await api.kill('SIGKILL', 'group');
  await api.start();
  await api.ready();
  await click(2);
  await allRecorded(2);
  const lost = EACH - (await recorded(1)).length;
  expect(lost).toBeGreaterThanOrEqual(0);
  expect(await recorded(1)).toEqual(new Array(EACH - lost).fill(1));
  expect(await recorded(0)).toEqual(new Array(EACH).fill(1));
});
