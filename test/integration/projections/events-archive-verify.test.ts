import type pg from 'pg';
import type { ClientBase } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isCitus } from '../../../src/database/citus.ts';
import { migrateRuntimeSchema } from '../../../src/database/runtime-schema.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { customEventsReceived, usersImported } from '../../../src/domain/intake/intake-events.ts';
import {
  ANY_CATEGORIES,
  botStream,
  EXCHANGE_RATES_STREAM,
  eventTypesStream,
  intakeStream,
  ownerStream,
} from '../../../src/domain/streams.ts';
import { EMPTY_STREAM, type EventLog, hasPassedAll, type LogEvent } from '../../../src/log/port.ts';
import { openPostgresLog } from '../../../src/log/postgres/postgres-log.ts';
import { archivedFrom } from '../../../src/projections/events/packed/archived-rows.ts';
import { eventsReadModel, withArchive } from '../../../src/projections/events/read-model.ts';
import { loadCheckpoint } from '../../../src/projections/runtime/checkpoint.ts';
import { runProjector, shareAmongProjectors } from '../../../src/projections/runtime/projector.ts';
import type { ProjectorOptions } from '../../../src/projections/runtime/projector-options.ts';
import { type Verified, verify } from '../../../src/projections/runtime/verify.ts';
import { createVersion, findVersion } from '../../../src/projections/runtime/versions.ts';
import { pause } from '../../../src/util/pause.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { botCreated, ownerCreated } from '../../support/intake-commits.ts';
import { DAY, EPOCH, HOUR } from '../../support/intake-logs.ts';

const LIMITS = { chunk: 8, newest: 2, changed: 4, share: 1000, changedInChunk: 4 };
const model = withArchive(eventsReadModel, 1, LIMITS);
const BOT = 'a';
const USERS = [1, 2, 3];

let database: TestDatabase;
let log: EventLog;
let options: ProjectorOptions;
let running: Promise<void>;
const stop = new AbortController();

beforeAll(async () => {
  database = await createTestDatabase();
  await migrateRuntimeSchema(database.pool);
  log = await openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
  await append(ownerStream(1), ownerCreated(1, 'USD'));
  await append(botStream(BOT), botCreated(1, BOT, 1));
  await append(eventTypesStream(BOT), { type: 'event_type_registered', data: { event_id: 101, name: 'Click' } });
  await append(intakeStream(BOT), usersImported.create({ items: USERS.map((user_id) => ({ user_id })) }));
  await sendEvents(EPOCH, 100);
  await sendEvents(EPOCH + 90 * DAY, 20);
  const logger = pino({ level: 'silent' });
  const shared = shareAmongProjectors(database.pool, 'test', logger);
  options = { model, log, ...shared, logger, onBadEvent: 'stop', signal: stop.signal };
  await createVersion(database.pool, model, true);
  running = runProjector(options);
  await settled();
});
afterAll(async () => {
  stop.abort();
  await running;
  await log.close();
  await database.drop();
});

async function append(stream: string, event: object, at = EPOCH): Promise<void> {
  const expected = stream.startsWith('intake-') ? 'any' : EMPTY_STREAM;
  await log.append({ id: systemSources.uuid(), stream, expected, at, events: [{ v: 1, ...event } as LogEvent] });
}

/** Events of all users in turn, an hour apart, one in two with a value. */
async function sendEvents(from: number, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const worth = i % 2 === 0 ? {} : { value: '150', unit: 'EUR' };
    const item = {
      event_id: 101,
      user_id: USERS[i % USERS.length]!,
      date: from + i * HOUR,
      category: `c${i}`,
      ...worth,
    };
    await append(intakeStream(BOT), customEventsReceived.create({ items: [item] }), from + i * HOUR);
  }
}

/** Waits until the projector has applied the log, and does all deferred work. The runtime asks for it by the usual limits. */
async function settled(): Promise<void> {
  const end = await log.endCursor();
  while (!hasPassedAll(await loadCheckpoint(database.pool, 'events_v1'), end)) await pause(20);
  while (await inEvents((tx) => model.idle!(tx, false)));
}

