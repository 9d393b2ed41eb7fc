import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { savedAnswer, savedSegmentAnswer, savedSegmentsAnswer } from '../../../src/api/saved-segments/schemas.ts';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import { existingSavedSegment } from '../../../src/commands/saved-segments/save-segment.ts';
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
  bot = await service.createBot({ timezone: 'Asia/Kolkata' });
  second = (await createBot(service.commands, { ownerId: bot.ownerId, name: 'Second', timezone: 'UTC' })).publicKey;
  personal = await keyFor('all', 'personal');
});
afterAll(() => service.stop());

async function keyFor(bots: 'all' | string[], kind: 'personal' | 'service'): Promise<string> {
  const { apiKey } = await issueKey(service.commands, {
    ownerId: bot.ownerId,
    bots,
    kind,
    name: null,
    expiresAt: null,
  });
  await service.projected();
  return apiKey;
}

type Headers = Record<string, string>;
const own = (): Headers => ({ 'api-key': bot.apiKey });
const conditions = { user_conditions: ['=', 'users.is_premium', true], event_filters: ['performed_event', {}] };
const save = (body: object, headers: Headers = own()): Promise<Answer> =>
  service.post('/v1/saved-segments/save', { name: 'Any', conditions, ...body }, headers);
const savedId = async (body: object = {}, headers: Headers = own()): Promise<number> =>
  (await save(body, headers)).body.data.saved_segment_id;
const remove = (saved_segment_id: unknown, headers: Headers = own()): Promise<Answer> =>
  service.post('/v1/saved-segments/delete', { saved_segment_id }, headers);
const get = (id: unknown, headers: Headers = own()): Promise<Answer> =>
  service.get(`/v1/saved-segments/get?saved_segment_id=${id}`, headers);
const list = (headers: Headers = own()): Promise<Answer> => service.get('/v1/saved-segments/list', headers);
const names = async (headers: Headers = own()): Promise<string[]> =>
  (await list(headers)).body.data.items.map(({ name }: { name: string }) => name);
const paths = ({ body }: Answer): string[] => body.details.map(({ path }: { path: string }) => path);

describe('a saved segment', () => {
  it('is in the next list, newest first, until it is deleted', async () => {
    const other = await service.createBot({ timezone: 'Asia/Kolkata' });
    const key = { 'api-key': other.apiKey };
    expect((await list(key)).body).toEqual({ ok: true, data: { items: [] } });
    const first = await savedId({ name: 'First' }, key);
    await save({ name: 'Second' }, key);
    expect(await names(key)).toEqual(['Second', 'First']);
    const { data } = (await get(first, key)).body;
    const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/);
    const wanted = { saved_segment_id: first, name: 'First', resource_key: other.publicKey, conditions };
    expect(data).toEqual({ ...wanted, date_create: date, date_change: date });
    expect((await list(key)).body.data.items[1]).toEqual(data);
    expect((await remove(first, key)).body).toEqual({ ok: true, data: { saved_segment_id: first } });
    expect(await names(key)).toEqual(['Second']);
    for (const gone of [await get(first, key), await remove(first, key), await save({ saved_segment_id: first }, key)])
      expect(gone).toMatchObject({ status: 404, body: { details: [{ path: 'saved_segment_id' }] } });
  });

  it('keeps its id and its creation date when it is replaced', async () => {
    const id = await savedId({ name: 'Before' });
    const before = (await get(id)).body.data;
    const other = { user_conditions: ['=', 'users.gender', 'f'] };
    const answer = await save({ saved_segment_id: id, name: 'After', conditions: other });
    expect(answer.body).toEqual({ ok: true, data: { saved_segment_id: id } });
    expect((await get(id)).body.data).toEqual({
      ...before,
      name: 'After',
      conditions: other,
      date_change: expect.any(String),
    });
    expect(await existingSavedSegment(service.log, bot.publicKey, id, 1)).toMatchObject({
      name: 'Before',
      revision: 1,
    });
    expect(await existingSavedSegment(service.log, bot.publicKey, id)).toMatchObject({ name: 'After', revision: 2 });
  });

  it('keeps every digit of its conditions', async () => {
    const text = '{"user_conditions":["=","users.custom_fields.x",0.10000000000000000001]}';
    const { body } = await service.post('/v1/saved-segments/save', `{"name":"Any","conditions":${text}}`, own());
    const { saved_segment_id } = body.data;
    const response = await fetch(`${service.address}/v1/saved-segments/get?saved_segment_id=${saved_segment_id}`, {
      headers: own(),
    });
    expect(await response.text()).toContain(`"conditions":${text}`);
  });

  it('is in the log, with the id of the key, before the client gets its id', async () => {
    const saved_segment_id = await savedId({ name: 'Logged' });
    const commits = await readAll(service.log, { categories: ['savedsegment'] });
    const [commit] = commits.filter(({ stream }) => stream === `savedsegment-${bot.publicKey}/${saved_segment_id}`);
    const event = { type: 'saved_segment_created', data: { saved_segment_id, conditions: JSON.stringify(conditions) } };
    expect(commit).toMatchObject({ keyId: expect.any(Number), events: [event] });
  });
});

