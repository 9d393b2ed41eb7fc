import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** Every row of interface.md, "Errors / Intake (send-event)", and what decisions.md#envelopes and #intake add. */
let service: TestService;
let bot: TestBot;
let key: Record<string, string>;

beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot();
  key = { 'api-key': bot.apiKey };
});
afterAll(() => service.stop());

const valid = { event: 'paid', user_id: 7 };
const long = 'x'.repeat(251);

describe('send-event refuses with 400', () => {
  test.each<[string, unknown, string]>([
    ['a body that is not JSON', '{"event":', 'Body is not valid JSON'],
    ['an empty body', '', 'Body is not valid JSON'],
    ['a body that is no object', '"paid"', 'must be an object'],
    ['an empty array', [], '1 to 1000'],
    ['more than 1000 elements', Array(1001).fill(valid), '1 to 1000'],
    ['no event', { user_id: 7 }, 'is required (at event)'],
    ['an event that is not text', { ...valid, event: 5 }, 'must be a string (at event)'],
    ['an empty event', { ...valid, event: '' }, 'at least 1 character (at event)'],
    ['a long event', { ...valid, event: long }, 'at most 250 characters (at event)'],
    ['an event with U+0000', { ...valid, event: 'a\0b' }, 'U+0000'],
    ['an event with a lone surrogate', '{"event":"a\\ud800","user_id":7}', 'lone surrogate'],
    ['no user_id', { event: 'paid' }, 'is required (at user_id)'],
    ['a user_id that is no number', { ...valid, user_id: '7' }, 'positive integer below 2^53 (at user_id)'],
    ['a user_id of 0', { ...valid, user_id: 0 }, 'positive integer below 2^53 (at user_id)'],
    [
      'a user_id beyond 2^53',
      '{"event":"paid","user_id":9007199254740993}',
      'positive integer below 2^53 (at user_id)',
    ],
    ['a unit without value_num', { ...valid, unit: 'USD' }, 'unit needs value_num (at unit)'],
    ['a value_num that is no number', { ...valid, value_num: '5' }, 'must be a number (at value_num)'],
    ['a value_num beyond 10^15', { ...valid, value_num: 1e16 }, 'within 10^15'],
    ['a long unit', { ...valid, value_num: 1, unit: 'EURO' }, 'at most 3 characters (at unit)'],
    ['a value_str that is not text', { ...valid, value_str: 5 }, 'must be a string (at value_str)'],
    ['a long value_str', { ...valid, value_str: long }, 'at most 250 characters (at value_str)'],
    ['a category that is not text', { ...valid, category: {} }, 'must be a string (at category)'],
    ['a long category', { ...valid, category: long }, 'at most 250 characters (at category)'],
    ['a long webapp_name', { ...valid, webapp_name: long }, 'at most 250 characters (at webapp_name)'],
    ['a date that is none', { ...valid, date: 'yesterday' }, 'ISO 8601'],
    ['a day that does not exist', { ...valid, date: '2026-02-30T00:00:00Z' }, 'ISO 8601'],
    ['a date that is no text', { ...valid, date: 1767225600 }, 'must be a string (at date)'],
    ['a date over a day ahead', { ...valid, date: '2999-01-01T00:00:00Z' }, '24 hours in the future'],
    [
      'a date before 1970',
      { ...valid, date: '0000-01-01T00:00:00+23:59' },
      'must lie in the years 1970 to 2100 (at date)',
    ],
    ['a date before 1970 by its offset', { ...valid, date: '1970-01-01T00:00:00+00:01' }, 'years 1970 to 2100'],
    [
      'a unit that is longer in capitals',
      { ...valid, value_num: 1, unit: 'ßßß' },
      'letters A to Z and digits (at unit)',
    ],
    ['a long event_key', { ...valid, event_key: long }, 'at most 250 characters (at event_key)'],
    ['properties that are no object', { ...valid, properties: ['a'] }, 'must be an object (at properties)'],
    ['a nested property', { ...valid, properties: { a: { b: 1 } } }, 'or a boolean (at properties.a)'],
    ['a list as a property', { ...valid, properties: { plan: 'pro', a: [] } }, 'or a boolean (at properties.a)'],
    ['a property of a bad name', { ...valid, properties: { 'a b': 1 } }, '(at properties.a b)'],
    [
      'a property beyond 10^15',
      '{"event":"paid","user_id":7,"properties":{"a":12345678901234567}}',
      '(at properties.a)',
    ],
  ])('%s', async (_, body, message) => {
    const answer = await service.post('/v1/send-event', body, key);
    expect(answer).toMatchObject({ status: 400, body: { ok: false, error_code: 400 } });
    expect(answer.body.error).toContain(message);
  });

  test('a whole array for one bad element, and names the element', async () => {
    const before = await service.log.endCursor();
    const answer = await service.post('/v1/send-event', [valid, { ...valid, user_id: -1 }, { event: 5 }], key);
    expect(answer.status).toBe(400);
    expect(answer.body.details.map((detail: { path: string }) => detail.path)).toEqual([
      '1.user_id',
      '2.event',
      '2.user_id',
    ]);
    expect(await service.log.endCursor()).toEqual(before);
  });
});

