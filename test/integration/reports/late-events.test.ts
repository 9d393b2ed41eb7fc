import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Snapshot, snapshot } from '../../../src/database/snapshot.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { SYSTEM_EVENTS } from '../../../src/domain/intake/system-events.ts';
import type { LedgerEvent } from '../../../src/domain/ledger-events.ts';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import type { PackLimits } from '../../../src/projections/events/packed/due.ts';
import { packSlice } from '../../../src/projections/events/packed/pack.ts';
import { eventsReadModel } from '../../../src/projections/events/read-model.ts';
import { applyTo } from '../../../src/projections/runtime/apply.ts';
import { usersReadModel } from '../../../src/projections/users/read-model.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { StoredEventSource } from '../../../src/queries/reports/chunks.ts';
import { reportRunner } from '../../../src/queries/reports/run-report.ts';
import { findEvents } from '../../../src/queries/reports/stored-events.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { botCreated, ownerCreated, readCommit } from '../../support/intake-commits.ts';
import { createFirstTables, firstSchema } from '../../support/read-model-tables.ts';

/** A thread that has answered reports keeps what it read. The next answer has each change at once. */

const MODELS = [eventsReadModel, usersReadModel];
const TABLES = { events: firstSchema(eventsReadModel), users: firstSchema(usersReadModel), referral: '' };
const MINUTE = 60_000;
const FIRST = Date.UTC(2026, 0, 10);
const NOW = Date.UTC(2026, 0, 20);
/** A click of user 42 each hour, worth 10 EUR. */
const CLICKS = 40;

let database: TestDatabase;
const cache = createChunkCache(1e7);
beforeAll(async () => {
  database = await createTestDatabase();
  for (const model of MODELS) await createFirstTables(database.pool, model);
  await apply('owner-1', ownerCreated(1, 'USD'));
  await setRate('2', '2020-01-01');
  await apply('bot-a', botCreated(1, 'a', 1));
  await apply('eventtypes-a', { type: 'event_type_registered', data: { event_id: 101, name: 'Click' } });
  await visit('Ada', 'source-first', FIRST - 24 * 60 * MINUTE);
  await clicks(...Array.from({ length: CLICKS }, (_, hour) => FIRST + hour * 60 * MINUTE));
  await pack({ chunk: 8, newest: 1, changed: 1e6, share: 1, changedInChunk: 1e6 });
});
afterAll(() => database.drop());

let ordinal = 0;
async function apply(stream: string, event: LedgerEvent): Promise<void> {
  const commit = readCommit(stream, ++ordinal, NOW, [event]);
  for (const model of MODELS)
    await inSchema(model, async (tx) => {
      if (model.categories.includes(stream.slice(0, stream.indexOf('-')))) await applyTo(model, tx, [commit]);
    });
}

function inSchema<T>(model: (typeof MODELS)[number], work: Parameters<typeof inTransaction<T>>[1]): Promise<T> {
  return inTransaction(database.pool, async (tx) => {
    await tx.query(`SET LOCAL search_path TO ${firstSchema(model)}`);
    return work(tx);
  });
}

const clicks = (...dates: number[]) => {
  const items = dates.map((date) => ({ event_id: 101, user_id: 42, date, value: '1000', unit: 'EUR' }));
  return apply('intake-a', { type: 'custom_events_received', data: { items } });
};
const visit = (first_name: string, start_param: string, date: number) => {
  const kind = { event_id: SYSTEM_EVENTS.start, command: '/start', start_param, person: { first_name } };
  const flags = { makes_user: true, is_bot: false, is_premium: false, chat_type: 'private' as const };
  const items = [{ update_id: ++ordinal, user_id: 42, date, ...flags, ...kind }];
  return apply('intake-a', { type: 'updates_received', data: { items } });
};
const setRate = (rate: string, date: string) =>
  apply('fx-global', { type: 'exchange_rate_set', data: { from: 'EUR', to: 'USD', rate, date } });

/** Revaluation without packing: so few events are not due. */
const revalue = () =>
  inSchema(eventsReadModel, async (tx) => {
    while (await eventsReadModel.idle!(tx, false));
  });

const pack = (limits: PackLimits) =>
  inSchema(eventsReadModel, async (tx) => {
    while (await packSlice(tx, limits));
  });

/** The chunks that wait to be packed again. */
const changedChunks = async () =>
  (await database.pool.query(`SELECT FROM ${TABLES.events}.chunks WHERE changed > 0`)).rowCount;

const metric = (agr: string, more: object = {}) => ({
  type: 'trend',
  event_id: 101,
  event_name: 'Click',
  agr,
  ...more,
});

