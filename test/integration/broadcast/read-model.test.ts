import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { activateBroadcast, cancelBroadcast } from '../../../src/commands/broadcast/activation.ts';
import {
  advanceBroadcast,
  archiveBroadcast,
  deleteBroadcast,
  saveBroadcast,
} from '../../../src/commands/broadcast/change-broadcast.ts';
import { createBroadcast } from '../../../src/commands/broadcast/create-broadcast.ts';
import { uploadSegment } from '../../../src/commands/broadcast/upload-segment.ts';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import type { CommandContext } from '../../../src/commands/decide-and-append.ts';
import { createIdPool } from '../../../src/commands/reserve-ids.ts';
import {
  failBroadcast,
  finishBroadcast,
  freezeAudience,
  startResolution,
  startSending,
} from '../../../src/domain/broadcast/broadcast-steps.ts';
import { DEFAULT_SETTINGS } from '../../../src/domain/broadcast/settings.ts';
import { broadcastsReadModel } from '../../../src/projections/broadcasts/read-model.ts';
import { anOwner } from '../../support/catalog.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';
import { type Partitions, partitionsOf } from '../../support/partitions.ts';
import { applyBatch } from '../../support/projection.ts';
import { firstSchema } from '../../support/read-model-tables.ts';
import { testSources } from '../../support/test-sources.ts';

let database: TestDatabase;
let log: MemoryLog;
let partitions: Partitions['partitions'];
let project: Partitions['project'];

beforeAll(async () => {
  database = await createTestDatabase();
  log = memoryLog(64);
  const context = { log, sources: testSources() };
  const ownerId = await anOwner(context);
  for (const name of ['First', 'Second']) {
    const { publicKey } = await createBot(context, { ownerId, name });
    await aBusyBot(context, ownerId, publicKey);
  }
  ({ partitions, project } = await partitionsOf(database.pool, broadcastsReadModel, log));
});
afterAll(() => database.drop());

const content = {
  name: 'Ärger, "quoted"',
  message: { text: 'Hello\n\\' },
  segmentations: '{"include":[{"type":"filter","config":{"user_conditions":["=","x",0.10]}}],"exclude":[]}',
  settings: DEFAULT_SETTINGS,
  date_send: null,
};

/** A draft with lists, one that was cancelled and archived, a deleted one, one that has finished, and one that failed and was launched again. */
async function aBusyBot(context: CommandContext, ownerId: number, bot: string): Promise<void> {
  const ids = { broadcast: createIdPool(context, 'broadcast'), segment: createIdPool(context, 'segment') };
  const create = async (): Promise<number> => {
    const command = { ids: ids.broadcast, bot, ownerId, type: 'sendMessage', content, activate: null } as const;
    return (await createBroadcast(context, command, {})).broadcast.id;
  };
  const activate = (id: number) =>
    activateBroadcast(context, { bot, id, ownerId, changes: { name: null }, ready: () => undefined }, {});
  const draft = await create();
  await uploadSegment(context, ids.segment, { bot, id: draft }, [-5, 3, 9], {});
  await saveBroadcast(context, { bot, id: draft }, { name: 'Saved', date_send: 1_800_000_000_000 }, {});
  await uploadSegment(context, ids.segment, { bot, id: draft }, [3], {});
  const cancelled = await create();
  await activate(cancelled);
  await cancelBroadcast(context, { bot, id: cancelled, ownerId }, {});
  await archiveBroadcast(context, { bot, id: cancelled, archived: true }, {});
  const deleted = await create();
  await uploadSegment(context, ids.segment, { bot, id: deleted }, [4], {});
  await deleteBroadcast(context, { bot, id: deleted }, {});
  for (const fails of [false, true]) {
    const id = await create();
    await activate(id);
    const name = { bot, id };
    await advanceBroadcast(context, name, startResolution);
    await advanceBroadcast(context, name, (state, now) => freezeAudience(state, 10, now));
    await advanceBroadcast(context, name, startSending);
    if (fails) {
      await advanceBroadcast(context, name, (state, now) => failBroadcast(state, 'Unauthorized', now));
      await activate(id);
    } else await advanceBroadcast(context, name, finishBroadcast);
  }
}

it('holds the state of the log', async () => {
  await project([], 1000);
  const { rows } = await database.pool.query(
    `SELECT bot_id, owner_id::int, status, name, name_folded, date_send::float8, frozen::int, archived,
            broadcast::jsonb -> 'message' ->> 'text' AS text, broadcast::jsonb ->> 'segmentations' AS segmentations
     FROM ${firstSchema(broadcastsReadModel)}.broadcasts WHERE bot_id = 1 ORDER BY id`,
  );
  const { segmentations } = content;
  const common = {
    bot_id: 1,
    owner_id: 1,
    text: 'Hello\n\\',
    segmentations,
    frozen: null,
    date_send: null,
    archived: false,
  };
  expect(rows).toEqual([
    { ...common, status: 0, name: 'Saved', name_folded: 'saved', date_send: 1_800_000_000_000 },
    { ...common, status: 0, name: null, name_folded: null, archived: true },
    { ...common, status: 3, name: null, name_folded: null, frozen: 10 },
    { ...common, status: 1, name: null, name_folded: null, frozen: 10 },
  ]);
  const chats = await database.pool.query(
    `SELECT count::int, parts, stored, array_agg(chat_id::int ORDER BY chat_id) AS chats
     FROM ${firstSchema(broadcastsReadModel)}.segments JOIN ${firstSchema(broadcastsReadModel)}.segment_chats
       USING (segment_id) GROUP BY segment_id, 1, 2, 3 ORDER BY segment_id`,
  );
  const [list, single, ofDeleted] = [
    { count: 3, parts: 1, stored: 1, chats: [-5, 3, 9] },
    { count: 1, parts: 1, stored: 1, chats: [3] },
    { count: 1, parts: 1, stored: 1, chats: [4] },
  ];
  expect(chats.rows).toEqual([list, single, ofDeleted, list, single, ofDeleted]);
});

it('is the same however the partitions interleave and the batches are cut', async () => {
  const expected = await project([], 1000);
  const partition = fc.integer({ min: 0, max: partitions.length - 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(partition, { maxLength: 40 }), fc.integer({ min: 1, max: 12 }), async (order, size) => {
      expect(await project(order, size)).toEqual(expected);
    }),
    { numRuns: 10 },
  );
});

it('stops at a broadcast of a bot that is not there, and at a part that does not follow', async () => {
  await project([], 1000);
  const all = partitions.flat();
  const created = all.find(({ events }) => events[0]?.type === 'broadcast_created')!;
  const stray = { ...created, stream: 'broadcast-bNone/9' };
  await expect(applyBatch(database.pool, broadcastsReadModel, [stray], log.keys)).rejects.toThrow(
    '0 rows instead of 1',
  );
  const part = all.find(({ events }) => events[0]?.type === 'segment_part_uploaded')!;
  await expect(applyBatch(database.pool, broadcastsReadModel, [part], log.keys)).rejects.toThrow('does not follow');
});
