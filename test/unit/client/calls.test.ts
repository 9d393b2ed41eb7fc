import { ConnectionError, createClient, ServerError } from '@botledger/client';
import { describe, expect, it } from 'vitest';
import { refusal, scriptedClient } from '../../support/scripted-client.ts';

const LOST = new TypeError('fetch failed');
const UNKNOWN = refusal(500, 'outcome unknown, repeat with the same Idempotency-Key');
const IN_PROGRESS = refusal(409, 'a request with this Idempotency-Key is being worked on');

const HTML = { 'content-type': 'text/html' };
/** Answers that leave the outcome open: of something before the service, or not whole. */
const BROKEN = [
  ['a 502 of a proxy', { status: 502, headers: HTML, body: '<h1>Bad Gateway</h1>' }],
  ['a 504 of a proxy', { status: 504, headers: HTML, body: '<h1>Gateway Timeout</h1>' }],
  ['a plain 500', { status: 500, headers: HTML, body: 'Internal Server Error' }],
  ['an internal error', refusal(500, 'internal error')],
  ['a 502 in the form of another service', { status: 502, body: { error: { code: 502 } } }],
  ['a 520 of a proxy', { status: 520, body: '' }],
  ['a 408', refusal(408, 'the body came too slowly')],
  ['a 200 that is cut', { body: '{"ok":true,"data":{"payout_' }],
  ['a 200 that is empty', { body: '' }],
  ['a 200 that is no JSON', { headers: HTML, body: '<h1>Log in</h1>' }],
  ['a 200 that is null', { body: 'null' }],
  ['a 200 in the form of another service', { body: { status: 'fine' } }],
] as const;

describe('a call', () => {
  it('has the key, the resource, the query and the body, and gives the data of the answer', async () => {
    const { client, sent, answer } = scriptedClient({ resourceKey: 'bot' });
    answer(
      { body: { ok: true, data: { codes: [], total_referrals: 3 } } },
      { body: { ok: true, data: { code: 'x' } } },
    );
    expect(await client.get('/v1/referral/codes', { user_id: 7 })).toEqual({ codes: [], total_referrals: 3 });
    expect(await client.post('/v1/referral/create-code', { user_id: 7 })).toEqual({ code: 'x' });
    const [read, acted] = sent;
    expect(read).toMatchObject({ method: 'GET', url: 'http://service.test/v1/referral/codes?user_id=7', body: '' });
    expect(acted).toMatchObject({ method: 'POST', url: 'http://service.test/v1/referral/create-code' });
    expect(JSON.parse(acted!.body)).toEqual({ user_id: 7 });
    expect(acted!.headers.get('content-type')).toBe('application/json');
    for (const { headers } of sent) {
      expect(headers.get('api-key')).toBe('bot:secret');
      expect(headers.get('resource-key')).toBe('bot');
    }
  });

  it('of an address below a path keeps the path, and encodes names with brackets', async () => {
    const { client, sent } = scriptedClient({ baseUrl: 'http://service.test/botledger/' });
    await client.get('/v1/broadcast/list', { 'filters[name]': 'spring & summer' });
    const { pathname, searchParams } = new URL(sent[0]!.url);
    expect(pathname).toBe('/botledger/v1/broadcast/list');
    expect(searchParams.get('filters[name]')).toBe('spring & summer');
  });

  it('gives undefined where the answer has no data, text for CSV, and the whole answer on demand', async () => {
    const { client, sent, answer } = scriptedClient();
    expect(await client.post('/v1/send-event', { event: 'x', user_id: 1 })).toBeUndefined();
    answer({ headers: { 'content-type': 'text/csv; charset=utf-8' }, body: 'chat_id\n1\n' });
    expect(await client.csv('/v1/broadcast/recipients', { id: 1 })).toBe('chat_id\n1\n');
    answer({ headers: { 'content-type': 'text/csv; charset=utf-8' }, body: 'date,orders\n' });
    expect(await client.csv('/v1/reports/run', { uuid: 'u' })).toBe('date,orders\n');
    expect(sent.slice(-2)).toMatchObject([
      { method: 'GET', url: 'http://service.test/v1/broadcast/recipients?id=1&format=csv' },
      { method: 'POST', body: '{"uuid":"u","format":"csv"}' },
    ]);
    answer({ body: { ok: true, data: { payout_id: 1, payout_ids: [1] }, lagging: true } });
    expect(await client.answer('/v1/referral/payout', { user_id: 1 })).toMatchObject({ lagging: true });
  });

  it('that asks for a receipt gives it, and else sends no such header', async () => {
    const { client, sent, answer } = scriptedClient();
    answer({ body: { ok: true, receipt: 'note' } }, { body: { ok: true, receipt: null } }, { body: { ok: true } });
    const receipt: string | null = await client.intake.sendEvent({ event: 'x', user_id: 1 }, { receipt: 'signed' });
    expect(receipt).toBe('note');
    expect(await client.post('/v1/send-update', { update: { update_id: 1 } }, { receipt: 'signed' })).toBeNull();
    expect(await client.intake.sendEvent({ event: 'x', user_id: 1 })).toBeUndefined();
    expect(sent.map(({ headers }) => headers.get('receipt'))).toEqual(['signed', 'signed', null]);
  });

  it('with an address or a key that cannot be sent is refused before the first call', () => {
    expect(() => createClient({ baseUrl: 'no address', apiKey: 'a:b' })).toThrow(TypeError);
    expect(() => createClient({ baseUrl: 'http://service.test', apiKey: 'a\nb' })).toThrow(TypeError);
  });
});

