import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeAnswer } from '../../../src/api/broadcast/schemas.ts';
import { advanceBroadcast } from '../../../src/commands/broadcast/change-broadcast.ts';
import { resolveAudience } from '../../../src/commands/broadcast/resolve-audience.ts';
import { changeBot, createBot } from '../../../src/commands/catalog/change-bot.ts';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import { importUsers } from '../../../src/commands/intake/import-users.ts';
import { MESSAGE_TYPES } from '../../../src/domain/broadcast/broadcast-events.ts';
import { freezeAudience, startResolution, startSending } from '../../../src/domain/broadcast/broadcast-steps.ts';
import { type BroadcastApi, broadcastApi } from '../../support/broadcast-api.ts';
import { TOKEN } from '../../support/broadcasts.ts';
import type { Answer, TestBot } from '../../support/service.ts';

/** Contents that broadcasts accept and refuse over HTTP, and chats that are uploaded for them. */
let api: BroadcastApi;
let bot: TestBot;

beforeAll(async () => {
  api = await broadcastApi();
  bot = await api.service.createBot({ timezone: 'Asia/Kolkata', token: TOKEN });
});
afterAll(() => api.stop());

const own = (more: object = {}) => ({ 'api-key': bot.apiKey, ...more });
const post = (method: string, body: unknown, headers: Record<string, string> = own()): Promise<Answer> =>
  api.post(method, body, headers);
const draft = async (body: object = {}): Promise<number> =>
  (await post('create', { type: 'sendMessage', ...body })).body.data.id;
/** Freezes an audience of these chats. */
async function freeze(id: number, chats: readonly number[], publicKey = bot.publicKey): Promise<void> {
  const { commands } = api.service;
  const name = { bot: publicKey, id };
  await advanceBroadcast(commands, name, startResolution);
  const { count } = await resolveAudience(commands, {
    bot: publicKey,
    broadcastId: id,
    async *chats({ after }) {
      if (after === null) yield chats;
    },
  });
  await advanceBroadcast(commands, name, (state, now) => freezeAudience(state, count, now));
}

