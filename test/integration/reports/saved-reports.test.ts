import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { savedAnswer, savedReportAnswer, savedReportsAnswer } from '../../../src/api/reports/schemas.ts';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import { existingReport } from '../../../src/commands/reports/save-report.ts';
import { onOwnServer } from '../../support/database.ts';
import { readAll } from '../../support/log.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';

onOwnServer();

let service: TestService;
let bot: TestBot;
/** Another bot of the same owner. */
let second: string;
/** A key for both bots. */
let personal: string;

beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot({ timezone: 'Europe/Berlin' });
  second = (await createBot(service.commands, { ownerId: bot.ownerId, name: 'Second', timezone: 'UTC' })).publicKey;
  personal = await keyFor('all', 'personal');
});
afterAll(() => service.stop());

async function keyFor(bots: 'all' | string[], kind: 'personal' | 'service', ownerId = bot.ownerId): Promise<string> {
  const { apiKey } = await issueKey(service.commands, { ownerId, bots, kind, name: null, expiresAt: null });
  await service.projected();
  return apiKey;
}

const metric = { type: 'trend', event_id: null, event_name: 'any', agr: 'total' };
const config = (source: object = {}): object => ({
  source_request: { type: 'trends', type_chart: 'line', requests: [metric], ...source },
  settings: { params: { ':date_from': '2026-01-01 00:00:00', ':date_to': '2026-01-02 23:59:59' } },
});

type Headers = Record<string, string>;
const own = (): Headers => ({ 'api-key': bot.apiKey });
const save = (body: object, headers: Headers = own()): Promise<Answer> =>
  service.post('/v1/reports/save', { name: 'Any', report_config: config(), ...body }, headers);
const savedUuid = async (body: object = {}, headers: Headers = own()): Promise<string> =>
  (await save(body, headers)).body.data.uuid;
const remove = (uuid: unknown, headers: Headers = own()): Promise<Answer> =>
  service.post('/v1/reports/delete', { uuid }, headers);
const pin = (uuid: unknown, pinned: unknown, headers: Headers = own()): Promise<Answer> =>
  service.post('/v1/reports/pin', { uuid, pinned }, headers);
const get = (uuid: string, headers: Headers = own()): Promise<Answer> =>
  service.get(`/v1/reports/get?uuid=${encodeURIComponent(uuid)}`, headers);
const run = (body: object, headers: Headers = own()): Promise<Answer> => service.post('/v1/reports/run', body, headers);
const list = (headers: Headers = own()): Promise<Answer> => service.get('/v1/reports/list', headers);
const names = async (headers: Headers = own()): Promise<string[]> =>
  (await list(headers)).body.data.items.map(({ name }: { name: string }) => name);

