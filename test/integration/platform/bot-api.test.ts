import { createServer, type Server, type Socket } from 'node:net';
import { TelegramServer } from 'telegram-test-api/lib/telegramServer.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { verdictOf } from '../../../src/domain/broadcast/sending-answer.ts';
import { type BotApi, createBotApi } from '../../../src/platform/bot-api.ts';
import { type BotApiServer, startBotApi } from '../../support/bot-api-server.ts';
import { recordSpans } from '../../support/recorded-spans.ts';

/** The client of the platform: which outcomes of a call it knows, and which stay unknown. */

const TOKEN = '123:token';
const MESSAGE = { chat_id: 1, text: 'Hello' };

let platform: BotApiServer;
let clients: BotApi[] = [];
beforeAll(async () => {
  platform = await startBotApi();
});
afterAll(() => platform.close());
afterEach(async () => {
  platform.behave(() => undefined);
  await Promise.all(clients.map((client) => client.close()));
  clients = [];
});

function client(root: string, timeouts = {}): BotApi {
  const made = createBotApi({ root, connections: 4, ...timeouts });
  clients.push(made);
  return made;
}

test('a call returns its answer, and reports the moment when its request is written', async () => {
  const written: number[] = [];
  const answer = await client(platform.root).call(TOKEN, 'sendMessage', MESSAGE, () => written.push(1));
  expect(verdictOf(answer)).toMatchObject({ type: 'done', result: { chat: { id: 1 }, text: 'Hello' } });
  expect(written).toEqual([1]);
});

test('a root may have a path', async () => {
  const answer = await client(`${platform.root}/below`).call(TOKEN, 'sendMessage', MESSAGE);
  expect(answer).toMatchObject({
    type: 'answered',
    status: 400,
    body: expect.stringContaining('/below/bot123:token/'),
  });
});

test('the span of a call has its method and status, and no token', async () => {
  const recorded = recordSpans();
  try {
    await client(`${platform.root}/below`).call(TOKEN, 'sendMessage', MESSAGE);
    const span = await recorded.find('POST /bot{token}/sendMessage');
    expect(span).toMatchObject({
      kind: 2,
      status: { code: 2 },
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 400,
        'server.address': '127.0.0.1',
        'url.template': '/bot{token}/sendMessage',
      },
    });
    expect(JSON.stringify([span.name, span.attributes])).not.toContain(TOKEN);
  } finally {
    recorded.stop();
  }
});

describe('a call is certainly not sent', () => {
  test('when no server listens', async () => {
    const server = await listening(() => {});
    const root = rootOf(server);
    await new Promise((resolve) => server.close(resolve));
    const answer = await client(root).call(TOKEN, 'sendMessage', MESSAGE);
    expect(answer).toEqual({ type: 'not_sent', problem: 'the connection failed: ECONNREFUSED' });
  });

  test('when there is no connection in time', async () => {
    // An address for documentation (RFC 5737): no host answers, or there is no route to it.
    const answer = await client('http://192.0.2.1', { connectTimeoutMs: 500 }).call(TOKEN, 'sendMessage', MESSAGE);
    expect(answer.type).toBe('not_sent');
  });

  test('when the host name does not exist', async () => {
    const answer = await client('http://platform.invalid').call(TOKEN, 'sendMessage', MESSAGE);
    expect(answer.type).toBe('not_sent');
  });
});

describe('the outcome of a call is unknown', () => {
  test('when the connection is cut after the server read the call', async () => {
    platform.behave(() => ({ reset: true }));
    expect(await client(platform.root).call(TOKEN, 'sendMessage', MESSAGE)).toMatchObject({ type: 'unknown' });
  });

  test('when there is no answer in time', async () => {
    platform.behave(() => ({ hang: true }));
    const answer = await client(platform.root, { answerTimeoutMs: 200 }).call(TOKEN, 'sendMessage', MESSAGE);
    expect(answer).toEqual({ type: 'unknown', problem: 'no answer within 200 ms' });
  });

  test('when the answer never ends', async () => {
    const server = await listening((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 50);
      socket.on('close', () => clearInterval(drip));
    });
    const answer = await client(rootOf(server), { answerTimeoutMs: 400 }).call(TOKEN, 'sendMessage', MESSAGE);
    expect(answer.type).toBe('unknown');
    server.close();
  });

  test('when the answer is far too long', async () => {
    platform.behave(() => ({ raw: { status: 200, body: 'x'.repeat(2_000_000) } }));
    const answer = await client(platform.root).call(TOKEN, 'sendMessage', MESSAGE);
    expect(answer).toEqual({ type: 'unknown', problem: 'the answer is too large' });
  });
});

test('a call is made once, also when its connection breaks', async () => {
  const before = platform.calls.length;
  const api = client(platform.root);
  platform.behave(({ n }) => (n % 2 === 0 ? { reset: true } : undefined));
  await Promise.all(
    Array.from({ length: 40 }, (_, i) => api.call(TOKEN, 'sendMessage', { chat_id: i + 1, text: 'x' })),
  );
  const chats = platform.calls.slice(before).map(({ chatId }) => chatId);
  expect(chats.length).toBe(new Set(chats).size);
});

test('a third-party stand-in of the platform accepts the calls', async () => {
  const other = new TelegramServer({ port: 0, host: '127.0.0.1', storage: 'RAM' });
  const free = await listening(() => {});
  const { port } = new URL(rootOf(free));
  await new Promise((resolve) => free.close(resolve));
  other.config.port = Number(port);
  await other.start();
  try {
    const text = '<b>Hello</b>';
    const reply_markup = { inline_keyboard: [[{ text: 'Buy', callback_data: 'buy' }]] };
    const call = { chat_id: 5, text, parse_mode: 'HTML', reply_markup };
    const answer = await client(`http://127.0.0.1:${port}`).call(TOKEN, 'sendMessage', call);
    expect(verdictOf(answer)).toMatchObject({ type: 'done' });
    const [stored] = other.storage.botMessages;
    expect(stored).toMatchObject({ botToken: TOKEN, message: { text, parse_mode: 'HTML' } });
  } finally {
    await other.stop();
  }
});

function listening(answer: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {}); // the client cuts it
    socket.once('data', () => answer(socket));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

function rootOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}