describe('access to saved segments', () => {
  it('is limited to the bot of the request', async () => {
    const of = (publicKey: string): Headers => ({ 'api-key': personal, 'resource-key': publicKey });
    const id = await savedId({ name: 'Of the second' }, of(second));
    expect(await names(of(second))).toEqual(['Of the second']);
    for (const { status } of [await get(id), await remove(id), await save({ saved_segment_id: id })])
      expect(status).toBe(404);
    for (const { status } of [await save({}, { 'api-key': personal }), await list({ 'api-key': personal })])
      expect(status).toBe(400);
    expect((await remove(id, of(second))).status).toBe(200);
  });

  it('needs a premium plan, then a personal key, then a body', async () => {
    const free = { 'api-key': (await service.createBot({ plan: 'free', kind: 'service' })).apiKey };
    const impersonal = { 'api-key': await keyFor([bot.publicKey], 'service') };
    for (const ask of [
      (headers: Headers) => service.post('/v1/saved-segments/save', '{', headers),
      (headers: Headers) => service.post('/v1/saved-segments/delete', '{', headers),
      (headers: Headers) => service.get('/v1/saved-segments/get', headers),
    ]) {
      expect((await ask({})).status).toBe(401);
      expect((await ask(free)).body.error).toBe('Premium plan required');
      expect((await ask(impersonal)).body).toMatchObject({ error: 'this needs a personal key', error_code: 403 });
      expect((await ask(own())).status).toBe(400);
    }
    expect((await list(impersonal)).status).toBe(403);
  });
});

describe('what is refused', () => {
  it.each<[string, object, string[]]>([
    ['no name', { name: undefined }, ['name']],
    ['a name that is no text', { name: 5 }, ['name']],
    ['a name that is too long', { name: 'x'.repeat(251) }, ['name']],
    ['no conditions', { conditions: null }, ['conditions']],
    ['no condition', { conditions: {} }, ['conditions']],
    ['an id that is no id', { saved_segment_id: 0 }, ['saved_segment_id']],
    [
      'all of it at once',
      { name: '', conditions: 7, saved_segment_id: 'x' },
      ['name', 'conditions', 'saved_segment_id'],
    ],
  ])('%s', async (_, body, wanted) => {
    const answer = await save(body);
    expect(answer.status).toBe(400);
    expect(paths(answer)).toEqual(wanted);
  });

  it('to get or delete without an id, or by none', async () => {
    for (const answer of [
      await remove(undefined),
      await remove(null),
      await service.get('/v1/saved-segments/get', own()),
    ])
      expect(answer.body).toMatchObject({
        error_code: 400,
        error: expect.stringContaining('saved_segment_id is required'),
      });
    for (const id of ['0', 'x', '1.5', '99999999999999999999']) expect((await get(id)).status).toBe(400);
    for (const id of [0, -1, 'x']) expect(paths(await remove(id))).toEqual(['saved_segment_id']);
  });
});

describe('with an Idempotency-Key', () => {
  const count = async (): Promise<number> => (await readAll(service.log, { categories: ['savedsegment'] })).length;

  it('a save is done once and answered with the same id, and another body is 422', async () => {
    const headers = { ...own(), 'idempotency-key': 'save' };
    const first = await save({ name: 'Once' }, headers);
    const before = await count();
    expect((await save({ name: 'Once' }, headers)).body).toEqual(first.body);
    expect((await save({ name: 'Twice' }, headers)).status).toBe(422);
    expect(await count()).toBe(before);
  });

  it('a replacement and a deletion are answered again after the deletion', async () => {
    const saved_segment_id = await savedId();
    const key = { ...own(), 'idempotency-key': 'change' };
    const replace = () => save({ saved_segment_id, name: 'New' }, key);
    const first = [await replace(), await remove(saved_segment_id, key)];
    expect(first.map(({ status }) => status)).toEqual([200, 200]);
    const before = await count();
    const again = [await replace(), await remove(saved_segment_id, key)];
    expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body));
    expect(await count()).toBe(before);
  });
});

it('while the read model is late, a saved segment is read, replaced and deleted by its id, from the log', async () => {
  const old = await savedId({ name: 'Old' });
  await service.projected();
  const blocker = await service.database.pool.connect();
  try {
    await blocker.query('BEGIN; LOCK TABLE reports_v1.saved_segments IN SHARE MODE');
    const [id] = await Promise.all([savedId({ name: 'New' }), save({ saved_segment_id: old, name: 'Changed' })]);
    expect((await get(id)).body.data).toMatchObject({ name: 'New', conditions });
    expect((await get(old)).body.data).toMatchObject({ name: 'Changed' });
    expect(await names()).not.toContain('New');
    await Promise.all([save({ saved_segment_id: id, name: 'Newer' }), remove(old)]);
    expect((await get(id)).body.data).toMatchObject({ name: 'Newer' });
    expect((await get(old)).status).toBe(404);
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
  await service.projected();
  expect(await names()).toContain('Newer');
});

it('answers match the schemas of OpenAPI', async () => {
  const saved = await save({});
  const { saved_segment_id } = saved.body.data;
  const shown = [
    [savedAnswer, saved.body],
    [savedSegmentAnswer, (await get(saved_segment_id)).body],
    [savedSegmentsAnswer, (await list()).body],
    [savedAnswer, (await remove(saved_segment_id)).body],
  ] as const;
  for (const [shape, body] of shown) expect(shape.parse(body)).toEqual(body);
});
