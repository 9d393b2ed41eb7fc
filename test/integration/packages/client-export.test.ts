import { createClient, type ExportRow, PermissionError } from '@botledger/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** Exports through the client of JavaScript. */

let service: TestService;
let bot: TestBot;
const EVENTS = 2500;

beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot();
  const key = { 'api-key': bot.apiKey };
  const from = { id: 7, is_bot: false, first_name: 'Ada' };
  const date = Math.floor(Date.now() / 1000);
  const message = { message_id: 1, date, chat: { id: 7, type: 'private' }, from, text: 'hello' };
  await service.post('/v1/send-update', { update: { update_id: 1, message } }, key);
  const order = { event: 'order', user_id: 7, value_num: 123456789012.5, properties: { name: 'Ёж\n"x"' } };
  for (let i = 0; i < EVENTS; i += 500) await service.post('/v1/send-event', Array(500).fill(order), key);
  await service.projected();
});
afterAll(() => service.stop());

async function all(rows: AsyncIterable<ExportRow>): Promise<ExportRow[]> {
  const found: ExportRow[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

it('reads each row of an export, and stops early', async () => {
  const client = createClient({ baseUrl: service.address, apiKey: bot.apiKey });
  const rows = await all(client.exportRows('events'));
  expect(rows.filter(({ event_name }) => event_name === 'order')).toHaveLength(EVENTS);
  expect(rows.at(-1)).toMatchObject({ user_id: 7, event_name: 'order' });
  expect(JSON.stringify(rows.at(-1))).toContain('Ёж');
  for await (const row of client.exportRows('users')) {
    expect(row).toMatchObject({ user_id: 7 });
    break;
  }
  expect(await all(client.exportRows('events', { from: '2020-01-01', to: '2020-01-02' }))).toEqual([]);
});

it('refuses what the service refuses, and says that an export did not come to its end', async () => {
  const wrong = createClient({ baseUrl: service.address, apiKey: 'a:b' });
  await expect(all(wrong.exportRows('events'))).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 });
  const free = await service.createBot({ kind: 'service' });
  const client = createClient({ baseUrl: service.address, apiKey: free.apiKey });
  await expect(all(client.exportRows('events'))).rejects.toBeInstanceOf(PermissionError);

  const cut = async (text: string, fail: boolean): Promise<Response> => {
    const bytes = new TextEncoder().encode(text);
    const body = new ReadableStream({
      pull(controller) {
        if (fail) controller.error(new Error('reset'));
        else controller.close();
      },
      start: (controller) => controller.enqueue(bytes),
    });
    return new Response(body);
  };
  for (const [text, fail, name] of [
    ['{"a":1}\n{"a":', false, 'ServerError'],
    ['{"a":1}\n', true, 'ConnectionError'],
  ] as const) {
    const broken = createClient({ baseUrl: service.address, apiKey: 'a:b', fetch: () => cut(text, fail) });
    const rows = broken.exportRows('events');
    expect((await rows.next()).value).toEqual({ a: 1 });
    await expect(rows.next()).rejects.toMatchObject({ name });
  }
});
