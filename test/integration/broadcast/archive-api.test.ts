import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BroadcastApi, broadcastApi } from '../../support/broadcast-api.ts';
import { TOKEN } from '../../support/broadcasts.ts';
import type { TestBot } from '../../support/service.ts';

/** The archive, deletion and another type of a draft, over HTTP. */
let api: BroadcastApi;
let bot: TestBot;

beforeAll(async () => {
  api = await broadcastApi();
  bot = await api.service.createBot({ token: TOKEN });
});
afterAll(() => api.stop());

const own = () => ({ 'api-key': bot.apiKey });
const post = (method: string, body: object, headers: Record<string, string> = {}) =>
  api.post(method, body, { ...own(), ...headers });
const draft = async (body: object = {}): Promise<number> =>
  (await post('create', { type: 'sendMessage', ...body })).body.data.id;
const get = async (id: number) => (await api.get(`get?id=${id}`, own())).body.data;
const listed = async (query: string): Promise<number[]> =>
  (await api.get(`list?${query}`, own())).body.data.items.map(({ id }: { readonly id: number }) => id);
const audience = { segmentations: { include: [{ type: 'list', config: { chat_ids: [1] } }] }, message: { text: 'x' } };

describe('the archive', () => {
  it('takes a broadcast out of the lists of the others, and a launch takes it back', async () => {
    const id = await draft(audience);
    expect(await get(id)).not.toHaveProperty('archived');
    const answer = await post('archive', { id });
    expect(answer.body.data).toMatchObject({ id, archived: true, status: 0 });
    expect(await listed('filters[archived]=true')).toEqual([id]);
    expect(await listed('filters[archived]=false')).not.toContain(id);
    expect(await listed('')).toContain(id);
    await post('archive', { id, archived: false });
    expect(await listed('filters[archived]=true')).toEqual([]);
    await post('archive', { id, archived: true });
    expect((await post('activate', { id })).body.data).not.toHaveProperty('archived');
  });

  it('refuses a broadcast that is scheduled, and names mistakes', async () => {
    const id = await draft({ ...audience, date_send: '2090-01-01 00:00:00', activate: true });
    expect((await post('archive', { id, archived: true })).status).toBe(409);
    expect((await post('archive', { id, archived: 1 })).body.details).toMatchObject([{ path: 'archived' }]);
    expect((await post('archive', { id: 999_999, archived: true })).status).toBe(404);
    expect((await api.get('list?filters[archived]=maybe', own())).status).toBe(400);
  });

  it('answers a repeat with the same Idempotency-Key from the log', async () => {
    const id = await draft();
    const key = { 'idempotency-key': 'archive-once' };
    const first = await post('archive', { id, archived: true }, key);
    await post('archive', { id, archived: false });
    expect((await post('archive', { id, archived: true }, key)).body).toEqual(first.body);
    expect(await get(id)).not.toHaveProperty('archived');
  });
});

describe('the deletion of a draft', () => {
  it('leaves nothing behind that a method would find', async () => {
    const id = await draft(audience);
    const key = { 'idempotency-key': 'delete-once' };
    const first = await post('delete', { id }, key);
    expect(first.body).toEqual({ ok: true, data: { id } });
    expect(await listed('')).not.toContain(id);
    expect((await api.get(`get?id=${id}`, own())).status).toBe(404);
    expect((await post('save', { id, name: 'back' })).status).toBe(404);
    expect((await post('activate', { id })).status).toBe(404);
    expect((await post('upload-segment', { task_id: id, chat_ids: [1] })).status).toBe(404);
    expect((await post('delete', { id })).status).toBe(404);
    expect((await post('delete', { id }, key)).body).toEqual(first.body);
    const include = [{ type: 'from_task', config: { task_id: id } }];
    expect((await post('create', { type: 'sendMessage', segmentations: { include } })).status).toBe(400);
    expect(await draft()).toBeGreaterThan(id);
  });

  it('refuses a broadcast that was launched, and one of another bot', async () => {
    const id = await draft({ ...audience, activate: true });
    const refused = await post('delete', { id });
    expect(refused.status).toBe(409);
    expect(refused.body.error).toContain('not a draft');
    const other = await api.service.createBot();
    const own = await draft();
    expect((await api.post('delete', { id: own }, { 'api-key': other.apiKey })).status).toBe(404);
    expect(await get(own)).toMatchObject({ id: own });
  });
});

describe('another type of a draft', () => {
  it('keeps the audience, its list included, and takes the message of the former type away', async () => {
    const id = await draft({ message: { text: 'first' } });
    const { segment_id } = (await post('upload-segment', { task_id: id, chat_ids: [1, 2] })).body.data;
    const segmentations = { include: [{ type: 'custom', config: { segment_id } }], exclude: [] };
    await post('save', { id, segmentations });
    expect((await post('save', { id, type: 'sendPhoto' })).body.data).toMatchObject({ type: 'sendPhoto', message: {} });
    const message = { photo: 'https://files.example/a.png', caption: 'second' };
    const saved = (await post('save', { id, message })).body.data;
    expect(saved).toMatchObject({ type: 'sendPhoto', message, segmentations });
    const variants = [
      { name: 'A', share: 50, message: { text: 'a' } },
      { name: 'B', share: 50, message: { text: 'b' } },
    ];
    expect((await post('save', { id, type: 'sendMessage', variants })).body.data).toMatchObject({
      type: 'sendMessage',
      message: {},
      variants,
    });
    const again = (await post('save', { id, type: 'sendPhoto', message })).body.data;
    expect(again).toMatchObject({ type: 'sendPhoto', message });
    expect(again.variants).toBeUndefined();
    expect(await get(id)).toEqual(again);
  });

  it('is checked with the message that comes with it, and fixed after the launch', async () => {
    const id = await draft({ message: { text: 'x' } });
    const refused = await post('save', { id, type: 'sendPhoto', message: { text: 'x' } });
    expect(refused.body.details).toMatchObject([{ path: 'message.text' }]);
    expect((await post('save', { id, type: 'sendNothing' })).body.details).toMatchObject([{ path: 'type' }]);
    await post('activate', { id, ...audience, date_send: '2090-01-01 00:00:00' });
    expect((await post('save', { id, type: 'sendPhoto' })).body.data).toMatchObject({ type: 'sendMessage' });
  });
});