describe('a report that was saved', () => {
  it('is in the next list, newest first, until it is deleted', async () => {
    const other = await service.createBot({ timezone: 'Asia/Kolkata' });
    const key = { 'api-key': other.apiKey };
    expect((await list(key)).body).toEqual({ ok: true, data: { items: [] } });
    const answer = await save({ name: 'First' }, key);
    expect(answer.body).toEqual({ ok: true, data: { uuid: expect.any(String) } });
    const { uuid } = answer.body.data;
    await save({ name: 'Second' }, key);
    expect(await names(key)).toEqual(['Second', 'First']);
    const { data } = (await get(uuid, key)).body;
    expect(data).toEqual({
      uuid,
      name: 'First',
      resource_key: other.publicKey,
      report_config: config(),
      date_create: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/),
      pinned: false,
    });
    expect((await list(key)).body.data.items[1]).toEqual(data);
    expect((await get(uuid.toUpperCase(), key)).body.data).toEqual(data);
    expect((await remove(uuid, key)).body).toEqual({ ok: true, data: { uuid } });
    expect(await names(key)).toEqual(['Second']);
    for (const gone of [await get(uuid, key), await remove(uuid, key), await run({ uuid }, key), await pin(uuid, true)])
      expect(gone.status).toBe(404);
    for (const [given, path] of [
      [undefined, 'pinned'],
      ['yes', 'pinned'],
    ])
      expect(await pin(uuid, given, key)).toMatchObject({ status: 400, body: { details: [{ path }] } });
    expect(await pin(undefined, true, key)).toMatchObject({ status: 400, body: { details: [{ path: 'uuid' }] } });
    expect((await save({ uuid }, key)).status).toBe(404);
  });

  it('keeps its uuid and date when it is replaced', async () => {
    const uuid = await savedUuid({ name: 'Before' });
    const { status, body } = await get(uuid);
    expect({ status, body }).toMatchObject({ status: 200 });
    const before = body.data;
    const table = config({ type_chart: 'table' });
    expect((await save({ uuid, name: 'After', report_config: table })).body).toEqual({ ok: true, data: { uuid } });
    expect((await get(uuid)).body.data).toEqual({ ...before, name: 'After', report_config: table });
  });

  it('is pinned to the dashboard, by its log alone too, stays so when it is replaced, and is taken off', async () => {
    const uuid = await savedUuid({ name: 'Pinned' });
    expect((await pin(uuid, true)).body).toEqual({ ok: true, data: { uuid } });
    expect((await get(uuid)).body.data).toMatchObject({ name: 'Pinned', pinned: true });
    await save({ uuid, name: 'Changed' });
    const listed = (await list()).body.data.items.find((item: { uuid: string }) => item.uuid === uuid);
    expect(listed).toMatchObject({ name: 'Changed', pinned: true });
    expect(await existingReport(service.log, bot.publicKey, uuid)).toMatchObject({ name: 'Changed', pinned: true });
    await pin(uuid, false);
    expect((await get(uuid)).body.data).toMatchObject({ name: 'Changed', pinned: false });
  });

  it('keeps every key and digit of its config', async () => {
    const strange = '{"__proto__":{"a":1},"constructor":0.10000000000000000001,"b":[1e400],"":null}';
    const text = JSON.stringify(config({ strange: 0 })).replace('"strange":0', `"strange":${strange}`);
    const { body } = await service.post('/v1/reports/save', `{"name":"Any","report_config":${text}}`, own());
    const response = await fetch(`${service.address}/v1/reports/get?uuid=${body.data.uuid}`, { headers: own() });
    expect(await response.text()).toContain(`"report_config":${text}`);
  });

  it('is in the log, with the id of the key, before the client gets its uuid', async () => {
    const uuid = await savedUuid({ name: 'Logged' });
    const commits = await readAll(service.log, { categories: ['report'] });
    const [commit] = commits.filter(({ stream }) => stream === `report-${bot.publicKey}/${uuid}`);
    expect(commit).toMatchObject({ keyId: expect.any(Number), events: [{ type: 'report_saved', data: { uuid } }] });
  });
});

