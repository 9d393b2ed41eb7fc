import { afterAll, beforeAll, expect, it } from 'vitest';
import { advanceBroadcast } from '../../../src/commands/broadcast/change.ts';
import { resolveAudience } from '../../../src/commands/broadcast/resolve-audience.ts';
import { createBot } from '../../../src/commands/catalog/bots.ts';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import { freezeAudience, startResolution } from '../../../src/domain/broadcast/lifecycle.ts';
import { type BroadcastApi, broadcastApi } from '../../support/broadcast-api.ts';
import { launch, TOKEN } from '../../support/broadcasts.ts';
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

/** The id of a broadcast whose audience is frozen. */
async function frozenOf(of: { readonly publicKey: string; readonly ownerId: number }): Promise<number> {
  const { commands } = api.service;
  const id = await launch({ commands }, of, { chats: [1, 2, 3] });
  const chats = async function* () {
    yield [1, 2, 3];
  };
  const name = { bot: of.publicKey, id };
  await advanceBroadcast(commands, name, startResolution);
  const { count } = await resolveAudience(commands, { bot: of.publicKey, broadcastId: id, chats });
  await advanceBroadcast(commands, name, (state, now) => freezeAudience(state, count, now));
  return id;
}

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
  const named = [second.publicKey, stranger.publicKey, 'missing'];
  const issue = (publicKey: string) =>
    fetch(`${api.address}/v1/settings/keys/issue`, {
      method: 'POST',
      headers: { 'api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ bots: [publicKey], kind: 'service' }),
    });
  const answers = await Promise.all(
    named.map(async (publicKey) => {
      const answer = await issue(publicKey);
      return [answer.status, (await answer.text()).replaceAll(publicKey, 'BOT')];
    }),
  );
  expect(answers[0]).toEqual(answers[2]);
  expect(answers[1]).toEqual(answers[2]);
});
