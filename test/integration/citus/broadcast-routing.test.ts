import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Segmentations } from '../../../src/domain/broadcast/audience.ts';
import { audienceChunkFrozen } from '../../../src/domain/broadcast/audience-frozen.ts';
import { broadcastActivated, broadcastCreated } from '../../../src/domain/broadcast/broadcast-events.ts';
import { packChats } from '../../../src/domain/broadcast/packed-chats.ts';
import { partsOf, segmentPartUploaded } from '../../../src/domain/broadcast/segment.ts';
import { batchAnswered, recipientsReopened } from '../../../src/domain/broadcast/sending-events.ts';
import type { StoredEvent } from '../../../src/domain/event-type.ts';
import {
  audienceStream,
  botStream,
  broadcastStream,
  segmentStream,
  sendingStream,
} from '../../../src/domain/streams.ts';
import { EMPTY_STREAM, type RecordedCommit } from '../../../src/log/port.ts';
import { broadcastsReadModel } from '../../../src/projections/broadcasts/read-model.ts';
import { eventsReadModel } from '../../../src/projections/events/read-model.ts';
import { recipientsReadModel } from '../../../src/projections/recipients/read-model.ts';
import { referralReadModel } from '../../../src/projections/referral/read-model.ts';
import { usersReadModel } from '../../../src/projections/users/read-model.ts';
import { audienceSize } from '../../../src/queries/broadcast/audience-size.ts';
import { audienceChats } from '../../../src/queries/broadcast/audience-sql.ts';
import { findStatistics } from '../../../src/queries/broadcast/broadcasts.ts';
import { usersOfBots } from '../../../src/queries/broadcast/recipient-users.ts';
import { allRecipients, listRecipients } from '../../../src/queries/broadcast/recipients.ts';
import { aBotCreated } from '../../support/bot-created.ts';
import { startCitus } from '../../support/citus-server.ts';
import { createTestDatabase, onServerOf, type TestDatabase } from '../../support/database.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { applyBatch } from '../../support/projection.ts';
import { createFirstTables, firstSchema } from '../../support/read-model-tables.ts';
import { expectOneNodeEach, type Sent, statementsOf } from '../../support/routing.ts';

const cluster = await startCitus();
const MODELS = [usersReadModel, eventsReadModel, referralReadModel, broadcastsReadModel, recipientsReadModel];
const [users, events, referral, broadcasts, recipients] = MODELS.map(firstSchema) as [
  string,
  string,
  string,
  string,
  string,
];
const tables = { users, events, referral, broadcasts, recipients };

/** Bots by id; each has a broadcast and a list of ten times its id. */
const BOTS = new Map([1, 2].map((id) => [id, `b${id}`]));
const CHATS = [1, 2, 3, 4];