async function verified(): Promise<Verified> {
  const version = (await findVersion(database.pool, 'events', 1))!;
  return verify(options, version, { onCommits: () => {}, onTables: () => {} });
}

const inEvents = <T>(work: (tx: ClientBase) => Promise<T>): Promise<T> =>
  inTransaction(database.pool, async (tx) => {
    await tx.query('SET LOCAL search_path TO events_v1');
    await isCitus(tx); // for the statements of `idle`
    return work(tx);
  });

/** Events in rows, and events of archived chunks. */
async function counts(): Promise<{ rows: number; archived: number }> {
  const { rows } = await inEvents((tx) =>
    tx.query(
      `SELECT (SELECT count(*) FROM events)::int AS rows, (SELECT count(*) FROM ${archivedFrom()})::int AS archived`,
    ),
  );
  return rows[0];
}

it('a version with archived events equals a replay, which has rows of all', async () => {
  expect(await counts()).toEqual({ rows: 24, archived: 96 });
  expect(await verified()).toMatchObject({ differences: [] });
});

it('late events and rates make rows again, and they are archived again', async () => {
  const amounts = `SELECT count(r.value_amount)::int AS amounts FROM ${archivedFrom('events_v1.archive')}`;
  expect((await database.pool.query(amounts)).rows).toEqual([{ amounts: 0 }]);
  await append(EXCHANGE_RATES_STREAM, {
    type: 'exchange_rate_set',
    data: { from: 'EUR', to: 'USD', rate: '1.1', date: '2023-12-31' },
  });
  await sendEvents(EPOCH + HOUR / 2, 30);
  await settled();
  expect((await database.pool.query(amounts)).rows[0].amounts).toBeGreaterThan(50);
  expect(await verified()).toMatchObject({ differences: [] });
  const { rows, archived } = await counts();
  expect(archived).toBeGreaterThan(110);
  expect(rows).toBeLessThan(60);
});

it.each([
  ['a changed amount', 'value_amount[3] = 7'],
  ['a changed text', "category[2] = 'c0x'"],
  ['a changed place', 'ord[1] = 1'],
  ['a missing event', 'user_id = trim_array(user_id, 1), date = trim_array(date, 1)'],
])('the comparison finds %s in the archive', async (_, change) => {
  await database.pool.query('CREATE TABLE kept AS TABLE events_v1.archive');
  try {
    await database.pool.query(`UPDATE events_v1.archive SET ${change}
      WHERE chunk = (SELECT chunk FROM events_v1.archive ORDER BY last_date LIMIT 1)`);
    expect(await verified()).toMatchObject({ differences: [{ table: 'events' }] });
  } finally {
    await database.pool.query('TRUNCATE events_v1.archive; INSERT INTO events_v1.archive TABLE kept; DROP TABLE kept');
  }
});

/** Works in a transaction in which the bot's clock is two months later, and which is not committed. */
async function later(work: (tx: pg.PoolClient) => Promise<void>): Promise<void> {
  const tx = await database.pool.connect();
  try {
    await tx.query('BEGIN; SET LOCAL search_path TO events_v1');
    await tx.query(`UPDATE timelines SET archived_months = 0; UPDATE bots SET clock = clock + ${60 * DAY}`);
    await work(tx);
  } finally {
    tx.release(true); // cuts the connection
  }
}
const rowsIn = async (tx: ClientBase): Promise<number> =>
  (await tx.query('SELECT count(*)::int AS rows FROM events')).rows[0].rows;

it('archiving that is cut off changes nothing', async () => {
  const before = await counts();
  await later(async (tx) => {
    while (await model.idle!(tx, false));
    expect(await rowsIn(tx)).toBeLessThan(before.rows);
  });
  await settled();
  expect(await counts()).toEqual(before);
  expect(await verified()).toMatchObject({ differences: [] });
});

it('a larger number of months brings no rows back, and a smaller one archives more', async () => {
  const { rows } = await counts();
  await later(async (tx) => {
    while (await withArchive(eventsReadModel, 12, LIMITS).idle!(tx, false));
    expect(await rowsIn(tx)).toBe(rows);
    while (await withArchive(eventsReadModel, 1, LIMITS).idle!(tx, false));
    expect(await rowsIn(tx)).toBeLessThan(rows);
  });
});
