import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAll } from '../../support/log.ts';
import type { TestBot, TestService } from '../../support/service.ts';

/** The first day of a bot's owner: sends updates and events, reads numbers. It runs on every engine of the log. */
export function describeIntakeFlow(start: () => Promise<TestService>): void {
  let service: TestService;
  let bot: TestBot;
  let key: Record<string, string>;

  beforeAll(async () => {
    service = await start();
    bot = await service.createBot();
    key = { 'api-key': bot.apiKey };
  });
  afterAll(() => service.stop());

  let lastUpdate = 0;
  const seconds = () => Math.floor(Date.now() / 1000);
  const from = (id: number) => ({
    id,
    is_bot: false,
    first_name: `User ${id}`,
    username: `u${id}`,
    language_code: 'en',
  });
  const chat = (id: number) => ({ id, type: 'private' });
  const update = (fields: object) => ({ update_id: ++lastUpdate, ...fields });
  const message = (id: number, fields: object) =>
    update({ message: { message_id: 1, date: seconds(), chat: chat(id), from: from(id), ...fields } });
  const command = (id: number, text: string) =>
    message(id, { text, entities: [{ type: 'bot_command', offset: 0, length: text.split(' ', 1)[0]!.length }] });

  async function eventCounts(): Promise<Record<string, number>> {
    await service.projected();
    const { body } = await service.get('/v1/reports/events', key);
    return Object.fromEntries(body.data.items.map((item: { name: string; count: number }) => [item.name, item.count]));
  }

  test('an update stream makes users, visits and system events', async () => {
    const stream = [
      command(1, '/start utmsource-ads_utmcampaign-may'),
      command(1, '/help'),
      message(1, { text: 'a secret message' }),
      update({
        callback_query: {
          id: '1',
          from: from(1),
          chat_instance: '1',
          data: 'buy',
          message: { message_id: 1, date: seconds(), chat: chat(1) },
        },
      }),
      message(2, { successful_payment: { currency: 'USD', total_amount: 1999, invoice_payload: 'x' } }),
      message(2, { web_app_data: { data: '{}', button_text: 'Open' } }),
      update({
        my_chat_member: {
          chat: chat(2),
          from: from(2),
          date: seconds(),
          old_chat_member: { status: 'member' },
          new_chat_member: { status: 'kicked' },
        },
      }),
    ];
    for (const each of stream) expect((await service.post('/v1/send-update', { update: each }, key)).status).toBe(200);
    expect(await eventCounts()).toMatchObject({
      start: 1,
      command: 1,
      message: 1,
      callback: 1,
      payment: 1,
      webapp_data: 1,
      block: 1,
      unblock: 0,
      Sale: 0,
    });
  });

  test('a repeated update is harmless, and message texts are not kept', async () => {
    const again = message(1, { text: 'another secret message' });
    const before = await eventCounts();
    await service.post('/v1/send-batch-update', [{ update: again }, { update: again }], key);
    await service.post('/v1/send-update', { update: again }, key);
    expect((await eventCounts())['message']).toBe(before['message']! + 1);
    const kept = await readAll(service.log, { categories: ['intake'] });
    expect(JSON.stringify(kept)).not.toContain('secret message');
  });

  test('the webhook accepts the platform’s calls only with the right secret', async () => {
    const path = `/v1/webhook/${bot.publicKey}`;
    const secret = { 'x-telegram-bot-api-secret-token': bot.webhookSecret };
    const body = command(3, '/start friend');
    expect((await service.post(path, body, secret)).status).toBe(200);
    expect((await service.post(path, body, { 'x-telegram-bot-api-secret-token': 'wrong' })).status).toBe(401);
    expect((await service.post(path, body)).status).toBe(401);
    expect((await service.post('/v1/webhook/unknown', body, secret)).status).toBe(401);
    expect((await service.post(path, { update_id: 99_999, something_new: {} }, secret)).status).toBe(200);
    expect((await service.post(path, {}, secret)).status).toBe(400);
  });

  test('events count in a report; those of unknown users are bot errors until the user appears', async () => {
    const goal = { target_id: 1, user_id: 77, value: 19.99, unit: 'USD' };
    await service.post(
      '/v1/send-event',
      [
        { event: 'paid', user_id: 1 },
        { event: 'paid', user_id: 77 },
      ],
      key,
    );
    await service.post('/v1/send-target', goal, key);
    expect(await eventCounts()).toMatchObject({ paid: 1, Sale: 0 });
    const errors = (await service.get('/v1/bot-errors', key)).body.data.items;
    expect(errors).toMatchObject([
      { source: 'send-target', kind: 'unknown_user', message: 'User with id 77 was not found', resolved_at: null },
      { source: 'send-event', kind: 'unknown_user', message: 'User with id 77 was not found', resolved_at: null },
    ]);

    await service.post('/v1/send-update', { update: message(77, { text: 'hi' }) }, key);
    expect(await eventCounts()).toMatchObject({ paid: 2, Sale: 1 });
    const resolved = (await service.get('/v1/bot-errors?kind=unknown_user', key)).body.data.items;
    expect(resolved.every((error: { resolved_at: string | null }) => error.resolved_at !== null)).toBe(true);
  });

  test('an event_key counts once', async () => {
    const order = { event: 'order', user_id: 1, event_key: 'order-1' };
    await service.post('/v1/send-event', [order, order], key);
    await service.post('/v1/send-event', order, key);
    expect((await eventCounts())['order']).toBe(1);
  });

  test('bot-errors clamps its limit, and refuses a limit that is no number and an unknown kind', async () => {
    expect((await service.get('/v1/bot-errors?limit=100000&offset=-5', key)).status).toBe(200);
    expect((await service.get('/v1/bot-errors?limit=ten', key)).status).toBe(400);
    const kind = await service.get('/v1/bot-errors?kind=odd', key);
    expect(kind).toMatchObject({
      status: 400,
      body: { details: [{ path: 'kind', allowed: ['unknown_user', 'warning', 'property_limit'] }] },
    });
  });

  test('the preview counts the sent events', async () => {
    const day = new Date().toISOString().slice(0, 10);
    const items = (await service.get('/v1/reports/events', key)).body.data.items;
    const paid = items.find((item: { name: string }) => item.name === 'paid').event_id;
    const metric = { type: 'trend', event_id: paid, event_name: 'paid' };
    const report_config = {
      source_request: {
        type: 'trends',
        type_chart: 'table',
        requests: [
          { ...metric, agr: 'total' },
          { ...metric, agr: 'total_uniq' },
        ],
      },
      settings: { params: { ':date_from': `${day} 00:00:00`, ':date_to': `${day} 23:59:59` } },
    };
    const answer = await service.post('/v1/reports/preview', { report_config }, key);
    expect(answer.body).toMatchObject({ ok: true, data: { rows: [{ value: 2 }, { value: 2 }] } });
  });

  test('an answer names the users that the bot has not met, if the request asks for them', async () => {
    await service.post('/v1/send-update', { update: message(901, { text: 'hi' }) }, key);
    const ask = (path: string, body: unknown) => service.post(`${path}?report=unknown_users`, body, key);
    const events = [903, 901, 902, 903].map((user_id) => ({ event: 'order', user_id }));
    const { body } = await ask('/v1/send-event', events);
    expect(body).toEqual({ ok: true, unknown_users: [902, 903], data_as_of: expect.stringMatching(/^\d{4}-/) });
    expect((await ask('/v1/send-event', { event: 'order', user_id: 901 })).body.unknown_users).toEqual([]);
    expect((await service.post('/v1/send-event', events, key)).body).toEqual({ ok: true });
    const wrong = await service.post('/v1/send-event?report=users', events, key);
    expect(wrong).toMatchObject({ status: 400, body: { ok: false } });
    const repeated = { ...key, 'idempotency-key': 'report' };
    const path = '/v1/send-event?report=unknown_users';
    for (let i = 0; i < 2; i++)
      expect((await service.post(path, { event: 'order', user_id: 904 }, repeated)).body.unknown_users).toEqual([904]);
  });
}
