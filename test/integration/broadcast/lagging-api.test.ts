import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advanceBroadcast } from '../../../src/commands/broadcast/change-broadcast.ts';
import { resolveAudience } from '../../../src/commands/broadcast/resolve-audience.ts';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import {
  finishBroadcast,
  freezeAudience,
  startResolution,
  startSending,
} from '../../../src/domain/broadcast/broadcast-steps.ts';
import { broadcastsReadModel } from '../../../src/projections/broadcasts/read-model.ts';
import { recipientsReadModel } from '../../../src/projections/recipients/read-model.ts';
import { type BroadcastApi, broadcastApi } from '../../support/broadcast-api.ts';
import { TOKEN } from '../../support/broadcasts.ts';
import { onOwnServer } from '../../support/database.ts';
import { firstSchema } from '../../support/read-model-tables.ts';
import type { Answer, TestBot } from '../../support/service.ts';

onOwnServer();

/** Answers about broadcasts while the read models cannot follow the log. */
let api: BroadcastApi;
let bot: TestBot;

beforeAll(async () => {
  api = await broadcastApi();
  bot = await api.service.createBot({ token: TOKEN });
});
afterAll(() => api.stop());

const own = () => ({ 'api-key': bot.apiKey });
const post = (method: string, body: unknown, headers: Record<string, string> = own()): Promise<Answer> =>
  api.post(method, body, headers);
const get = (id: number, headers = own()): Promise<Answer> => api.get(`get?id=${id}`, headers);

const complete = {
  type: 'sendMessage',
  message: { text: 'Hello' },
  segmentations: { include: [{ type: 'list', config: { chat_ids: [1, 2, 3] } }] },
};

/** Holds the tables against every writer while `work` runs. */
async function whileLocked(schemas: readonly string[], work: () => Promise<void>): Promise<void> {
  const { pool } = api.service.database;
  const { rows } = await pool.query<{ name: string }>(
    `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname = ANY ($1)`,
    [schemas],
  );
  expect(rows.length).toBeGreaterThan(0);
  const locker = await pool.connect();
  try {
    await locker.query(`BEGIN; LOCK TABLE ${rows.map(({ name }) => name).join()} IN SHARE ROW EXCLUSIVE MODE`);
    await work();
  } finally {
    await locker.query('ROLLBACK');
    locker.release();
  }
  await api.service.projected();
}

/** Takes a broadcast that was activated to its frozen audience. */
async function freeze(id: number, publicKey = bot.publicKey): Promise<void> {
  const { commands } = api.service;
  const name = { bot: publicKey, id };
  await advanceBroadcast(commands, name, startResolution);
  const chats = [1, 2, 3];
  const { count } = await resolveAudience(commands, {
    bot: publicKey,
    broadcastId: id,
    async *chats({ after }) {
      if (after === null) yield chats;
    },
  });
  await advanceBroadcast(commands, name, (state, now) => freezeAudience(state, count, now));
}

describe('while the read models of broadcasts lag', () => {
  it('each method reads a broadcast and its lists from the log', async () => {
    const { ownerId } = bot;
    const other = await createBot(api.service.commands, { ownerId, name: 'Other', token: TOKEN });
    const key = { ownerId, bots: [other.publicKey], kind: 'service' as const, name: null, expiresAt: null };
    const { apiKey } = await issueKey(api.service.commands, key);
    const ofBoth = await issueKey(api.service.commands, { ...key, bots: 'all' });
    const wide = { 'api-key': ofBoth.apiKey, 'resource-key': bot.publicKey };
    await api.service.projected();

    await whileLocked([broadcastsReadModel, recipientsReadModel].map(firstSchema), async () => {
      const [made, theirs] = await Promise.all([
        post('create', complete),
        post('create', { ...complete, activate: true }, { 'api-key': apiKey }),
      ]);
      const { id } = made.body.data;
      expect(await get(id)).toMatchObject({ status: 200, body: made.body });
      expect(await api.get(`recipients?id=${id}`, own())).toMatchObject({ status: 200, body: { data: { total: 0 } } });

      const uploaded = await post('upload-segment', { task_id: id, chat_ids: [7, 8] });
      const custom = { type: 'custom', config: { segment_id: uploaded.body.data.segment_id } };
      const segmentations = { include: [custom], exclude: [] };
      const saved = await post('save', { id, name: 'Saved', segmentations });
      expect(saved).toMatchObject({ status: 200, body: { data: { name: 'Saved', segmentations } } });
      expect((await get(id)).body).toEqual(saved.body);
      const stranger = await post('save', {
        id: made.body.data.id,
        segmentations: { include: [{ ...custom, config: { segment_id: 2 ** 40 } }] },
      });
      expect(stranger).toMatchObject({
        status: 400,
        body: { details: [{ path: 'segmentations.include.0.config.segment_id' }] },
      });

      await freeze(theirs.body.data.id, other.publicKey);
      const from = { type: 'from_task', config: { task_id: theirs.body.data.id } };
      const activated = await post('activate', { id, segmentations: { include: [custom, from] } }, wide);
      expect(activated).toMatchObject({ status: 200, body: { data: { status: 1 } } });
      expect((await get(id)).body).toEqual(activated.body);
      expect((await post('cancel', { id })).body.data.status).toBe(0);
      expect((await get(id)).body.data).toMatchObject({ status: 0, date_activate: null });
      expect((await get(id, { 'api-key': apiKey })).status).toBe(404);
    });
  });

  it('a broadcast is shown as ended only with its final counts', async () => {
    const { id } = (await post('create', { ...complete, activate: true })).body.data;
    const name = { bot: bot.publicKey, id };
    await whileLocked([firstSchema(recipientsReadModel)], async () => {
      await freeze(id);
      await advanceBroadcast(api.service.commands, name, startSending);
      await advanceBroadcast(api.service.commands, name, finishBroadcast);
      const shown = { status: 2, date_finish: null, count_recipients: 3, count_delivered: 0 };
      expect((await get(id)).body.data).toMatchObject(shown);
      expect((await post('save', { id, name: 'Late' })).body.data).toMatchObject(shown);
      const { items } = (await api.get('list?limit=1', own())).body.data;
      expect(items).toMatchObject([{ id, ...shown }]);
      expect((await api.get('list?filters[status]=2', own())).body.data.items).toMatchObject([{ id }]);
    });
    expect((await get(id)).body.data).toMatchObject({ status: 3, date_finish: expect.any(String) });
    expect((await api.get('list?limit=1', own())).body.data.items).toMatchObject([{ id, status: 3 }]);
  });
});
