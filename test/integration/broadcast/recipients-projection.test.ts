import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { audienceChunkFrozen } from '../../../src/domain/broadcast/audience-frozen.ts';
import * as lifecycle from '../../../src/domain/broadcast/broadcast-events.ts';
import { packChats } from '../../../src/domain/broadcast/packed-chats.ts';
import {
  batchAbandoned,
  batchAnswered,
  batchClaimed,
  recipientsReopened,
  sendingPaused,
} from '../../../src/domain/broadcast/sending-events.ts';
import type { StoredEvent } from '../../../src/domain/event-type.ts';
import { audienceStream, botStream, broadcastStream, sendingStream } from '../../../src/domain/streams.ts';
import { EMPTY_STREAM } from '../../../src/log/port.ts';
import { recipientsReadModel } from '../../../src/projections/recipients/read-model.ts';
import { aBotCreated } from '../../support/bot-created.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';
import { applyBatch } from '../../support/projection.ts';
import { createFirstTables, firstSchema } from '../../support/read-model-tables.ts';

/** The read model of recipients: its rows, and that they do not depend on how commits are cut into batches. */

const BOT = 'b1';
const ID = 1;
const schema = firstSchema(recipientsReadModel);

let database: TestDatabase;
let log: MemoryLog;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await createFirstTables(database.pool, recipientsReadModel);
  log = memoryLog();
});

let n = 0;
async function append(stream: string, ...events: StoredEvent[]): Promise<void> {
  const { head } = await log.read(stream);
  const id = `00000000-0000-7000-8000-${String(++n).padStart(12, '0')}`;
  await log.append({ id, stream, expected: head.revision === 0 ? EMPTY_STREAM : head, at: 1000 * n, events });
}

const outcomes = (claim: number, outcome: 'delivered' | 'unknown' | 'returned', ...recipients: [number, number][]) =>
  batchAnswered.create({ broadcast_id: ID, claim, outcomes: [{ outcome, reason: null, recipients }] });
const claimed = (claim: number, ...recipients: [number, number][]) =>
  batchClaimed.create({ broadcast_id: ID, launch: 1, claim, sender: 's', recipients });

async function history(): Promise<void> {
  await append(botStream(BOT), aBotCreated(7, BOT));
  const [broadcast, audience, sending] = [broadcastStream(BOT, ID), audienceStream(BOT, ID), sendingStream(BOT, ID)];
  const settings = { intervalCap: 10, rateLimitOnError: { stop: true, extraDelay: 0 } };
  const content = { name: null, message: {}, segmentations: '{}', settings, date_send: null };
  await append(broadcast, lifecycle.broadcastCreated.create({ ...content, id: ID, type: 'sendMessage', at: 1 }));
  const activated = { id: ID, launch: 1, date_send: null, at: 2, activation: '00000000-0000-7000-8000-000000000000' };
  await append(broadcast, lifecycle.broadcastActivated.create(activated));
  await append(broadcast, lifecycle.broadcastResolutionStarted.create({ id: ID, at: 3 }));
  const chunk = (index: number, offset: number, chats: number[]) =>
    audienceChunkFrozen.create({ broadcast_id: ID, index, offset, as_of: 1, chats: packChats(chats) });
  await append(audience, chunk(0, 0, [-7, 1, 2, 3]));
  await append(audience, chunk(1, 4, [10, 11, 12]));
  await append(broadcast, lifecycle.broadcastAudienceFrozen.create({ id: ID, count: 7, at: 4 }));
  await append(broadcast, lifecycle.broadcastSendingStarted.create({ id: ID, launch: 1, at: 5 }));
  await append(sending, claimed(1, [0, 3]));
  await append(sending, outcomes(1, 'delivered', [0, 1]), claimed(2, [4, 5]));
  await append(sending, outcomes(1, 'returned', [2, 2]));
  await append(sending, sendingPaused.create({ broadcast_id: ID, launch: 1, until: 9000, limited: true, error: null }));
  await append(sending, batchAbandoned.create({ broadcast_id: ID, claim: 1, recipients: [[3, 3]] }));
  await append(sending, claimed(3, [2, 2]), outcomes(2, 'delivered', [5, 5]));
  await append(sending, outcomes(3, 'unknown', [2, 2]), outcomes(2, 'returned', [4, 4]));
  await append(broadcast, lifecycle.broadcastCancelRequested.create({ id: ID, at: 6 }));
  await append(broadcast, lifecycle.broadcastStopped.create({ id: ID, error: null, at: 7 }));
}