/** Clicks, their value in USD, their sessions, those after the visit from `ads`, and those of a user named Ada. */
async function answer(kept = cache): Promise<readonly unknown[]> {
  const requests = [
    metric('total'),
    metric('property_sum', { agr_field: 'events.value_amount' }),
    metric('total_uniq_session_id'),
    metric('total', { filters: ['=', 'events.utm_source', 'ads'] }),
    metric('total', { filters: ['=', 'user.first_name', 'Ada'] }),
  ];
  const params = { ':date_from': '2026-01-01 00:00:00', ':date_to': '2026-01-31 23:59:59' };
  const source_request = { type: 'trends', type_chart: 'number', requests };
  const parsed = parseReport({ source_request, settings: { params } }, 'UTC');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const how = { now: NOW, lagMs: 0, timeoutMs: 60_000, limit: 10 };
  const { columns } = await reportRunner(database.pool, kept)({ tables: TABLES, botId: 1, parsed, ...how });
  return columns.slice(1).map((column) => (column as { readonly total: unknown }).total);
}

/** The answer of a thread that has answered before, and of one that has not. */
async function answers(): Promise<readonly unknown[]> {
  const kept = await answer();
  expect(await answer(createChunkCache(1e7))).toEqual(kept);
  expect(await answer(), 'asked again').toEqual(kept);
  return kept;
}

describe('the answer of a thread after', () => {
  it('its first report', async () => {
    expect(await answers()).toEqual([40, 800, 40, 0, 40]);
  });

  it('a late event, and late events that join two sessions', async () => {
    await clicks(FIRST + 100 * MINUTE);
    expect(await answers()).toEqual([41, 820, 40, 0, 41]);
    await clicks(FIRST + 80 * MINUTE);
    expect(await answers()).toEqual([42, 840, 39, 0, 42]);
  });

  it('a late rate, also for an event that has changed before', async () => {
    await setRate('3', '2026-01-11');
    await revalue();
    const since = CLICKS - 24;
    expect(await answers()).toEqual([42, 840 + since * 10, 39, 0, 42]);
    await setRate('4', '2026-01-11');
    await revalue();
    expect(await answers()).toEqual([42, 840 + since * 20, 39, 0, 42]);
  });

  it('a late visit', async () => {
    await visit('Ada', 'source-ads', FIRST + 30.5 * 60 * MINUTE);
    expect((await answers())[3]).toBe(9);
  });

  it('an on-time event, and a late one with it', async () => {
    await clicks(NOW, FIRST + 2 * MINUTE);
    expect((await answers())[0]).toBe(44);
  });

  it('another instance has packed changed chunks again, and one of them has another late event', async () => {
    const before = await answers();
    expect(await changedChunks()).toBeGreaterThan(2);
    await pack({ chunk: 8, newest: 1, changed: 8, share: 1e6, changedInChunk: 1e6 });
    expect(await changedChunks()).toBe(1);
    expect(await answers()).toEqual(before);
    await clicks(FIRST + 3 * MINUTE);
    expect((await answers())[0]).toBe(45);
    await pack({ chunk: 8, newest: 1, changed: 1, share: 1e6, changedInChunk: 1 });
    expect(await changedChunks()).toBe(0);
    expect((await answers())[0]).toBe(45);
  });

  it('a user was erased', async () => {
    await clicks(FIRST + 4 * MINUTE);
    expect((await answers())[4]).toBe(46);
    await apply('intake-a', { type: 'user_erased', data: { user_id: 42 } });
    const [clicked, , , , ofAda] = await answers();
    expect([clicked, ofAda]).toEqual([46, 0]);
  });
});

it('a snapshot from before a late event does not see it, and keeps no later report from it', async () => {
  const count = (counted: Awaited<ReturnType<typeof openCount>>) => counted();
  const openCount = async (snapshot: Snapshot) => {
    const span = { from: FIRST, to: NOW + 1 };
    const options = { botId: 1, tables: TABLES, span, snapshot, cache };
    const stored = await findEvents(options);
    return async () => {
      let events = 0;
      await new StoredEventSource(options, stored).each(['event_id'], (_, begin, end) => {
        events += end - begin;
      });
      return events;
    };
  };
  await snapshot(database.pool, { timeoutMs: 60_000 }, async (old) => {
    const before = await openCount(old);
    const counted = await count(before);
    await clicks(FIRST + 5 * MINUTE);
    const later = () => snapshot(database.pool, { timeoutMs: 60_000 }, async (now) => count(await openCount(now)));
    expect(await later()).toBe(counted + 1);
    expect(await count(before)).toBe(counted);
    expect(await later()).toBe(counted + 1);
  });
});
