import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeBot, createBot } from '../../../src/commands/catalog/change-bot.ts';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import { type BroadcastApi, broadcastApi } from '../../support/broadcast-api.ts';
import { TOKEN } from '../../support/broadcasts.ts';
import type { TestBot } from '../../support/service.ts';

/** The access rights that each method of broadcasts needs. */
let api: BroadcastApi;
let bot: TestBot;

beforeAll(async () => {
  api = await broadcastApi();
  bot = await api.service.createBot();
});
afterAll(() => api.stop());

const complete = { type: 'sendMessage', message: { text: 'Hello' }, segmentations: { include: [{ type: 'all' }] } };
const post = (method: string, body: unknown, headers: Record<string, string> = { 'api-key': bot.apiKey }) =>
  api.post(method, body, headers);

describe('who may', () => {
  it('needs a key, a premium plan, and the bot within reach', async () => {
    const { id } = (await post('create', complete)).body.data;
    const free = await api.service.createBot({ plan: 'free' });
    const service = await api.service.createBot({ kind: 'service' });
    const second = await createBot(api.service.commands, { ownerId: bot.ownerId, name: 'Second' });
    const issued = await issueKey(api.service.commands, {
      ownerId: bot.ownerId,
      bots: 'all',
      kind: 'service',
      name: null,
      expiresAt: null,
    });
    await api.service.projected();
    for (const [method, body] of [
      ['create', complete],
      ['save', { id }],
      ['activate', { id }],
      ['cancel', { id }],
      ['upload-segment', { task_id: id, chat_ids: [1] }],
    ] as const) {
      expect((await post(method, body, {})).status).toBe(401);
      expect((await post(method, body, { 'api-key': free.apiKey })).status).toBe(403);
      expect((await post(method, body, { 'api-key': issued.apiKey })).status).toBe(400);
      // Another owner's, and another bot's of the same owner.
      if (method === 'create') continue;
      expect((await post(method, body, { 'api-key': service.apiKey })).status).toBe(404);
      const other = { 'api-key': issued.apiKey, 'resource-key': second.publicKey };
      expect((await post(method, body, other)).status).toBe(404);
    }
    for (const path of [`get?id=${id}`, 'list', `recipients?id=${id}`]) {
      expect((await api.get(path, {})).status).toBe(401);
      expect((await api.get(path, { 'api-key': free.apiKey })).status).toBe(403);
      expect((await api.get(path, { 'api-key': issued.apiKey })).status).toBe(400);
      const other = await api.get(path, { 'api-key': issued.apiKey, 'resource-key': second.publicKey });
      expect(path === 'list' ? other.body.data.items : other.status).toEqual(path === 'list' ? [] : 404);
    }
    const named = { 'api-key': issued.apiKey, 'resource-key': bot.publicKey };
    expect((await api.get(`get?id=${id}`, named)).status).toBe(200);
    expect((await post('save', { id, resource_key: bot.publicKey }, { 'api-key': issued.apiKey })).status).toBe(200);
  });
});

const COMPLETE = {
  type: 'sendMessage',
  message: { text: 'Hello' },
  segmentations: { include: [{ type: 'all' }] },
};

it('a broadcast without a token of its bot is refused at activation, and nothing is saved', async () => {
  const poor = await api.service.createBot();
  const headers = { 'api-key': poor.apiKey };
  const refusal = (path: string) => ({
    status: 400,
    body: { details: [{ path, message: expect.stringContaining('no token') }] },
  });
  expect(await api.post('create', { ...COMPLETE, activate: true }, headers)).toMatchObject(refusal('activate'));
  const { id } = (await api.post('create', COMPLETE, headers)).body.data;
  expect(await api.post('activate', { id, name: 'New' }, headers)).toMatchObject(refusal('id'));
  expect((await api.get(`get?id=${id}`, headers)).body.data).toMatchObject({ status: 0, name: null });
  await changeBot(api.service.commands, poor.publicKey, { token: TOKEN });
  expect((await api.post('activate', { id }, headers)).body.data.status).toBe(1);
});
