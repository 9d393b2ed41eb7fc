import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeBot } from '../../src/commands/change-bot.ts';
import { createGoal } from '../../src/commands/create-goal.ts';
import { createUnit } from '../../src/commands/create-unit.ts';
import { issueKey } from '../../src/commands/issue-key.ts';
import { revokeKey } from '../../src/commands/revoke-key.ts';
import { setExchangeRates } from '../../src/commands/set-exchange-rates.ts';
import { pause } from '../../src/pause.ts';
import { type Answer, startTestInstance, type TestBot, type TestService } from '../support/service.ts';

type Answers = Readonly<Record<string, Pick<Answer, 'status' | 'body'>>>;

/** The log is the only truth: whoever drops the rest gets every answer back, ids included. The same on every engine. */
export function describeDroppedDatabase(start: () => Promise<TestService>): void {
  let service: TestService;
  let bot: TestBot;
  let free: TestBot;
  let revoked: string;

  beforeAll(async () => {
    service = await start();
    bot = await service.createBot({ timezone: 'Europe/Berlin' });
    free = await service.createBot({ plan: 'free', kind: 'service' });
    revoked = await fill(service, bot);
    await service.projected();
  });
  afterAll(() => service.stop());

  const ask = (address: string, path: string, key: string | null, body?: object, more: object = {}) =>
    request(address + path, { ...(key === null ? {} : { 'api-key': key }), ...more }, body);

  /** One answer of each kind: what is there, what is refused, and to whom. */
  async function answers(address: string): Promise<Answers> {
    const { apiKey } = bot;
    const event = { event: 'viewed', user_id: 0 };
    const questions: Record<string, () => Promise<Answer>> = {
      resources: () => ask(address, '/v1/reports/resources', apiKey),
      events: () => ask(address, '/v1/reports/events', apiKey),
      fields: () => ask(address, '/v1/reports/event-fields', apiKey),
      errors: () => ask(address, '/v1/bot-errors', apiKey),
      errorsOfAnother: () => ask(address, '/v1/bot-errors', free.apiKey),
      badEvent: () => ask(address, '/v1/send-event', apiKey, event),
      badTarget: () => ask(address, '/v1/send-target', apiKey, { target_id: 9, user_id: 1 }),
      noKey: () => ask(address, '/v1/reports/events', null),
      wrongKey: () => ask(address, '/v1/reports/events', `${apiKey}x`),
      revokedKey: () => ask(address, '/v1/reports/events', revoked),
      unknownBot: () => ask(address, '/v1/reports/events', apiKey, undefined, { 'resource-key': 'nobody' }),
      foreignBot: () => ask(address, '/v1/reports/events', apiKey, undefined, { 'resource-key': free.publicKey }),
      noPremium: () => ask(address, '/v1/reports/events', free.apiKey),
      wrongSecret: () => ask(address, `/v1/webhook/${bot.publicKey}`, null, { update_id: 1 }, secret('wrong')),
      rightSecret: () =>
        ask(address, `/v1/webhook/${bot.publicKey}`, null, { update_id: 1 }, secret(bot.webhookSecret)),
    };
    for (const [name, report_config] of Object.entries(reports()))
      questions[name] = () => ask(address, '/v1/reports/preview', apiKey, { report_config });
    const given: Record<string, Pick<Answer, 'status' | 'body'>> = {};
    for (const [name, question] of Object.entries(questions)) {
      const { status, body } = await question();
      given[name] = { status, body: timeless(body) };
    }
    return given;
  }

  describe('a database that is dropped', () => {
    let before: Answers;
    beforeAll(async () => {
      before = await answers(service.address);
    });

    test('answered all kinds of questions', () => {
      const statuses = Object.fromEntries(Object.entries(before).map(([name, { status }]) => [name, status]));
      expect(statuses).toEqual({
        ...Object.fromEntries(Object.keys(reports()).map((name) => [name, 200])),
        resources: 200,
        events: 200,
        fields: 200,
        errors: 200,
        errorsOfAnother: 200,
        badEvent: 400,
        badTarget: 400,
        noKey: 401,
        wrongKey: 401,
        revokedKey: 401,
        unknownBot: 404,
        foreignBot: 403,
        noPremium: 403,
        wrongSecret: 401,
        rightSecret: 200,
      });
      expect(before['errors']!.body.data.items.length).toBeGreaterThan(2);
      // EUR at 1.1: 19.99 ordered and a sale of 5.
      expect(before['amounts']!.body.data.columns[1].total).toBe(27.489);
    });

    test('is answered for with 503 alone until the catalog is back, and then as before', async () => {
      await service.restart(async () => {
        await service.dropPicture();
        const port = await freePort();
        const address = `http://127.0.0.1:${port}`;
        // Nobody projects: the catalog stays as empty as it is at the first moment of a replay.
        const api = startTestInstance({ ...service.env, ROLE: 'api', PORT: String(port) });
        await until(async () => (await fetch(`${address}/health`).catch(() => null))?.ok === true);
        const during = await answers(address);
        expect(new Set(Object.values(during).map(({ status }) => status))).toEqual(new Set([503]));
        const { status, headers } = await ask(address, '/v1/reports/events', 'nobody:wrong');
        expect([status, headers.get('retry-after')]).toEqual([503, '1']);
        expect((await fetch(`${address}/ready`)).status).toBe(503);

        const projector = await startTestInstance({ ...service.env, ROLE: 'projector' });
        await (await api).stop();
        await projector.stop();
      });
      await service.projected();
      expect(await answers(service.address)).toEqual(before);
    });

    test('goes on: ids continue where they were, and repeats are known', async () => {
      const key = { 'api-key': bot.apiKey };
      const eventsOf = async () =>
        (await service.get('/v1/reports/events', key)).body.data.items as { event_id: number; name: string }[];
      const known = await eventsOf();
      const again = { event: 'ordered', user_id: 1, event_key: 'order-1' };
      expect((await service.post('/v1/send-event', [again, { event: 'brand new', user_id: 1 }], key)).status).toBe(200);
      await service.projected();
      const now = await eventsOf();
      expect(now.map(({ event_id }) => event_id)).toEqual([
        ...known.map(({ event_id }) => event_id),
        Math.max(...known.map(({ event_id }) => event_id)) + 1,
      ]);
      const ordered = ({ name }: { name: string }): boolean => name === 'ordered';
      expect(now.find(ordered)).toEqual(known.find(ordered));
    });
  });
}