describe('send-event accepts', () => {
  test.each<[string, unknown]>([
    ['one event', valid],
    ['an array', [valid, valid]],
    ['250 characters beyond the basic plane', { ...valid, event: '😀'.repeat(250) }],
    [
      'null for what is optional',
      { ...valid, value_num: null, unit: null, value_str: null, category: null, date: null },
    ],
    ['unknown fields', '{"event":"paid","user_id":7,"color":"red","__proto__":1}'],
    ['a value without a unit', { ...valid, value_num: 1.5 }],
    ['30 digits after the point', '{"event":"paid","user_id":7,"value_num":0.000000000000000000000000000001}'],
    ['a date without seconds or offset', { ...valid, date: '2026-01-31T12:00' }],
    ['a key in the body', { ...valid, 'api-key': 'BODY' }],
  ])('%s', async (_, body) => {
    const inBody = typeof body === 'object' && body !== null && 'api-key' in body;
    const answer = inBody
      ? await service.post('/v1/send-event', { ...body, 'api-key': bot.apiKey })
      : await service.post('/v1/send-event', body, key);
    expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    expect(Object.keys(answer.body)).toEqual(['ok']);
  });

  test('values and properties rounded to 30 digits after the point', async () => {
    const odd = 0.1 + 0.2 - 0.3; // 5.551115123125783e-17, which has 32
    const answer = await service.post(
      '/v1/send-event',
      [valid, { event: 'odd', user_id: 7, value_num: odd, properties: { odd, tiny: 1e-40 } }],
      key,
    );
    expect(answer.status).toBe(200);
    const { rows } = await service.database.pool.query<{ body: string }>(
      `SELECT body FROM log.commits WHERE body LIKE '%"tiny":{"number":"0"}%'`,
    );
    expect(rows).toHaveLength(1);
    const rounded = '0.000000000000000055511151231258';
    expect(rows[0]!.body).toContain(`"value":"${rounded}"`);
    expect(rows[0]!.body).toContain(`"odd":{"number":"${rounded}"}`);
  });

  test('values with all sent digits', async () => {
    await service.post(
      '/v1/send-event',
      '{"event":"digits","user_id":7,"value_num":123456789012345.123456789012345678}',
      key,
    );
    const { rows } = await service.database.pool.query<{ body: string }>(
      `SELECT body FROM log.commits WHERE body LIKE '%123456789012345.123456789012345678%'`,
    );
    expect(rows).toHaveLength(1);
  });
});