it.each([
  [{ apiKey: undefined }, 'apiKey must be a text'],
  [{ apiKey: '' }, 'apiKey must be a text'],
  [{ apiKey: 7 }, 'apiKey must be a text'],
  [{ baseUrl: undefined }, 'baseUrl must be a text'],
  [{ baseUrl: 'ftp://service.test' }, 'baseUrl must begin with http:// or https://'],
  [{ resourceKey: null }, 'resourceKey must be a text'],
  [{ maxRetries: -1 }, 'maxRetries must be 0 or more'],
  [{ maxRetries: Number.NaN }, 'maxRetries must be 0 or more'],
  [{ timeoutMs: 0 }, 'timeoutMs must be from 1 to 2147483647'],
  [{ timeoutMs: 2 ** 31 }, 'timeoutMs must be from 1 to 2147483647'],
])('a client with %o is refused', (options, message) => {
  expect(() => scriptedClient(options as never)).toThrow(message);
});

it('a body that JSON cannot hold is refused before the call', async () => {
  const { client, sent } = scriptedClient();
  const body = { event: 'x', user_id: 1, value_num: Number.NaN };
  const failed = client.post('/v1/send-event', [body]);
  await expect(failed).rejects.toThrow('must be a finite number, not NaN (at 0.value_num)');
  expect(sent).toEqual([]);
});