describe.skipIf(cluster === null)('on a Citus cluster', () => {
  onServerOf(cluster);
  let database: TestDatabase;
  const log = memoryLog();

  beforeAll(async () => {
    database = await createTestDatabase();
    for (const model of MODELS) await createFirstTables(database.pool, model);
    for (const [id, bot] of BOTS) {
      await append(botStream(bot), aBotCreated(id, bot));
      const settings = { intervalCap: 10, rateLimitOnError: { stop: true, extraDelay: 0 } };
      const content = { name: null, message: {}, segmentations: '{}', settings, date_send: null };
      const created = broadcastCreated.create({ ...content, id: 10 * id, type: 'sendMessage', at: 1 });
      const activated = { id: 10 * id, launch: 1, date_send: null, activation: null, at: 2 };
      await append(broadcastStream(bot, 10 * id), created, broadcastActivated.create(activated));
    }
    await apply(log.commits[0]!);
  });
  afterAll(() => database.drop());

  let n = 0;
  async function append(stream: string, ...events: StoredEvent[]): Promise<void> {
    const { head } = await log.read(stream);
    const id = `00000000-0000-7000-8000-${String(++n).padStart(12, '0')}`;
    await log.append({ id, stream, expected: head.revision === 0 ? EMPTY_STREAM : head, at: n, events });
  }

  async function apply(commits: readonly RecordedCommit[]): Promise<void> {
    for (const model of [broadcastsReadModel, recipientsReadModel])
      await applyBatch(database.pool, model, commits, log.keys);
  }

  const expectOneNode = (schema: string, sent: readonly Sent[]) => expectOneNodeEach(database.pool, schema, sent);

  it('each statement of the projection of recipients and lists of several bots goes to one node', async () => {
    const before = log.commits[0]!.length;
    for (const [id, bot] of BOTS) {
      const broadcast_id = 10 * id;
      const chunk = { broadcast_id, index: 0, offset: 0, as_of: 1, chats: packChats(CHATS) };
      await append(audienceStream(bot, broadcast_id), audienceChunkFrozen.create(chunk));
      const [part] = partsOf(CHATS, { segment_id: broadcast_id, broadcast_id });
      await append(segmentStream(bot, broadcast_id), segmentPartUploaded.create(part!));
      const of = { claim: 1, broadcast_id };
      const refused = { outcome: 'not_delivered', reason: 'too long', of_message: true, recipients: [[1, 1]] } as const;
      const delivered = { outcome: 'delivered', reason: null, recipients: [[0, 0]] } as const;
      await append(
        sendingStream(bot, broadcast_id),
        batchAnswered.create({ ...of, outcomes: [structuredClone(delivered), structuredClone(refused)] as never }),
        recipientsReopened.create({ broadcast_id, launch: 1, recipients: [[1, 1]] }),
      );
    }
    const sent = await statementsOf(() => apply(log.commits[0]!.slice(before)));
    const isOfLists = ({ text }: Sent) => text.includes(' segments ');
    await expectOneNode(broadcasts, sent.filter(isOfLists));
    await expectOneNode(
      recipients,
      sent.filter((one) => !isOfLists(one)),
    );
    const stored = await database.pool.query(
      `SELECT bot_id, array_agg(state ORDER BY place) AS states FROM ${recipients}.recipients GROUP BY 1 ORDER BY 1`,
    );
    expect(stored.rows).toEqual([...BOTS.keys()].map((bot_id) => ({ bot_id, states: [2, 0, 0, 0] })));
  });

  it('each look-up of a sender goes to one node', async () => {
    const asked = [...BOTS.keys()].map((botId) => ({ botId, timezone: 'UTC', chats: CHATS }));
    const sent = await statementsOf(async () => {
      for (const withFields of [true, false])
        await usersOfBots({ pool: database.pool, users, referral }, asked, withFields);
    });
    expect(sent.length).toBeGreaterThanOrEqual(2 * BOTS.size);
    await expectOneNode(users, sent);
  });

  it('the statistics of a broadcast, and each page of its recipients, come from one node', async () => {
    const { pool } = database;
    const sent = await statementsOf(async () => {
      await findStatistics({ pool, recipients }, 10);
      for (const state of [null, 'delivered', 'pending'] as const) {
        const { items } = await listRecipients({ pool, recipients }, 10, { state, limit: 2, offset: 0 });
        expect(items).not.toEqual([]);
        for await (const page of allRecipients({ pool, recipients }, 10, state)) expect(page).not.toEqual([]);
      }
    });
    await expectOneNode(recipients, sent);
  });

  /** Users by a field, with those of a list, without recipients of an earlier broadcast. */
  const audience: Segmentations = {
    include: [{ type: 'all' }, { type: 'custom', segmentId: 10 }],
    exclude: [{ type: 'from_task', taskId: 10 }],
  };
  const lists: Segmentations = {
    include: [{ type: 'custom', segmentId: 10 }],
    exclude: [{ type: 'from_task', taskId: 10 }],
  };
  const source = { botId: 1, tables, asOf: 0 };

  it.each([
    ['users', audience],
    ['lists', lists],
  ])('an audience of %s comes from one node', async (_, segmentations) => {
    const { pool } = database;
    const sent = await statementsOf(async () => {
      for await (const _ of audienceChats(pool, segmentations, { ...source, after: null }));
      const question = { ...source, sample: 5, timeoutMs: 60_000, signal: new AbortController().signal };
      await audienceSize(pool, pool, segmentations, question);
    });
    const selects = sent.map(({ text, values }) => ({ text: text.replace(/^DECLARE .*? FOR /, ''), values }));
    await expectOneNode(users, selects);
  });
});