/** Users, visits, goals, units, rates, settings that change, errors that are resolved and some that are not. */
async function fill(service: TestService, bot: TestBot): Promise<string> {
  const { commands } = service;
  const key = { 'api-key': bot.apiKey };
  const send = async (path: string, body: unknown): Promise<void> => {
    expect((await service.post(`/v1/${path}`, body, key)).status).toBe(200);
  };
  await createGoal(commands, { bot: bot.publicKey, targetId: 5, name: 'Sign-up' });
  await createUnit(commands, { bot: bot.publicKey, code: 'GEM', name: 'Gems', scale: 1 });
  await setExchangeRates(commands, [{ from: 'EUR', to: 'USD', rate: '1.1', date: '2025-01-15' }]);
  for (const id of [1, 2, 3]) await send('send-update', { update: start(id, `utmsource-ads${id}`) });
  await send('send-event', [
    { event: 'ordered', user_id: 1, value_num: 1999, unit: 'EUR', date: '2026-03-01T10:00:00Z', event_key: 'order-1' },
    { event: 'ordered', user_id: 2, value_num: 25, unit: 'GEM', date: '2026-03-01T23:30:00Z' },
    { event: 'viewed', user_id: 3, category: 'hats', date: '2026-03-02T10:00:00Z' },
    { event: 'viewed', user_id: 404, date: '2026-03-02T10:00:00Z' },
  ]);
  await send('send-target', [
    { target_id: 1, user_id: 1, value: 5, unit: 'EUR', date: '2026-03-02T11:00:00.000Z' },
    { target_id: 5, user_id: 405, date: '2026-03-02T11:00:00.000Z' },
  ]);
  await changeBot(commands, bot.publicKey, { username: 'shop_bot', value_separator: 'is' });
  await send('send-update', { update: start(405, 'utmsourceismail') });
  const issued = await issueKey(commands, {
    ownerId: bot.ownerId,
    bots: 'all',
    kind: 'service',
    name: null,
    expiresAt: null,
  });
  await revokeKey(commands, { ownerId: bot.ownerId, keyId: issued.keyId });
  return issued.apiKey;
}

function start(id: number, payload: string): object {
  const from = { id, is_bot: false, first_name: `User ${id}` };
  const text = `/start ${payload}`;
  const entities = [{ type: 'bot_command', offset: 0, length: 6 }];
  const message = {
    message_id: 1,
    date: Date.UTC(2026, 1, 1) / 1000,
    chat: { id, type: 'private' },
    from,
    text,
    entities,
  };
  return { update_id: id, message };
}

function reports(): Readonly<Record<string, object>> {
  const metric = { type: 'trend', event_id: null, event_name: 'any' };
  const config = (type_chart: string, agr: object, more: object = {}): object => ({
    source_request: { type: 'trends', type_chart, requests: [{ ...metric, ...agr }], ...more },
    settings: { params: { ':date_from': '2026-02-01 00:00:00', ':date_to': '2026-03-05 00:00:00' } },
  });
  const amounts = { agr: 'property_sum', agr_field: 'events.value_amount' };
  return {
    totals: config('table', { agr: 'total' }),
    shares: config('table', { agr: 'median' }, { filters: ['!=', 'events.category', 'hats'] }),
    users: config('line', { agr: 'total_uniq_user_id' }, { granularity: 'week' }),
    sessions: config('line', { agr: 'total_uniq_session_id' }, { granularity: 'month' }),
    amounts: config('line', amounts, { granularity: 'month' }),
  };
}

/** Without what a report says of the moment at which it was made. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
function timeless(body: any): object {
  if (body.data?.meta === undefined) return body;
  const { data_as_of: _, lag_ms: __, ...meta } = body.data.meta;
  return { ...body, data: { ...body.data, meta } };
}

const secret = (token: string): object => ({ 'x-telegram-bot-api-secret-token': token });

async function request(url: string, headers: Record<string, string>, body?: object): Promise<Answer> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url, { ...init, headers: { ...headers, 'content-type': 'application/json' } });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(20);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