describe('a call is repeated', () => {
  it.each([
    ['a failed connection', LOST],
    ['429', refusal(429, 'too many requests with this key')],
    ['503', refusal(503, 'the log is not available, try again')],
    ['an unknown outcome', UNKNOWN],
    ['a conflict with itself', IN_PROGRESS],
  ])('after %s: twice, with the same key and bytes', async (_, failure) => {
    const { client, sent, waits, answer } = scriptedClient();
    answer(failure, failure, { body: { ok: true, data: { payout_id: 4, payout_ids: [4] } } });
    expect(await client.post('/v1/referral/payout', { user_id: 1 })).toMatchObject({ payout_id: 4 });
    expect(sent.map(({ headers, body }) => [headers.get('idempotency-key'), body])).toEqual(
      Array.from({ length: 3 }, () => ['key 1', '{"user_id":1}']),
    );
    expect(waits).toEqual([500 * 0.75, 1000 * 0.75]);
  });

  it.each(BROKEN)('after %s: twice, with the same key and bytes', async (_, failure) => {
    const { client, sent, answer } = scriptedClient();
    answer(failure, failure, { body: { ok: true, data: { payout_id: 4, payout_ids: [4] } } });
    expect(await client.post('/v1/referral/payout', { user_id: 1 })).toMatchObject({ payout_id: 4 });
    expect(sent.map(({ headers, body }) => [headers.get('idempotency-key'), body])).toEqual(
      Array.from({ length: 3 }, () => ['key 1', '{"user_id":1}']),
    );
  });

  it.each(BROKEN)('never after %s, if it takes no key and acts', async (_, failure) => {
    const { client, sent, answer } = scriptedClient();
    answer(failure);
    const message = { type: 'sendMessage', message: { text: 'Hello' }, chat_id: 1 } as const;
    await expect(client.post('/v1/broadcast/test-send', message)).rejects.toBeInstanceOf(ServerError);
    expect(sent).toHaveLength(1);
  });

  it('no more often than the options say, and the error has the key of the call', async () => {
    const { client, sent, answer } = scriptedClient();
    answer(LOST, LOST, LOST, LOST);
    const failed = client.post('/v1/referral/payout', { user_id: 1 });
    await expect(failed).rejects.toThrow(ConnectionError);
    await expect(failed).rejects.toMatchObject({ status: null, idempotencyKey: 'key 1', cause: LOST });
    expect(sent).toHaveLength(3);
    await expect(client.get('/v1/reports/events', {}, { maxRetries: 0 })).rejects.toThrow(ConnectionError);
    expect(sent).toHaveLength(4);
  });

  it('not after an answer that stays the same', async () => {
    for (const status of [302, 400, 401, 403, 404, 409, 413, 415, 422, 502]) {
      const { client, sent, answer } = scriptedClient();
      answer(refusal(status, 'no'));
      await expect(client.post('/v1/referral/payout', { user_id: 1 })).rejects.toMatchObject({ status });
      expect(sent).toHaveLength(1);
    }
  });

  it('with waits that grow to 8 s, each cut by at most a half', async () => {
    for (const random of [0, 0.999_999]) {
      const { client, waits, answer } = scriptedClient({ maxRetries: 6, random: () => random });
      answer(...Array.from({ length: 6 }, () => LOST));
      await client.get('/v1/reports/events');
      const factor = 0.5 + random / 2;
      expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 8000].map((ms) => ms * factor));
    }
  });

  it('after the time that the service asks for: seconds or a date, at most a minute', async () => {
    const { client, sent, waits, answer } = scriptedClient();
    answer(
      refusal(503, 'busy', { headers: { 'retry-after': '3' } }),
      refusal(503, 'busy', { headers: { 'retry-after': 'Thu, 15 Jan 2026 00:00:10 GMT' } }),
    );
    await client.get('/v1/reports/events');
    expect(waits).toEqual([3000, 7000]);
    answer(refusal(503, 'maintenance', { headers: { 'retry-after': '61' } }));
    await expect(client.get('/v1/reports/events')).rejects.toMatchObject({ status: 503, retryAfterMs: 61_000 });
    expect(sent).toHaveLength(4);
  });

  it('only after 429 and 503, if it sends a message each time', async () => {
    const { client, sent, answer } = scriptedClient();
    const message = { type: 'sendMessage', message: { text: 'Hello' }, chat_id: 1 } as const;
    answer(refusal(503, 'busy'), LOST);
    await expect(client.post('/v1/broadcast/test-send', message)).rejects.toThrow(ConnectionError);
    expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual([null, null]);
  });

  it('not after the caller ended it, also during a wait', async () => {
    const stop = new AbortController();
    const reason = new Error('the user has left');
    const { client, sent, answer } = scriptedClient({
      sleep: async (_, signal) => {
        stop.abort(reason);
        signal!.throwIfAborted();
      },
    });
    answer(LOST);
    await expect(client.get('/v1/reports/events', {}, { signal: stop.signal })).rejects.toBe(reason);
    expect(sent).toHaveLength(1);
    await expect(client.get('/v1/reports/events', {}, { signal: stop.signal })).rejects.toBe(reason);
    expect(sent).toHaveLength(1);
  });
});

describe('an attempt without an answer', () => {
  it('ends in time', async () => {
    // A request that nothing holds is collected with its signal, which then never aborts.
    const held: Request[] = [];
    const hanging = (request: Request): Promise<Response> =>
      new Promise((_, reject) => {
        held.push(request);
        request.signal.addEventListener('abort', () => reject(request.signal.reason));
      });
    const { client } = scriptedClient({ fetch: hanging, timeoutMs: 20, maxRetries: 1 });
    await expect(client.get('/v1/reports/events')).rejects.toMatchObject({
      name: 'ConnectionError',
      message: 'no answer within 20 ms',
    });
  });
});

describe('the key of a call', () => {
  it('is the caller’s, if given, else a new one for each call that changes something', async () => {
    const { client, sent } = scriptedClient();
    await client.post('/v1/referral/payout', { user_id: 1 }, { idempotencyKey: 'payout 7' });
    await client.post('/v1/referral/payout', { user_id: 1 });
    await client.post('/v1/send-event', { event: 'x', user_id: 1 });
    await client.get('/v1/referral/create-code', { user_id: 1 });
    await client.get('/v1/referral/codes', { user_id: 1 });
    expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual([
      'payout 7',
      'key 1',
      'key 2',
      'key 3',
      null,
    ]);
  });

  it('by default is random', async () => {
    const sent: string[] = [];
    const fetch = async (request: Request): Promise<Response> => {
      sent.push(request.headers.get('idempotency-key')!);
      return Response.json({ ok: true });
    };
    const client = createClient({ baseUrl: 'http://service.test', apiKey: 'a:b', fetch });
    for (let n = 0; n < 2; n++) await client.post('/v1/send-event', { event: 'x', user_id: 1 });
    expect(sent[0]).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(new Set(sent).size).toBe(2);
  });
});