describe('access to saved reports', () => {
  it('a key for several bots lists, gets, runs and deletes without a named bot, but cannot save', async () => {
    const key = { 'api-key': personal };
    const named = { ...key, 'resource-key': second };
    expect((await save({}, key)).status).toBe(400);
    const uuid = await savedUuid({ name: 'Of the second' }, named);
    await savedUuid({ name: 'Of the first' }, { ...key, 'resource-key': bot.publicKey });
    expect((await names(key)).slice(0, 2)).toEqual(['Of the first', 'Of the second']);
    expect(await names(named)).toEqual(['Of the second']);
    expect((await get(uuid, key)).body.data.resource_key).toBe(second);
    expect((await run({ uuid }, key)).body.data.meta.timezone).toBe('UTC');
    // A named bot limits the request to its reports.
    expect((await get(uuid, { ...key, 'resource-key': bot.publicKey })).status).toBe(404);
    expect((await remove(uuid, { ...key, 'resource-key': bot.publicKey })).status).toBe(404);
    expect((await save({ uuid }, { ...key, 'resource-key': bot.publicKey })).status).toBe(404);
    expect((await remove(uuid, key)).status).toBe(200);
    expect(await names(named)).toEqual([]);
  });

  it('another bot of the owner, outside the scope of the key: as an unknown report', async () => {
    const uuid = await savedUuid({}, { 'api-key': personal, 'resource-key': second });
    const unknown = '01941f29-7c00-7000-8000-000000000001';
    for (const ask of [get, remove, (uuid: string) => run({ uuid })]) {
      const [foreign, missing] = [await ask(uuid), await ask(unknown)];
      expect([foreign.status, foreign.body]).toEqual([404, missing.body]);
    }
  });

  it('another owner’s, unknown or malformed: 404, after every 403', async () => {
    const stranger = await service.createBot();
    const foreign = await savedUuid({}, { 'api-key': stranger.apiKey });
    const service_ = { 'api-key': await keyFor([bot.publicKey], 'service') };
    for (const uuid of [foreign, '01941f29-7c00-7000-8000-000000000001', 'x', '']) {
      const refused = [await get(uuid), await remove(uuid), await run({ uuid }), await save({ uuid })];
      expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      const forbidden = [await get(uuid, service_), await remove(uuid, service_), await save({ uuid }, service_)];
      expect(forbidden.map(({ status }) => status)).toEqual([403, 403, 403]);
      expect((await run({ uuid }, service_)).status).toBe(404);
    }
    expect((await remove(5)).body).toMatchObject({ error_code: 404, details: [{ path: 'uuid' }] });
    expect((await get(foreign, { 'api-key': stranger.apiKey })).status).toBe(200);
  });

  it('plan before kind of key before body', async () => {
    const free = await service.createBot({ plan: 'free', kind: 'service' });
    const impersonal = { 'api-key': await keyFor([bot.publicKey], 'service') };
    for (const path of ['save', 'delete'] as const) {
      const ask = (headers: Headers) => service.post(`/v1/reports/${path}`, '{', headers);
      expect((await ask({})).status).toBe(401);
      expect((await ask({ 'api-key': free.apiKey })).body.error).toBe('Premium plan required');
      expect((await ask(impersonal)).body).toMatchObject({ error: 'this needs a personal key', error_code: 403 });
      expect((await ask(own())).status).toBe(400);
    }
    for (const path of ['list', 'get']) {
      const ask = (headers: Headers) => service.get(`/v1/reports/${path}`, headers);
      expect((await ask({ 'api-key': free.apiKey })).body.error).toBe('Premium plan required');
      expect((await ask(impersonal)).body.error).toBe('this needs a personal key');
      expect((await ask({ 'api-key': personal, 'resource-key': 'unknown' })).status).toBe(404);
    }
    // Preview and run do not need a personal key.
    expect((await run({ report_config: config() }, impersonal)).status).toBe(200);
  });
});

describe('what is refused', () => {
  it.each<[string, object, string[]]>([
    ['no name', { name: undefined }, ['name']],
    ['a name that is no text', { name: 5 }, ['name']],
    ['an empty name', { name: '' }, ['name']],
    ['a name that is too long', { name: 'x'.repeat(251) }, ['name']],
    ['no config', { report_config: null }, ['report_config']],
    ['a config that a preview refuses', { report_config: config({ requests: [] }) }, ['source_request.requests']],
    ['all of it at once', { name: null, report_config: 7 }, ['name', 'report_config']],
  ])('%s', async (_, body, paths) => {
    const answer = await save(body);
    expect(answer.status).toBe(400);
    expect(answer.body.details.map(({ path }: { path: string }) => path)).toEqual(paths);
  });

  it('to get or delete without a uuid', async () => {
    for (const answer of [await service.get('/v1/reports/get', own()), await remove(null), await remove(undefined)])
      expect(answer.body).toMatchObject({ error_code: 400, details: [{ path: 'uuid', message: 'uuid is required' }] });
  });
});

