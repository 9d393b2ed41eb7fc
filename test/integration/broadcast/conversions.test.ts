import Big from 'big.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { snapshot } from '../../../src/database/snapshot.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { parseConversion } from '../../../src/domain/broadcast/conversions.ts';
import { variantOf } from '../../../src/domain/broadcast/variant-of.ts';
import type { Problem } from '../../../src/domain/problem.ts';
import { archiveSlice } from '../../../src/projections/events/packed/archive-slice.ts';
import { setSearchPath } from '../../../src/projections/runtime/versions.ts';
import { conversionsOf } from '../../../src/queries/broadcast/count-conversions.ts';
import { startBotApi } from '../../support/bot-api-server.ts';
import { hasEnded, launch, meet, sendingBot, until } from '../../support/broadcasts.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { startTestService } from '../../support/service.ts';
import { isSuch } from './audience-oracle.ts';
import { TIMEZONES } from './audience-questions.ts';
import {
  AS_OF,
  BOT_ID,
  STORAGES,
  sampleWorld,
  storeEvents,
  storeWorld,
  TABLES,
  type WorldEvent,
} from './audience-world.ts';

/** Conversions of a broadcast against a plain fold over recipients and events. */

const DAY = 86_400_000;
const BROADCAST = 41;
/** Of places in an audience. */
const STATES = [2, 2, 2, 3, 4, 0];
const world = sampleWorld();
const events = world.events.filter(({ bot_id }) => bot_id === BOT_ID);

interface Sent {
  readonly chat: number;
  readonly state: number;
  readonly date: number;
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database?.drop());

async function store(sent: readonly Sent[]): Promise<void> {
  const table = `${TABLES.recipients}.recipients`;
  await database.pool.query(`DELETE FROM ${table} WHERE broadcast_id = ${BROADCAST}`);
  await database.pool.query(
    `INSERT INTO ${table} (broadcast_id, bot_id, place, chat_id, state, date)
     SELECT ${BROADCAST}, ${BOT_ID}, n.i - 1, n.chat, n.state, CASE WHEN n.state > 0 THEN n.date END
       FROM unnest($1::bigint[], $2::smallint[], $3::bigint[]) WITH ORDINALITY AS n (chat, state, date, i)`,
    [sent.map(({ chat }) => chat), sent.map(({ state }) => state), sent.map(({ date }) => date)],
  );
}

interface Question {
  readonly event_id: number | null;
  readonly days: number;
  readonly conditions: unknown;
}

/** The fold, from the decision's words alone. */
function expected(sent: readonly Sent[], { days, ...question }: Question, timezone: string) {
  const delivered = sent.filter(({ chat, state }) => state === 2 && chat > 0);
  const inWindow = ({ chat, date }: Sent, event: WorldEvent) =>
    event.user_id === chat && event.date >= date && event.date < date + days * DAY;
  const found = delivered.map((to) => ({
    to,
    done: events.filter((event) => inWindow(to, event) && isSuch(event, question, timezone)),
  }));
  return {
    delivered: delivered.length,
    converted: found.filter(({ done }) => done.length > 0).length,
    in_window: found.filter(({ to, done }) => done.length === 0 && to.date + days * DAY > AS_OF).length,
    events: found.flatMap(({ done }) => done).length,
    value: found
      .flatMap(({ done }) => done)
      .reduce((sum, { value_amount }) => sum.plus(value_amount ?? 0), new Big(0))
      .toFixed(),
  };
}

async function found(question: Question, shares: readonly number[], timezone: string) {
  const problems: Problem[] = [];
  const conversion = parseConversion({ ...question }, timezone, problems);
  expect(problems).toEqual([]);
  const source = { broadcastId: BROADCAST, botId: BOT_ID, shares, tables: TABLES, only: null, asOf: AS_OF };
  return snapshot(database.pool, { timeoutMs: 10_000 }, (snapshot) => conversionsOf(conversion, source, snapshot));
}

const question = fc.record({
  event_id: fc.constantFrom(null, 1, 101, 102, 999),
  days: fc.constantFrom(1, 2, 5, 90),
  conditions: fc.constantFrom(
    null,
    ['>', 'events.value_amount', 1],
    ['=', 'events.unit', 'EUR'],
    ['is', 'events.category', null],
    ['or', ['=', 'events.utm_source', 'ads'], ['not', ['like', 'events.value_str', 'a%']]],
    ['>=', 'events.date', '2025-06-08 00:00:00'],
  ),
});
const edges = fc.constantFrom(...events.map(({ date }) => date), AS_OF, AS_OF - 2 * DAY);
const sentTo = fc.record({
  chat: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 45 }) }, fc.integer({ min: -5, max: -1 })),
  state: fc.constantFrom(...STATES),
  date: fc.tuple(edges, fc.constantFrom(0, 0, 1, -1, -DAY, DAY, -2 * DAY)).map(([date, more]) => date + more),
});
const audience = fc
  .uniqueArray(sentTo, { selector: ({ chat }) => chat, maxLength: 40 })
  .map((sent) => sent.toSorted((a, b) => a.chat - b.chat));