describe('send-target', () => {
  const goal = { target_id: 1, user_id: 7 };

  test('accepts the goal Sale', async () => {
    const dated = { ...goal, value: 19.99, unit: 'usd', date: '2026-01-31T12:00:00.000+03:00' };
    expect(await service.post('/v1/send-target', [goal, dated], key)).toMatchObject({
      status: 200,
      body: { ok: true },
    });
  });

  test.each<[string, unknown, Record<string, string[]>]>([
    ['an unknown goal', { ...goal, target_id: 5 }, { target_id: ['Unknown target_id'] }],
    ['an unknown goal in an array', [goal, { ...goal, target_id: 5 }], { '1.target_id': ['Unknown target_id'] }],
    ['every failing field', {}, { target_id: ['is required'], user_id: ['is required'] }],
    [
      'what two fields say together, too',
      { target_id: 'x', user_id: 7, value: 5 },
      { target_id: ['must be a positive integer below 2^53'], unit: ['is required with a value'] },
    ],
    [
      'an unknown goal with other mistakes',
      { target_id: 5 },
      { user_id: ['is required'], target_id: ['Unknown target_id'] },
    ],
    [
      'every failing field of every element',
      [goal, { target_id: 5 }, { ...goal, user_id: 'x' }, { ...goal, target_id: 6 }],
      {
        '1.user_id': ['is required'],
        '1.target_id': ['Unknown target_id'],
        '2.user_id': ['must be a positive integer below 2^53'],
        '3.target_id': ['Unknown target_id'],
      },
    ],
    [
      'a date outside the years 1970 to 2100',
      { ...goal, date: '1969-12-31T23:59:59.999Z' },
      { date: ['must lie in the years 1970 to 2100'] },
    ],
    ['a value without a unit', { ...goal, value: 5 }, { unit: ['is required with a value'] }],
    [
      'a date without milliseconds',
      { ...goal, date: '2026-01-31T12:00:00Z' },
      { date: ['must be an RFC 3339 date and time with milliseconds and an offset'] },
    ],
    [
      'a date without an offset',
      { ...goal, date: '2026-01-31T12:00:00.000' },
      { date: ['must be an RFC 3339 date and time with milliseconds and an offset'] },
    ],
  ])('names %s by field', async (_, body, error) => {
    const answer = await service.post('/v1/send-target', body, key);
    expect(answer).toMatchObject({ status: 400, body: { ok: false, error, error_code: 400 } });
  });

  test('answers errors without a field as text', async () => {
    const bad = await service.post('/v1/send-target', '{', key);
    expect(bad).toMatchObject({ status: 400, body: { error: 'Body is not valid JSON' } });
    const none = await service.post('/v1/send-target', [null], key);
    expect(none).toMatchObject({ status: 400, body: { error: 'must be an object (at 0)' } });
    const many = await service.post('/v1/send-target', Array(101).fill(goal), key);
    expect(many).toMatchObject({ status: 400, body: { error: 'send 1 to 100 elements, not 101' } });
  });
});

describe('an update of a date outside the years 1970 to 2100', () => {
  const update = (update_id: number, date: number) => ({
    update_id,
    message: { message_id: 1, date, chat: { id: 7, type: 'private' }, from: { id: 7, is_bot: false }, text: 'hi' },
  });

  test.each([-1, 4_133_980_800, 1e300])('is refused when a client forwards it: %d', async (date) => {
    const one = await service.post('/v1/send-update', { update: update(1, date) }, key);
    const path = 'update.message.date';
    const message = 'must lie in the years 1970 to 2100';
    expect(one).toMatchObject({ status: 400, body: { details: [{ path, message }] } });
    const batch = await service.post('/v1/send-batch-update', [{ update: update(1, date) }], key);
    expect(batch).toMatchObject({ status: 400, body: { details: [{ path: `0.${path}`, message }] } });
    const refused = await service.post('/v1/send-update', { date: '2101-01-01', update: { update_id: 1 } }, key);
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'date' }] } });
  });

  test('counts by its receipt when the platform sends it', async () => {
    const headers = { 'x-telegram-bot-api-secret-token': bot.webhookSecret };
    const sent = await service.post(`/v1/webhook/${bot.publicKey}`, update(77, -1), headers);
    expect(sent).toMatchObject({ status: 200, body: { ok: true } });
    const { rows } = await service.database.pool.query<{ body: string }>(
      `SELECT body FROM log.commits WHERE body LIKE '%"update_id":77%'`,
    );
    expect(rows).toHaveLength(1);
    expect(JSON.parse(rows[0]!.body).events[0].data.items[0]).not.toHaveProperty('date');
  });
});