describe('with an Idempotency-Key', () => {
  const count = async (): Promise<number> => (await readAll(service.log, { categories: ['report'] })).length;

  it('a save is done once and answered with the same uuid, and another body is 422', async () => {
    const headers = { ...own(), 'idempotency-key': 'save' };
    const first = await save({ name: 'Once' }, headers);
    const before = await count();
    expect((await save({ name: 'Once' }, headers)).body).toEqual(first.body);
    expect((await save({ name: 'Twice' }, headers)).status).toBe(422);
    expect(await count()).toBe(before);
    expect((await names()).filter((name) => name === 'Once')).toHaveLength(1);
  });

  it('a replacement and a deletion are answered again after the report is deleted', async () => {
    const uuid = await savedUuid();
    const key = { 'api-key': personal, 'idempotency-key': 'change' };
    const replace = () => save({ uuid, name: 'New' }, { ...key, 'resource-key': bot.publicKey });
    const first = [await replace(), await remove(uuid, key)];
    expect(first.map(({ status }) => status)).toEqual([200, 200]);
    const before = await count();
    const again = [await replace(), await remove(uuid, key)];
    expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body));
    expect(await count()).toBe(before);
    const other = await savedUuid();
    expect((await remove(other, key)).status).toBe(422);
    expect((await get(other)).status).toBe(200);
  });
});

it('the same Idempotency-Key on another bot is another command, whether the key or the request names the bot', async () => {
  const key = { 'api-key': personal, 'idempotency-key': 'of two bots' };
  const bots = [bot.publicKey, second];
  for (const publicKey of bots) {
    const uuid = await savedUuid({}, { 'api-key': personal, 'resource-key': publicKey });
    expect((await remove(uuid, key)).body).toEqual({ ok: true, data: { uuid } });
  }
});

describe('while the read model is late', () => {
  /** Blocks writes to the table, not reads. */
  async function standingStill(work: () => Promise<void>): Promise<void> {
    await service.projected();
    const blocker = await service.database.pool.connect();
    try {
      await blocker.query('BEGIN; LOCK TABLE reports_v1.reports IN SHARE MODE');
      await work();
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
    await service.projected();
  }

  it('a change is answered, and listed later', async () => {
    await standingStill(async () => {
      const started = performance.now();
      const answer = await save({ name: 'Late' });
      expect(answer.status).toBe(200);
      expect(performance.now() - started).toBeGreaterThan(1900);
      expect(await names()).not.toContain('Late');
    });
    expect(await names()).toContain('Late');
  });

  it('gets, runs, replaces and deletes a saved report by its uuid, from the log', async () => {
    const key = { 'api-key': personal };
    const stranger = await service.createBot();
    const old = await savedUuid({ name: 'Old' });
    const before = (await get(old)).body.data;
    await standingStill(async () => {
      const named = { ...key, 'resource-key': second };
      const [uuid] = await Promise.all([savedUuid({ name: 'New' }, named), save({ uuid: old, name: 'Changed' })]);
      const { data } = (await get(uuid, key)).body;
      expect(data).toMatchObject({ uuid, name: 'New', resource_key: second, report_config: config() });
      expect((await run({ uuid }, key)).body.data.meta.timezone).toBe('UTC');
      expect((await get(old)).body.data).toEqual({ ...before, name: 'Changed' });
      const foreign = { 'api-key': stranger.apiKey };
      for (const headers of [foreign, { ...key, 'resource-key': bot.publicKey }])
        expect((await get(uuid, headers)).status).toBe(404);
      expect((await get(uuid)).status).toBe(404);
      await Promise.all([save({ uuid, name: 'Newer' }, named), remove(old)]);
      expect((await get(uuid, key)).body.data).toEqual({ ...data, name: 'Newer' });
      expect((await get(old)).status).toBe(404);
      expect((await remove(uuid, key)).status).toBe(200);
      for (const { status } of [await get(uuid, key), await run({ uuid }, key), await remove(uuid, key)])
        expect(status).toBe(404);
    });
  });
});

it('answers match the schemas of OpenAPI', async () => {
  const saved = await save({});
  const { uuid } = saved.body.data;
  const shown = [
    [savedAnswer, saved.body],
    [savedReportAnswer, (await get(uuid)).body],
    [savedReportsAnswer, (await list()).body],
    [savedAnswer, (await pin(uuid, true)).body],
    [savedAnswer, (await remove(uuid)).body],
  ] as const;
  for (const [shape, body] of shown) expect(shape.parse(body)).toEqual(body);
});