const division = fc.constantFrom([], [50, 50], [10, 60, 30]);

/** After {@link STORAGES}: the rows of most events leave the table. */
const ALL_STORAGES = [...STORAGES, 'archived'] as const;

async function archive(): Promise<void> {
  await database.pool.query(`UPDATE ${TABLES.events}.bots SET clock = $1`, [AS_OF + 90 * DAY]);
  await inTransaction(database.pool, async (tx) => {
    await setSearchPath(tx, TABLES.events);
    while (await archiveSlice(tx, 1, { chunk: 16, newest: 5, changed: 10_000, share: 1, changedInChunk: 1 }));
  });
  const { rows } = await database.pool.query(`SELECT count(*)::int AS chunks FROM ${TABLES.events}.archive`);
  expect(rows[0].chunks).toBeGreaterThan(2);
}

it.each(ALL_STORAGES)('conversions are what a plain fold makes of them, with events %s', async (storage) => {
  await (storage === 'archived' ? archive() : storeEvents(database.pool, storage, world));
  const seen = { converted: 0, open: 0, valued: 0 };
  await fc.assert(
    fc.asyncProperty(audience, question, division, fc.constantFrom(...TIMEZONES), async (sent, given, shares, zone) => {
      await store(sent);
      const { total, variants } = await found(given, shares, zone);
      expect(total).toEqual(expected(sent, given, zone));
      const ofVariant = (index: number) => sent.filter(({ chat }) => variantOf(shares, BROADCAST, chat) === index);
      expect(variants).toEqual(shares.map((_, index) => expected(ofVariant(index), given, zone)));
      if (total.converted > 0) seen.converted++;
      if (total.in_window > 0) seen.open++;
      if (total.value !== '0') seen.valued++;
    }),
    { numRuns: 120 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10);
});

test('a broadcast over HTTP: who bought after the message, by variant, and which windows are open', async () => {
  const platform = await startBotApi();
  const service = await startTestService({ TELEGRAM_API_ROOT: platform.root });
  try {
    const bot = await sendingBot(service);
    const own = { 'api-key': bot.apiKey };
    const users = [1, 2, 3, 4, 5, 6];
    await meet(service, bot, users);
    const buy = async (user_id: number) =>
      service.post('/v1/send-event', { event: 'bought', user_id, properties: { value_num: 2.5 } }, own);
    await buy(1);
    const variants = ['A', 'B'].map((name) => ({ name, share: 50, message: { text: name } }));
    const id = await launch(service, bot, { variants, chats: [...users, -7] });
    await until(service, id, hasEnded);
    for (const user of [2, 3, 3]) expect((await buy(user)).status).toBe(200);
    await service.projected();
    const ask = (body: object) =>
      service.post('/v1/broadcast/conversions', { task_id: id, event_id: null, days: 7, ...body }, own);
    const { data } = (await ask({})).body;
    expect(data.total).toMatchObject({ delivered: 6, converted: 2, in_window: 4, events: 3 });
    expect(data.total.rate).toBeCloseTo(1 / 3, 12);
    const of = (index: number) => users.filter((user) => variantOf([50, 50], id, user) === index);
    for (const index of [0, 1])
      expect(data.variants[index]).toMatchObject({
        name: 'AB'[index],
        delivered: of(index).length,
        converted: of(index).filter((user) => user === 2 || user === 3).length,
      });
    expect(data.warnings).toEqual([]);
    expect((await ask({ event_id: 999_999 })).body.data.total).toMatchObject({
      converted: 0,
      in_window: 6,
      value: '0',
    });
    for (const [body, path] of [
      [{ days: 0 }, 'days'],
      [{ days: 91 }, 'days'],
      [{ days: null }, 'days'],
      [{ event_id: 'x' }, 'event_id'],
      [{ event_id: undefined, event: 'bought' }, 'event_id'],
      [{ conditions: ['>', 'events.nothing', 1] }, 'conditions.1'],
      [{ task_id: 0 }, 'task_id'],
    ] as const)
      expect(await ask(body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
    expect((await ask({ task_id: id + 1_000_000 })).status).toBe(404);
  } finally {
    await service.stop();
    await platform.close();
  }
});