describe('a body', () => {
  it.each<[string, unknown, string]>([
    ['create', [], ''],
    ['create', {}, 'type'],
    ['create', { type: 'sendPoll' }, 'type'],
    ['create', { type: 'sendMessage', name: '' }, 'name'],
    ['create', { type: 'sendMessage', name: 'x'.repeat(251) }, 'name'],
    ['create', { type: 'sendMessage', name: 1 }, 'name'],
    ['create', { type: 'sendMessage', name: 'a\0' }, 'name'],
    ['create', { type: 'sendMessage', message: 'Hello' }, 'message'],
    ['create', { type: 'sendMessage', message: { caption: 'x' } }, 'message.caption'],
    ['create', { type: 'sendMessage', message: { text: '<b>x', parse_mode: 'html' } }, 'message.text'],
    ['create', { type: 'sendMessage', message: { text: '{% assign x = 1 %}' } }, 'message.text'],
    ['create', { type: 'sendMessage', settings: { intervalCap: 31 } }, 'settings.intervalCap'],
    ['create', { type: 'sendMessage', segmentations: { include: [{ type: 'x' }] } }, 'segmentations.include.0.type'],
    [
      'create',
      { type: 'sendMessage', segmentations: { include: [{ type: 'custom', config: { segment_id: 1 } }] } },
      'segmentations.include.0.config.segment_id',
    ],
    ['create', { type: 'sendMessage', date_send: '2027-02-30 10:00:00' }, 'date_send'],
    ['create', { type: 'sendMessage', date_send: '2027-02-03T10:00:00Z' }, 'date_send'],
    ['create', { type: 'sendMessage', date_send: 1 }, 'date_send'],
    ['create', { type: 'sendMessage', date_send: '2101-01-01 00:00:00' }, 'date_send'],
    ['create', { type: 'sendMessage', activate: 'true' }, 'activate'],
    ['save', {}, 'id'],
    ['save', { id: '1' }, 'id'],
    ['save', { id: 1.5 }, 'id'],
    ['save', { id: -1 }, 'id'],
    ['activate', { id: null }, 'id'],
    ['cancel', {}, 'id'],
    ['cancel', 1, ''],
    ['upload-segment', { chat_ids: [1] }, 'task_id'],
  ])('%s %j is refused at %s', async (method, body, path) => {
    const answer = await post(method, body);
    expect(answer).toMatchObject({ status: 400, body: { ok: false, error_code: 400 } });
    expect(answer.body.details.map((detail: { path: string }) => detail.path)).toEqual([path]);
  });

  it('names every mistake, with what would be taken', async () => {
    const body = { type: 'sendVoice', name: 1, message: { voice: '', text: 'x' }, settings: 1, date_send: 'x' };
    const { details } = (await post('create', body)).body;
    expect(details.map(({ path }: { path: string }) => path)).toEqual([
      'name',
      'message.voice',
      'message.text',
      'settings',
      'date_send',
    ]);
    expect(details[2].allowed).toEqual(['voice', 'caption']);
    expect((await post('create', { type: 'x' })).body.details[0].allowed).toEqual([...MESSAGE_TYPES]);
  });

  it('is not checked for an unknown broadcast', async () => {
    for (const method of ['save', 'activate', 'cancel'])
      expect(await post(method, { id: 2 ** 40, name: 1 })).toMatchObject({ status: 404, body: { error_code: 404 } });
    expect(await post('upload-segment', { task_id: 2 ** 40 })).toMatchObject({
      status: 404,
      body: { details: [{ path: 'task_id' }] },
    });
    for (const id of ['', '0', '-1', 'x', '1.5', '9'.repeat(30)])
      expect((await api.get(`get?id=${id}`, own())).status).toBe(400);
    expect((await api.get('get', own())).status).toBe(400);
    expect((await api.get(`get?id=${2 ** 40}`, own())).status).toBe(404);
  });

  it('names the place of a mistake in a template, and the nearest name', async () => {
    const message = {
      text: 'Hi,\n{{ user.firstname }}',
      reply_markup: { inline_keyboard: [[{ text: '{{ user.last_name or "x" }}', url: 'https://a.example' }]] },
    };
    expect((await post('create', { type: 'sendMessage', message })).body.details).toEqual([
      {
        path: 'message.text',
        message: expect.stringMatching(/line 2, column 4: there is no user.firstname: use user.first_name/),
      },
      { path: 'message.reply_markup.inline_keyboard.0.0.text', message: expect.stringContaining('use | default:') },
    ]);
  });

  it('is warned which custom fields were not looked up, beyond 20 of them', async () => {
    const text = Array.from({ length: 22 }, (_, n) => `{{ user.custom_fields.f${n} }}`).join('');
    const { body } = await post('create', { type: 'sendMessage', message: { text } });
    const messages = (body.warnings as { message: string }[]).map(({ message }) => message);
    expect(messages.filter((message) => message.startsWith('no user of the bot has'))).toHaveLength(20);
    expect(messages.filter((message) => message.includes('only 20 names'))).toHaveLength(2);
  });

  it('is warned of a custom field that no user has yet, and of a date that is past', async () => {
    await importUsers(api.service.commands, bot.publicKey, [{ user_id: 1, custom_fields: { city: 'Pune' } }]);
    await api.service.projected();
    const buttons = [[{ text: 'Go', url: 'https://a.example/{{ user.custom_fields.town }}' }]];
    const message = {
      text: '{{ user.custom_fields.city }} {{ user.custom_fields.size }}',
      reply_markup: { inline_keyboard: buttons },
    };
    const key = own({ 'idempotency-key': 'warned' });
    const body = { type: 'sendMessage', message, date_send: '2020-01-01 00:00:00' };
    const created = await post('create', body, key);
    const past = { path: 'date_send', message: expect.stringContaining('past') };
    expect(created).toMatchObject({ status: 200, body: { ok: true } });
    expect(created.body.warnings).toEqual([
      { path: 'message.text', message: 'no user of the bot has the custom field size yet' },
      {
        path: 'message.reply_markup.inline_keyboard.0.0.url',
        message: 'no user of the bot has the custom field town yet',
      },
      past,
    ]);
    expect(changeAnswer.parse(created.body)).toBeDefined();
    await importUsers(api.service.commands, bot.publicKey, [{ user_id: 1, custom_fields: { size: 'M', town: 'x' } }]);
    await api.service.projected();
    expect((await post('create', body, key)).body).toEqual(created.body);
    const { id } = created.body.data;
    expect((await post('save', { id, message })).body.warnings).toEqual([past]);
    expect((await post('save', { id, date_send: '2099-01-01 00:00:00' })).body).not.toHaveProperty('warnings');
  });

  it('keeps the digits of its audience', async () => {
    const condition = '["=","users.custom_fields.n",0.10000000000000000001]';
    const body = `{"type":"sendMessage","segmentations":{"include":[{"type":"filter","config":{"user_conditions":${condition}}}]}}`;
    const { id } = (await post('create', body)).body.data;
    const response = await fetch(`${api.address}/v1/broadcast/get?id=${id}`, { headers: own() });
    expect(await response.text()).toContain(condition);
  });

  it('may ask for more speed once the bot pays for it', async () => {
    const fast = { type: 'sendMessage', settings: { intervalCap: 1000 } };
    expect((await post('create', fast)).status).toBe(400);
    await changeBot(api.service.commands, bot.publicKey, { paid_broadcasts: true });
    expect((await post('create', fast)).body.data.settings.intervalCap).toBe(1000);
    expect((await post('create', { type: 'sendMessage', settings: { intervalCap: 1001 } })).status).toBe(400);
  });

  it('never ends in a 5xx, whatever it is', async () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom<unknown>('{{', '{% if x %}', '<b>', '\0', 2 ** 60, '2027-01-01 00:00:00', 'sendMessage', 1),
    );
    const key = fc.constantFrom(
      'type',
      'id',
      'task_id',
      'name',
      'message',
      'settings',
      'segmentations',
      'date_send',
      'activate',
      'chat_ids',
    );
    const body = fc.oneof(value, fc.dictionary(key, value));
    const method = fc.constantFrom('create', 'save', 'activate', 'cancel', 'upload-segment');
    const id = await draft();
    await fc.assert(
      fc.asyncProperty(method, body, async (to, given) => {
        const named =
          typeof given === 'object' && given !== null ? { type: 'sendMessage', id, task_id: id, ...given } : given;
        const { status, body: answer } = await post(to, JSON.stringify(named));
        expect([200, 400, 404]).toContain(status);
        expect(answer.ok).toBe(status === 200);
        if (status === 400) expect(answer.details.length).toBeGreaterThan(0);
      }),
      { numRuns: 120 },
    );
  });
});

