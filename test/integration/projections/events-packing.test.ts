import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHUNK_EVENTS } from '../../../src/columns/chunk.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { CHANGED_IN_CHUNK, NEWEST_EVENTS } from '../../../src/projections/events/packed/due.ts';
import { packSlice } from '../../../src/projections/events/packed/pack.ts';
import { EVENTS_DDL } from '../../../src/projections/events/tables.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

/** Events of one user, dated 0, 1, 2 and so on. Those with even dates exist from the start. */
const CHUNKS = 3;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query(`${EVENTS_DDL}
    CREATE FUNCTION add(dates bigint[]) RETURNS void LANGUAGE sql AS $$
      INSERT INTO events (user_id, date, ord, session, date_received, commit_id, bot_id, event_id, user_idx, idx, properties)
      SELECT 1, date, date, date, date, gen_random_uuid(), 1, 101, 0, 0, jsonb_build_object('n', date) FROM unnest(dates) AS date
    $$`);
  const count = CHUNKS * CHUNK_EVENTS + NEWEST_EVENTS;
  await add(Array.from({ length: count }, (_, i) => 2 * i));
});
afterAll(() => database.drop());

it('new events are packed when they fill chunks, except the newest', async () => {
  expect(await isDue()).toBe(true);
  await packAll();
  expect(await isDue()).toBe(false);
  expect(await chunks()).toEqual(Array.from({ length: CHUNKS }, () => ({ events: CHUNK_EVENTS, changed: 0 })));
  expect(await timeline()).toEqual({ loose: NEWEST_EVENTS, packed: CHUNKS * CHUNK_EVENTS, changed: 0 });
});

it('a chunk is packed again when much of it has changed, even if few of all events have', async () => {
  await add(oddDates(CHUNK_EVENTS, CHANGED_IN_CHUNK - 2));
  await add(oddDates(0, 1));
  // An existing event changes twice: it counts once.
  for (const session of [7, 8])
    await database.pool.query('UPDATE events SET session = $1 WHERE date = $2', [session, 2 * CHUNK_EVENTS]);
  expect(await chunks()).toEqual([
    { events: CHUNK_EVENTS, changed: 1 },
    { events: CHUNK_EVENTS, changed: CHANGED_IN_CHUNK - 1 },
    { events: CHUNK_EVENTS, changed: 0 },
  ]);
  expect(await isDue()).toBe(false);

  await add(oddDates(CHUNK_EVENTS + CHANGED_IN_CHUNK, 1));
  expect(await isDue()).toBe(true);
  await packAll();
  expect(await isDue()).toBe(false);
  expect(await chunks()).toEqual([
    { events: CHUNK_EVENTS, changed: 1 },
    { events: CHUNK_EVENTS + CHANGED_IN_CHUNK - 1, changed: 0 },
    { events: CHUNK_EVENTS, changed: 0 },
  ]);
  const packed = CHUNKS * CHUNK_EVENTS + CHANGED_IN_CHUNK - 1;
  expect(await timeline()).toEqual({ loose: NEWEST_EVENTS, packed, changed: 1 });
  // A chunk takes its properties along.
  const { rows } = await database.pool.query(
    'SELECT count(c.id)::int AS chunks, count(*)::int AS columns FROM chunk_properties p LEFT JOIN chunks c ON c.id = p.chunk',
  );
  expect(rows).toEqual([{ chunks: CHUNKS, columns: CHUNKS }]);
});

/** `count` dates between the existing events, the first one after the event of that index. */
function oddDates(index: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => 2 * (index + i) + 1);
}

async function add(dates: readonly number[]): Promise<void> {
  await database.pool.query('SELECT add($1::bigint[])', [dates]);
}

async function isDue(): Promise<boolean> {
  return (await database.pool.query('SELECT FROM put_off')).rowCount !== 0;
}

async function packAll(): Promise<void> {
  await inTransaction(database.pool, async (tx) => {
    while (await packSlice(tx));
  });
}

async function chunks(): Promise<unknown[]> {
  return (await database.pool.query('SELECT events, changed FROM chunks ORDER BY last_date')).rows;
}

async function timeline(): Promise<unknown> {
  const { rows } = await database.pool.query(
    'SELECT loose::float8, packed::float8, changed::float8 FROM timelines WHERE bot_id = 1',
  );
  return rows[0];
}