/** Every remaining recipient is refused for the message; a third launch with another one sends to them. */
async function laterLaunches(): Promise<void> {
  const [broadcast, sending] = [broadcastStream(BOT, ID), sendingStream(BOT, ID)];
  const left: [number, number][] = [
    [4, 4],
    [6, 6],
  ];
  const claim = (claim: number, launch: number) =>
    batchClaimed.create({ broadcast_id: ID, launch, claim, sender: 's', recipients: left });
  const begin = async (launch: number): Promise<void> => {
    const activated = { id: ID, launch, date_send: null, at: 8, activation: null };
    await append(broadcast, lifecycle.broadcastActivated.create(activated));
    await append(broadcast, lifecycle.broadcastSendingStarted.create({ id: ID, launch, at: 9 }));
  };
  await begin(2);
  const refused = { outcome: 'not_delivered', reason: 'message is too long', of_message: true } as const;
  const outcomes = [{ ...refused, recipients: left }];
  await append(sending, claim(4, 2));
  await append(sending, batchAnswered.create({ broadcast_id: ID, claim: 4, outcomes }));
  await append(broadcast, lifecycle.broadcastFailed.create({ id: ID, error: 'refused', at: 10 }));
  await begin(3);
  await append(sending, recipientsReopened.create({ broadcast_id: ID, launch: 3, recipients: left }));
  await append(sending, claim(5, 3));
  const delivered = [{ outcome: 'delivered' as const, reason: null, recipients: [left[0]!] }];
  await append(sending, batchAnswered.create({ broadcast_id: ID, claim: 5, outcomes: delivered }));
}

async function rows(): Promise<unknown> {
  const tables = ['sendings', 'recipients'].map(async (table) => {
    const { rows } = await database.pool.query(`SELECT * FROM ${schema}.${table} AS t ORDER BY t::text`);
    return rows;
  });
  return Promise.all(tables);
}

test('every recipient has the state that the log says, and the counts are the sums', async () => {
  await history();
  await applyBatch(database.pool, recipientsReadModel, log.commits[0]!, log.keys);
  const { rows: recipients } = await database.pool.query(
    `SELECT chat_id::int, place, state FROM ${schema}.recipients ORDER BY place`,
  );
  expect(recipients.map(({ chat_id, state }) => [chat_id, state])).toEqual([
    [-7, 2],
    [1, 2],
    [2, 4],
    [3, 4],
    [10, 0],
    [11, 2],
    [12, 0],
  ]);
  const { rows: sendings } = await database.pool.query(`SELECT * FROM ${schema}.sendings`);
  expect(sendings).toMatchObject([
    {
      status: 4,
      count_recipients: 7,
      count_delivered: 3,
      count_not_delivered: 2,
      count_unknown: 2,
      cancelled: true,
      cancelled_at: '7',
      paused_until: null,
    },
  ]);
});

test('a recipient that was refused because of the message waits again in a later launch, and is counted so', async () => {
  await history();
  await laterLaunches();
  await applyBatch(database.pool, recipientsReadModel, log.commits[0]!, log.keys);
  const { rows: recipients } = await database.pool.query(
    `SELECT chat_id::int, state, reason, date::int FROM ${schema}.recipients WHERE place IN (4, 6) ORDER BY place`,
  );
  expect(recipients).toEqual([
    { chat_id: 10, state: 2, reason: null, date: expect.any(Number) },
    { chat_id: 12, state: 0, reason: null, date: null },
  ]);
  const { rows: sendings } = await database.pool.query(`SELECT * FROM ${schema}.sendings`);
  expect(sendings).toMatchObject([{ count_delivered: 4, count_not_delivered: 2, count_unknown: 2, cancelled: false }]);
});

test('the rows are the same however commits are cut into batches', async () => {
  await history();
  await laterLaunches();
  const commits = log.commits[0]!;
  await applyBatch(database.pool, recipientsReadModel, commits, log.keys);
  const whole = await rows();
  for (const size of [1, 2, 5]) {
    await database.pool.query(`TRUNCATE ${schema}.bots, ${schema}.sendings, ${schema}.recipients`);
    for (let from = 0; from < commits.length; from += size)
      await applyBatch(database.pool, recipientsReadModel, commits.slice(from, from + size), log.keys);
    expect(await rows()).toEqual(whole);
  }
});

test('a second outcome of a recipient, reopening one that may have been sent to, and a chat that comes twice are refused', async () => {
  await history();
  await applyBatch(database.pool, recipientsReadModel, log.commits[0]!, log.keys);
  await append(sendingStream(BOT, ID), outcomes(3, 'delivered', [2, 2]));
  const apply = () => applyBatch(database.pool, recipientsReadModel, log.commits[0]!.slice(-1), log.keys);
  await expect(apply()).rejects.toThrow('0 recipients instead of 1');
  const reopened = recipientsReopened.create({ broadcast_id: ID, launch: 2, recipients: [[2, 2]] });
  await append(sendingStream(BOT, ID), reopened);
  await expect(apply()).rejects.toThrow('0 recipients instead of 1 are reopened');
  log = memoryLog();
  const chunk = { broadcast_id: ID, index: 2, offset: 7, as_of: 1, chats: packChats([12, 13]) };
  await append(audienceStream(BOT, ID), audienceChunkFrozen.create(chunk));
  await expect(applyBatch(database.pool, recipientsReadModel, log.commits[0]!, log.keys)).rejects.toThrow('0 rows');
});
