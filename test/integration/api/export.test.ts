import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import type { KeyKind } from '../../../src/domain/catalog/catalog-events.ts';
import { readExport } from '../../support/read-export.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

let service: TestService;
let bot: TestBot;
let other: TestBot;

/** Events enough for many parts, and for more bytes than the buffers of a connection hold. */
const EVENTS = 20_000;
const BATCH = 1000;

async function fill({ apiKey }: TestBot, events: number): Promise<void> {
  const headers = { 'api-key': apiKey };
  const from = { id: 1, is_bot: false, first_name: 'Ada' };
  const message = {
    message_id: 1,
    date: Math.floor(Date.now() / 1000),
    chat: { id: 1, type: 'private' },
    from,
    text: 'hello',
  };
  expect(await service.post('/v1/send-update', { update: { update_id: 1, message } }, headers)).toMatchObject({
    status: 200,
  });
  for (let sent = 0; sent < events; sent += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, events - sent) }, (_, i) => ({
      event: 'click',
      user_id: 1,
      value_str: String(sent + i),
      properties: { long: 'x'.repeat(900) },
    }));
    expect(await service.post('/v1/send-event', batch, headers)).toMatchObject({ status: 200 });
  }
}

beforeAll(async () => {
  service = await startTestService({ EXPORT_CONCURRENCY: '2', MAX_WAIT_MS: '60000' });
  bot = await service.createBot({ kind: 'owner' });
  other = await service.createBot();
  await fill(bot, EVENTS);
  await fill(other, 2);
  await service.projected();
});
afterAll(() => service.stop());

const url = (path: string): string => service.address + path;
async function keyFor(kind: KeyKind, { ownerId, publicKey } = bot): Promise<string> {
  const { apiKey } = await issueKey(service.commands, {
    ownerId,
    bots: [publicKey],
    kind,
    name: null,
    expiresAt: null,
  });
  await service.projected();
  return apiKey;
}

/** Begins to read an export. Resolves at its first bytes, and reads no further. */
function begun(
  path: string,
  apiKey: string,
): Promise<{ status: number; end: () => void; rest: () => Promise<string> }> {
  return new Promise((resolve, reject) => {
    const request = get(url(path), { headers: { 'api-key': apiKey } }, (response) => {
      response.once('readable', () =>
        resolve({
          status: response.statusCode!,
          end: () => request.destroy(),
          rest: () =>
            new Promise((done) => {
              let bytes = 0;
              response.on('data', (chunk: Buffer) => {
                bytes += chunk.length;
              });
              response.once('end', () => done(`whole after ${bytes > 0}`));
              response.once('error', (error) => done((error as NodeJS.ErrnoException).code ?? error.message));
            }),
        }),
      );
    });
    request.once('error', reject);
  });
}

/** Backends that serve exports and are in a transaction. */
async function running(): Promise<number> {
  const { rows } = await service.database.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'botledger exports' AND xact_start IS NOT NULL`,
  );
  return rows[0]!.n;
}

describe('GET /v1/export', () => {
  it.each(['ndjson', 'csv', 'parquet'])('streams every event to a personal key as %s', async (format) => {
    const answer = await fetch(url(`/v1/export/events?format=${format}`), {
      headers: { 'api-key': await keyFor('personal') },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('data-as-of')).toMatch(/^\d{4}-.*\+00:00$/);
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="events.${format}"`);
    const rows = await readExport(format, Buffer.from(await answer.arrayBuffer()));
    const sent = rows.filter(({ event_name }) => event_name === 'click').map(({ value_str }) => Number(value_str));
    expect(sent).toEqual(Array.from({ length: EVENTS }, (_, i) => i));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });

  it('has the events of the named bot alone', async () => {
    const answer = await fetch(url('/v1/export/events'), { headers: { 'api-key': other.apiKey } });
    const rows = await readExport('ndjson', Buffer.from(await answer.arrayBuffer()));
    expect(rows.map(({ event_name }) => event_name)).toEqual(
      ['start', 'click', 'click'].map((name) => expect.stringMatching(name === 'click' ? 'click' : /./)),
    );
  });

  it.each([
    ['a service key', async () => ({ key: await keyFor('service'), path: '/v1/export/users' }), 403],
    ['another bot', async () => ({ key: other.apiKey, path: `/v1/export/users?resource_key=${bot.publicKey}` }), 403],
    ['an unknown bot', async () => ({ key: other.apiKey, path: '/v1/export/users?resource_key=nobot' }), 404],
    ['no key', async () => ({ key: '', path: '/v1/export/users' }), 401],
    ['a wrong period', async () => ({ key: bot.apiKey, path: '/v1/export/users?from=2026-02-30' }), 400],
    [
      'a period that ends before it begins',
      async () => ({ key: bot.apiKey, path: '/v1/export/users?from=2026-02-03&to=2026-02-02' }),
      400,
    ],
    ['another format', async () => ({ key: bot.apiKey, path: '/v1/export/users?format=xml' }), 400],
  ])('refuses %s', async (_, ask, status) => {
    const { key, path } = await ask();
    expect(await service.get(path, { 'api-key': key })).toMatchObject({ status });
  });

  it('needs the premium plan, but for accruals', async () => {
    const free = await service.createBot({ plan: 'free' });
    expect(await service.get('/v1/export/events', { 'api-key': free.apiKey })).toMatchObject({ status: 403 });
    expect(await service.get('/v1/export/accruals', { 'api-key': free.apiKey })).toMatchObject({
      status: 200,
      body: '',
    });
  });

  it('has no HEAD, which would read all of it', async () => {
    const answer = await fetch(url('/v1/export/events'), { method: 'HEAD', headers: { 'api-key': bot.apiKey } });
    expect(answer.status).toBe(405);
  });

  it('reads no more than its caller takes, and ends its transaction when the caller leaves', async () => {
    const { end } = await begun('/v1/export/events', bot.apiKey);
    const waiting = async () => {
      const { rows } = await service.database.pool.query<{ query: string }>(
        "SELECT query FROM pg_stat_activity WHERE application_name = 'botledger exports' AND state = 'idle in transaction'",
      );
      return rows;
    };
    try {
      await expect.poll(waiting).toEqual([{ query: expect.stringMatching(/^FETCH/) }]);
    } finally {
      end();
    }
    await expect.poll(running).toBe(0);
    expect(await service.get('/v1/export/users', { 'api-key': bot.apiKey })).toMatchObject({ status: 200 });
  });

  it('answers 429 to a second export of a key and 503 beyond EXPORT_CONCURRENCY, until one has ended', async () => {
    const [first, second, third] = [bot.apiKey, await keyFor('personal'), await keyFor('personal')];
    const one = await begun('/v1/export/events', first);
    expect(await service.get('/v1/export/users', { 'api-key': first })).toMatchObject({ status: 429 });
    const two = await begun('/v1/export/events', second);
    const refused = await service.get('/v1/export/users', { 'api-key': third });
    expect(refused).toMatchObject({ status: 503 });
    expect(refused.headers.get('retry-after')).toBe('5');
    one.end();
    await expect.poll(async () => (await service.get('/v1/export/users', { 'api-key': third })).status).toBe(200);
    two.end();
    await expect.poll(running).toBe(0);
  });

  it('breaks the connection if the database fails in mid-stream', async () => {
    const { status, rest } = await begun('/v1/export/events', bot.apiKey);
    expect(status).toBe(200);
    await service.database.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'botledger exports' AND datname = current_database()",
    );
    expect(await rest()).toBe('ECONNRESET');
    await expect.poll(running).toBe(0);
  });
});