describe('authentication, in its order', () => {
  test.each<[string, unknown, Record<string, string>]>([
    ['no key', valid, {}],
    ['no key and a body that is not JSON', '{', {}],
    ['no key and another media type', 'x', { 'content-type': 'text/plain' }],
    ['a wrong key', valid, { 'api-key': 'unknown:wrong' }],
    ['a wrong key and a wrong body', '{', { 'api-key': 'unknown:wrong' }],
  ])('401 for %s', async (_, body, headers) => {
    const answer = await service.post('/v1/send-event', body, headers);
    expect(answer).toMatchObject({ status: 401, body: { ok: false, error_code: 401 } });
  });

  test('401 for a wrong key before a right one in the body', async () => {
    const body = { ...valid, 'api-key': bot.apiKey };
    expect((await service.post('/v1/send-event', body)).status).toBe(200);
    expect((await service.post('/v1/send-event', body, { 'api-key': 'unknown:wrong' })).status).toBe(401);
  });

  test('checks the public part of a key too', async () => {
    const secret = bot.apiKey.split(':')[1];
    expect((await service.post('/v1/send-event', valid, { 'api-key': `other:${secret}` })).status).toBe(401);
  });

  test('names an empty resource key and a repeated parameter', async () => {
    const empty = await service.post('/v1/send-event', valid, { ...key, 'resource-key': '' });
    const message = 'is empty: name a bot, or leave it out';
    expect(empty).toMatchObject({ status: 400, body: { details: [{ path: 'resource_key', message }] } });
    for (const [path, query] of [
      ['resource_key', `resource_key=${bot.publicKey}&resource_key=${bot.publicKey}`],
      ['limit', 'limit=1&limit=2'],
      ['kind', 'kind=warning&kind=warning'],
    ]) {
      const twice = await service.get(`/v1/bot-errors?${query}`, key);
      const details = [{ path, message: 'is given more than once' }];
      expect(twice).toMatchObject({ status: 400, body: { details } });
    }
    const keys = await service.get('/v1/bot-errors?api-key=a&api-key=b');
    expect(keys).toMatchObject({ status: 401, body: { error: 'API key is given more than once' } });
    const inBody = await service.post('/v1/send-event', { ...valid, resource_key: ['a', 'b'] }, key);
    expect(inBody).toMatchObject({ status: 400, body: { error: 'resource_key must be a string' } });
  });

  test('OpenAPI lists every place of the keys', async () => {
    const { body } = await service.get('/openapi.json');
    const places = Object.values<{ in?: string; name?: string }>(body.components.securitySchemes);
    for (const [where, name] of [
      ['header', 'Api-Key'],
      ['query', 'api-key'],
      ['header', 'Resource-Key'],
      ['query', 'resource_key'],
    ])
      expect(places).toContainEqual(expect.objectContaining({ in: where, name }));
    expect(body.security).toContainEqual({ apiKeyInQuery: [], resourceKeyInQuery: [] });
    for (const said of ['`api-key`; the first', '`resource_key` in the body', 'broadcasts', 'referral'])
      expect(body.info.description).toContain(said);
  });

  test('413 before 401 without a key, 413 beyond 16 MiB with one', async () => {
    const half = { ...valid, pad: 'x'.repeat(1 << 19) };
    const large = JSON.stringify([half, half]);
    expect((await service.post('/v1/send-event', large)).status).toBe(413);
    expect((await service.post('/v1/send-event', large, key)).status).toBe(200);
    expect((await service.post('/v1/send-target', large, key)).status).toBe(413);
    for (const larger of [Array(32).fill(half), { ...half, more: half.pad }]) {
      const refused = await service.post('/v1/send-event', larger, key);
      expect(refused).toMatchObject({ status: 413, body: { ok: false, error_code: 413 } });
    }
  });

  test('415 for another media type, 404 for an unknown path, 405 for a wrong method', async () => {
    const text = await service.post('/v1/send-event', 'x', { ...key, 'content-type': 'text/plain' });
    expect(text).toMatchObject({ status: 415, body: { ok: false, error_code: 415 } });
    expect(await service.get('/v1/nothing')).toMatchObject({ status: 404, body: { ok: false, error_code: 404 } });
    const wrong = await service.get('/v1/send-event');
    expect(wrong).toMatchObject({ status: 405, body: { ok: false, error_code: 405 } });
    expect(wrong.headers.get('allow')).toBe('POST');
  });

  test.each<[string, unknown, number]>([
    ['gzip', gzipSync(JSON.stringify(valid)), 415],
    ['br', '{', 415],
    ['Identity', JSON.stringify(valid), 200],
  ])('a body with Content-Encoding: %s', async (encoding, body, status) => {
    const response = await fetch(`${service.address}/v1/send-event`, {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/json', 'content-encoding': encoding },
      body: body as string | Buffer<ArrayBuffer>,
    });
    expect(response.status).toBe(status);
    if (status === 415)
      expect(await response.json()).toMatchObject({ ok: false, error: expect.stringContaining('Content-Encoding') });
  });

  test('an unknown resource is 404, another owner’s 403, its own is fine', async () => {
    const other = await service.createBot();
    const named = (resource: string) => service.post('/v1/send-event', valid, { ...key, 'resource-key': resource });
    expect((await named('unknown')).status).toBe(404);
    expect((await named(other.publicKey)).status).toBe(403);
    expect((await named(bot.publicKey)).status).toBe(200);
  });
});