describe('upload-segment', () => {
  const upload = (body: object, headers = own()): Promise<Answer> => post('upload-segment', body, headers);
  const custom = (...ids: number[]) => ({ include: ids.map((id) => ({ type: 'custom', config: { segment_id: id } })) });

  it('keeps a list for one draft, without duplicates', async () => {
    const id = await draft({ message: { text: 'x' } });
    const first = await upload({ task_id: id, chat_ids: [5, -1001234567890123, 5, 7, 5] });
    expect(first.body).toEqual({
      ok: true,
      data: { segment_id: expect.any(Number), count_list: 3, duplicates: 2 },
    });
    const second = await upload({ task_id: id, chat_ids: [7] });
    const ids = [first, second].map(({ body }) => body.data.segment_id);
    expect(ids[0]).not.toBe(ids[1]);
    const other = await draft();
    const refused = await post('save', { id: other, segmentations: custom(ids[0]) });
    expect(refused).toMatchObject({
      status: 400,
      body: { details: [{ path: 'segmentations.include.0.config.segment_id' }] },
    });
    const key = own({ 'idempotency-key': 'third' });
    const third = await upload({ task_id: id, chat_ids: [9] }, key);
    const { body } = await post('activate', { id, segmentations: custom(...ids) });
    expect(body.data.status).toBe(1);
    expect((await upload({ task_id: id, chat_ids: [9] }, key)).body).toEqual(third.body);
    for (let i = 0; i < 2; i++)
      expect((await upload({ task_id: id, chat_ids: [9] }, own({ 'idempotency-key': 'late' }))).status).toBe(400);
    expect(await upload({ task_id: id, chat_ids: [8] })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'task_id' }] },
    });
  });

  it('takes a long list in one request, and a repeat of it once', async () => {
    const id = await draft();
    const chat_ids = Array.from({ length: 120_000 }, (_, index) => 1_000_000_000 + index * 7);
    const key = own({ 'idempotency-key': 'long' });
    const first = await upload({ task_id: id, chat_ids }, key);
    expect(first.body.data).toMatchObject({ count_list: 120_000, duplicates: 0 });
    expect((await upload({ task_id: id, chat_ids }, key)).body).toEqual(first.body);
    expect((await upload({ task_id: id, chat_ids: [1] }, key)).status).toBe(422);
    const { rows } = await api.service.database.pool.query(
      'SELECT s.parts, s.stored, count(*)::int FROM broadcasts_v1.segments s JOIN broadcasts_v1.segment_chats c USING (segment_id) WHERE s.broadcast_id = $1 GROUP BY 1, 2',
      [id],
    );
    expect(rows).toEqual([{ parts: 3, stored: 3, count: 120_000 }]);
  });

  it.each<[unknown, string]>([
    [undefined, 'chat_ids'],
    [[], 'chat_ids'],
    [1, 'chat_ids'],
    [[1, 0], 'chat_ids.1'],
    [[1.5], 'chat_ids.0'],
    [['1'], 'chat_ids.0'],
    [[2 ** 53], 'chat_ids.0'],
  ])('refuses %j', async (chat_ids, path) => {
    const answer = await upload({ task_id: await draft(), chat_ids });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path }] } });
  });
});

