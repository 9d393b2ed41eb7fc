import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** Rate limits of a caller (decisions.md#rate-limits), and refusals that come before there is a request. */
const FAILURES = 3;
const RATE = 5;
const valid = { event: 'paid', user_id: 7 };

let service: TestService;
let bot: TestBot;

beforeAll(async () => {
  service = await startTestService({
    AUTH_FAILURES_PER_MINUTE: String(FAILURES),
    RATE_LIMIT_PER_KEY: String(RATE),
    TRUST_PROXY: 'true',
  });
  bot = await service.createBot();
});
afterAll(() => service.stop());

const from = (address: string, headers: Record<string, string> = {}): Record<string, string> => ({
  'x-forwarded-for': address,
  ...headers,
});
const wrong = { 'api-key': 'unknown:wrong' };

describe('failed authentications', () => {
  async function exhaust(address: string): Promise<void> {
    for (let i = 0; i < FAILURES; i++)
      expect((await service.post('/v1/send-event', valid, from(address, wrong))).status).toBe(401);
  }

  test('are 429 beyond the limit of an address, and a valid key is still served', async () => {
    await exhaust('10.0.0.1');
    const refused = await service.post('/v1/send-event', valid, from('10.0.0.1', wrong));
    expect(refused).toMatchObject({ status: 429, body: { ok: false, error_code: 429 } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const right = from('10.0.0.1', { 'api-key': bot.apiKey });
    expect((await service.post('/v1/send-event', valid, right)).status).toBe(200);
    expect((await service.post('/v1/send-event', valid, from('10.0.0.2', wrong))).status).toBe(401);
  });

  test('refuse requests that show no key before their body is read', async () => {
    await exhaust('10.0.0.3');
    const { hostname, port } = new URL(service.address);
    const socket = connect(Number(port), hostname);
    // The body never comes.
    const head = 'POST /v1/send-event HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 10.0.0.3\r\nConnection: close';
    socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toContain('HTTP/1.1 429 ');
    socket.destroy();
    const inBody = { ...valid, 'api-key': bot.apiKey };
    expect((await service.post('/v1/send-event', inBody, from('10.0.0.3'))).status).toBe(429);
    expect((await service.post('/v1/send-event', inBody, from('10.0.0.6'))).status).toBe(200);
  });

  test('count for the address that the proxy saw, not for one that the caller sent', async () => {
    for (let i = 0; i < FAILURES; i++)
      await service.post('/v1/send-event', valid, from(`10.9.9.${i}, 10.0.0.4`, wrong));
    const refused = await service.post('/v1/send-event', valid, from('10.9.9.9, 10.0.0.4', wrong));
    expect(refused.status).toBe(429);
  });
});

test('requests of a key beyond its rate are 429', async () => {
  const { apiKey } = await service.createBot();
  const send = () => service.post('/v1/send-event', valid, from('10.0.0.5', { 'api-key': apiKey }));
  const answers = await Promise.all(Array.from({ length: 4 * RATE }, send));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(RATE);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.every(({ headers }) => headers.get('retry-after') === '1')).toBe(true);
});

describe('bytes that are no HTTP request are answered in our form', () => {
  test.each([
    ['a malformed URL', 'GET /v1/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    [
      'a long part of the path',
      `POST /v1/webhook/${'x'.repeat(200)} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      414,
    ],
    ['malformed HTTP', 'nonsense\r\n\r\n', 400],
    ['too long headers', `GET /health HTTP/1.1\r\nHost: x\r\nApi-Key: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s', async (_, request, status) => {
    const { hostname, port } = new URL(service.address);
    const socket = connect(Number(port), hostname);
    socket.write(request);
    const [head, body] = (await text(socket)).split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(JSON.parse(body!)).toEqual({ ok: false, error: expect.any(String), error_code: status });
  });
});
