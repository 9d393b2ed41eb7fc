import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import { frozenBroadcast } from '../../support/bot-things.ts';
import { type BroadcastApi, broadcastApi } from '../../support/broadcast-api.ts';
import { TOKEN } from '../../support/broadcasts.ts';
import type { TestBot } from '../../support/service.ts';

/** Ids of another bot of the owner and of another owner, given with a key for one bot (decisions.md#foreign-ids). */
let api: BroadcastApi;
let bot: TestBot;
let second: { readonly publicKey: string; readonly ownerId: number };
let stranger: TestBot;
beforeAll(async () => {
  api = await broadcastApi();
  const { commands } = api.service;
  bot = await api.service.createBot({ token: TOKEN });
  stranger = await api.service.createBot({ token: TOKEN });
  const created = await createBot(commands, { ownerId: bot.ownerId, name: 'Second', token: TOKEN });
  second = { publicKey: created.publicKey, ownerId: bot.ownerId };
  await api.service.projected();
});
afterAll(() => api.stop());

const MISSING = 999_999;

const frozenOf = (of: { readonly publicKey: string; readonly ownerId: number }) => frozenBroadcast(api.service, of);
const fromTask = (task_id: number) => ({ include: [{ type: 'from_task', config: { task_id } }] });

it('does not count or activate an audience from a broadcast outside the scope of the key', async () => {
  const headers = { 'api-key': bot.apiKey };
  const ids = [MISSING, await frozenOf(second), await frozenOf(stranger)];
  for (const method of ['audience-size', 'create'] as const) {
    const more = method === 'create' ? { type: 'sendMessage', message: { text: 'Hello' }, activate: true } : {};
    const ask = (id: number) => api.post(method, { ...more, segmentations: fromTask(id) }, headers);
    const [missing, ...foreign] = await Promise.all(ids.map(ask));
    expect([missing!.status, JSON.stringify(missing!.body)]).toEqual([
      400,
      expect.stringContaining('no such broadcast'),
    ]);
    for (const { status, body } of foreign) expect([status, body]).toEqual([missing!.status, missing!.body]);
  }
  const own = await api.post('audience-size', { segmentations: fromTask(await frozenOf(bot)) }, headers);
  expect(own.status).toBe(200);
});

it('does not store the id of such a broadcast in a draft', async () => {
  const headers = { 'api-key': bot.apiKey };
  const message = { text: 'Hello' };
  const { id } = (await api.post('create', { type: 'sendMessage', message }, headers)).body.data;
  const answers = await Promise.all(
    [MISSING, await frozenOf(second), await frozenOf(stranger)].map(async (task) => {
      const created = await api.post('create', { type: 'sendMessage', segmentations: fromTask(task) }, headers);
      const saved = await api.post('save', { id, segmentations: fromTask(task) }, headers);
      return [created.status, created.body, saved.status, saved.body];
    }),
  );
  expect(answers[0]).toEqual([400, expect.anything(), 400, expect.anything()]);
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
});

it('a key for all bots of the owner still makes an audience from a broadcast of another bot', async () => {
  const key = { ownerId: bot.ownerId, bots: 'all', kind: 'service', name: null, expiresAt: null } as const;
  const { apiKey } = await issueKey(api.service.commands, key);
  await api.service.projected();
  const headers = { 'api-key': apiKey, 'resource-key': bot.publicKey };
  const size = await api.post('audience-size', { segmentations: fromTask(await frozenOf(second)) }, headers);
  expect(size.status).toBe(200);
});

it('issues no key for a foreign bot and does not tell whether it exists', async () => {
  const key = { ownerId: bot.ownerId, bots: [bot.publicKey], kind: 'owner', name: null, expiresAt: null } as const;
  const { apiKey } = await issueKey(api.service.commands, key);
  await api.service.projected();
  const issue = (...bots: string[]) =>
    fetch(`${api.address}/v1/settings/keys/issue`, {
      method: 'POST',
      headers: { 'api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ bots, kind: 'service' }),
    });
  const answerTo = async (bots: readonly string[]) => {
    const answer = await issue(...bots);
    return [answer.status, await answer.text()];
  };
  const refused = await answerTo(['missing']);
  expect(refused[0]).toBe(404);
  const own = bot.publicKey;
  for (const foreign of [second.publicKey, stranger.publicKey])
    for (const bots of [[foreign], [foreign, 'missing'], ['missing', foreign], [own, foreign], [foreign, own]])
      expect(await answerTo(bots), bots.join()).toEqual(refused);
});