describe('an audience of another broadcast', () => {
  it('must be there, of the owner, and frozen, when it is activated', async () => {
    const other = await createBot(api.service.commands, { ownerId: bot.ownerId, name: 'Other', token: TOKEN });
    const issued = await issueKey(api.service.commands, {
      ownerId: bot.ownerId,
      bots: [other.publicKey],
      kind: 'service',
      name: null,
      expiresAt: null,
    });
    const stranger = await api.service.createBot({ token: TOKEN });
    const launched = {
      type: 'sendMessage',
      message: { text: 'x' },
      segmentations: { include: [{ type: 'all' }] },
      activate: true,
    };
    const made = async (key: string) => (await post('create', launched, { 'api-key': key })).body.data.id as number;
    const [source, foreign] = [await made(issued.apiKey), await made(stranger.apiKey)];
    const id = await draft({ message: { text: 'x' } });
    const activate = (task_id: number) =>
      post('activate', { id, segmentations: { include: [{ type: 'from_task', config: { task_id } }] } });
    for (const task of [source, foreign, id, 2 ** 40])
      expect(await activate(task)).toMatchObject({
        status: 400,
        body: { details: [{ path: 'segmentations.include.0.config.task_id' }] },
      });
    await freeze(source, [1], other.publicKey);
    await api.service.projected();
    expect(await activate(source), 'outside the scope of the key').toMatchObject({ status: 400 });
    const wide = { ownerId: bot.ownerId, bots: 'all' as const, kind: 'service' as const, name: null, expiresAt: null };
    const { apiKey } = await issueKey(api.service.commands, wide);
    const segmentations = { include: [{ type: 'from_task', config: { task_id: source } }] };
    const headers = { 'api-key': apiKey, 'resource-key': bot.publicKey };
    await expect.poll(async () => (await post('activate', { id, segmentations }, headers)).body.data?.status).toBe(1);
  });
});

describe('recipients', () => {
  it('are shown by chat id, in pages and by state', async () => {
    const id = await draft({ message: { text: 'x' }, segmentations: { include: [{ type: 'all' }] }, activate: true });
    const recipients = async (query = '') => (await api.get(`recipients?id=${id}${query}`, own())).body.data;
    expect(await recipients()).toEqual({ items: [], total: 0, limit: 100, offset: 0 });
    await freeze(id, [-100, 1, 2, 3]);
    await advanceBroadcast(api.service.commands, { bot: bot.publicKey, id }, startSending);
    await api.service.projected();
    const pending = (chat_id: number) => ({ chat_id, state: 'pending', reason: null, date: null });
    expect(await recipients()).toEqual({ items: [-100, 1, 2, 3].map(pending), total: 4, limit: 100, offset: 0 });
    expect(await recipients('&limit=2&offset=1')).toEqual({
      items: [1, 2].map(pending),
      total: 4,
      limit: 2,
      offset: 1,
    });
    expect(await recipients('&state=pending&offset=3')).toMatchObject({ items: [pending(3)], total: 4 });
    expect(await recipients('&state=delivered')).toMatchObject({ items: [], total: 0 });
    for (const query of ['&limit=0', '&limit=501', '&offset=-1', '&state=sent'])
      expect((await api.get(`recipients?id=${id}${query}`, own())).status).toBe(400);
    expect((await api.get('recipients', own())).status).toBe(400);
    expect((await api.get(`recipients?id=${2 ** 40}`, own())).status).toBe(404);
  });
});
