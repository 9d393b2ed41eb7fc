import pg from 'pg';
import { v7 } from 'uuid';
import type { LedgerEvent } from '../src/domain/ledger-events.ts';
import { parseReport } from '../src/domain/reports/parse-report.ts';
import { archivedFrom } from '../src/projections/events/packed/archived-rows.ts';
import { eventsReadModel, withArchive } from '../src/projections/events/read-model.ts';
import { type ReadCommit, schemaOf } from '../src/projections/read-model.ts';
import { usersReadModel } from '../src/projections/users/read-model.ts';
import { createChunkCache } from '../src/queries/reports/chunk-cache.ts';
import { reportRunner } from '../src/queries/reports/run-report.ts';
import { botCreated, ownerCreated, readCommit } from '../test/support/intake-commits.ts';
import { withBenchDatabase } from './bench-database.ts';
import { median } from './quantile.ts';
import { random } from './random.ts';

/**
 * Disk of an event before and after its row has left the table (EVENTS_ROWS_MONTHS), and what that costs: archiving, lists,
 * and late events. Two years of events, of which the last month stays. ITEMS: events of a commit.
 *
 *   DATABASE_URL=postgres://… EVENTS=200000 npm run archive
 */
const EVENTS = Number(process.env['EVENTS'] ?? 200_000);
const ITEMS = Number(process.env['ITEMS'] ?? 1);
const USERS = 6000;
const ROUNDS = 9;
const DAY_MS = 24 * 60 * 60 * 1000;
const [START, PERIOD_MS] = [Date.UTC(2024, 0, 1), 730 * DAY_MS];

let ordinal = 0;
function commit(stream: string, at: number, event: LedgerEvent): ReadCommit {
  ordinal++;
  return { ...readCommit(stream, ordinal, at, [event]), id: v7({ msecs: at }) };
}

const next = random(7);
const pick = (count: number): number => Math.floor(count * next());

function click(date: number) {
  return {
    event_id: 101 + pick(20),
    user_id: 1 + Math.floor(USERS * next() ** 2),
    date,
    ...(next() < 0.2 && { value: String(100 + pick(10_000)), unit: next() < 0.5 ? 'EUR' : 'USD' }),
    ...(next() < 0.3 && { category: `c${pick(300)}` }),
    ...(next() < 0.3 && { value_str: `text ${pick(2000)} of an item in the shop` }),
  };
}

const clicks = (at: number, items: readonly ReturnType<typeof click>[]): ReadCommit =>
  commit('intake-a', at, { type: 'custom_events_received', data: { items: [...items] } });

function* commits(): Generator<ReadCommit> {
  yield commit('owner-1', START, ownerCreated(1, 'USD'));
  yield commit('fx-global', START, {
    type: 'exchange_rate_set',
    data: { from: 'EUR', to: 'USD', rate: '1.1', date: '2023-12-01' },
  });
  yield commit('bot-a', START, botCreated(1, 'a', 1));
  for (let event_id = 101; event_id <= 120; event_id++)
    yield commit('eventtypes-a', START, { type: 'event_type_registered', data: { event_id, name: `e${event_id}` } });
  for (let id = 1; id <= USERS; id += 1000) {
    const items = Array.from({ length: 1000 }, (_, i) => ({ user_id: id + i }));
    yield commit('intake-a', START, { type: 'users_imported', data: { items } });
  }
  for (let sent = 0; sent < EVENTS; sent += ITEMS) {
    const at = START + Math.floor((PERIOD_MS * sent) / EVENTS) + pick(1000);
    yield clicks(
      at + 1500,
      Array.from({ length: ITEMS }, () => click(at)),
    );
  }
}

await withBenchDatabase(async (url) => {
  const pool = new pg.Pool({ connectionString: url });
  try {
    await measure(pool);
  } finally {
    await pool.end();
  }
});

async function inEvents<T>(pool: pg.Pool, work: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
  const tx = await pool.connect();
  try {
    await tx.query(`BEGIN; SET LOCAL synchronous_commit TO off; SET LOCAL search_path TO ${schemaOf('events', 1)}`);
    const done = await work(tx);
    await tx.query('COMMIT');
    return done;
  } finally {
    tx.release();
  }
}

async function measure(pool: pg.Pool): Promise<void> {
  const apply = (part: readonly ReadCommit[]): Promise<void> =>
    inEvents(pool, async (tx) => (part.length > 0 ? eventsReadModel.apply(tx, part) : undefined));
  for (const { name, ddl } of [eventsReadModel, usersReadModel]) {
    const schema = schemaOf(name, 1);
    await pool.query(`CREATE SCHEMA ${schema}; SET search_path TO ${schema}; ${ddl}; RESET search_path`);
  }
  let batch: ReadCommit[] = [];
  for (const each of commits()) {
    batch.push(each);
    if (batch.length * ITEMS < 1000) continue;
    await apply(batch);
    batch = [];
  }
  await apply(batch);
  const perEvent = (took: readonly number[]): string =>
    `${((1000 * took.reduce((sum, ms) => sum + ms, 0)) / EVENTS).toFixed(1)} µs an event, slices of ${median(took).toFixed(0)} ms`;
  const packing = perEvent(await slices(pool, false));
  console.log(`${EVENTS} events of ${USERS} users in two years, ${ITEMS} a commit`);
  await printSizes(pool, 'rows of all events');
  const before = {
    first: await list(pool, { 'events.date': 'desc' }, 2025),
    other: await list(pool, { 'events.value_int': 'desc' }, 2024),
  };

  const archiving = perEvent(await slices(pool, true));
  console.log(`packing: ${packing}; archiving: ${archiving}`);
  await pool.query('ANALYZE');
  await printSizes(pool, 'rows of the last month');
  const { rows } = await pool.query(
    `SELECT (SELECT count(*) FROM events_v1.events)::int AS rows, (SELECT count(*) FROM ${archivedFrom('events_v1.archive')})::int AS archived`,
  );
  console.log(`events in rows ${rows[0].rows}, archived ${rows[0].archived}`);
  console.log(
    `first page of a list by date: ${before.first.toFixed(1)} ms, archived ${(await list(pool, { 'events.date': 'desc' }, 2025)).toFixed(1)} ms`,
  );
  console.log(
    `list of half a year by value: ${before.other.toFixed(1)} ms, archived ${(await list(pool, { 'events.value_int': 'desc' }, 2024)).toFixed(1)} ms`,
  );
  for (const days of [10, 200, 600]) {
    const at = START + PERIOD_MS;
    const late: number[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      const part = [
        clicks(
          at,
          Array.from({ length: 1 }, () => click(at - days * DAY_MS)),
        ),
      ];
      const began = performance.now();
      await apply(part);
      late.push(performance.now() - began);
    }
    console.log(`a batch with one event that is ${days} days late: ${median(late).toFixed(1)} ms`);
  }
}

/** Does all deferred work. @returns how long each slice took, in ms */
async function slices(pool: pg.Pool, archives: boolean): Promise<number[]> {
  const { idle } = archives ? withArchive(eventsReadModel, 1) : eventsReadModel;
  const took: number[] = [];
  for (let more = true; more; ) {
    const began = performance.now();
    more = await inEvents(pool, (tx) => idle!(tx, false));
    took.push(performance.now() - began);
  }
  return took;
}

/** Rewrites the tables, so that their files have no free space, and prints their sizes. */
async function printSizes(pool: pg.Pool, what: string): Promise<void> {
  const sizes: string[] = [];
  let sum = 0;
  for (const table of ['events', 'chunks', 'archive']) {
    await pool.query(`VACUUM FULL events_v1.${table}`);
    const { rows } = await pool.query<{ bytes: string }>(
      `SELECT pg_total_relation_size('events_v1.${table}') AS bytes`,
    );
    const each = Number(rows[0]!.bytes) / EVENTS;
    sum += each;
    const { rows: indexes } = await pool.query<{ bytes: string }>(
      `SELECT pg_indexes_size('events_v1.${table}') AS bytes`,
    );
    sizes.push(`${table} ${each.toFixed(1)}, ${(Number(indexes[0]!.bytes) / EVENTS).toFixed(1)} of it indexes`);
  }
  console.log(`${what}: ${sum.toFixed(1)} bytes an event (${sizes.join('; ')})`);
}

/** The median time of a list of half a year, in ms. */
async function list(pool: pg.Pool, order: Readonly<Record<string, string>>, year: number): Promise<number> {
  const columns = ['events.date', 'events.user_id', 'events.session_id', 'events.value_int', 'events.category'];
  const source = { type: 'list', type_chart: 'list', table: 'events', columns, order, limit: 100 };
  const params = { ':date_from': `${year}-01-01 00:00:00`, ':date_to': `${year}-06-30 23:59:59` };
  const parsed = parseReport({ source_request: source, settings: { params } }, 'UTC');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const tables = { events: 'events_v1', users: 'users_v1', referral: 'referral_v1' };
  const task = { tables, botId: 1, parsed, now: START + PERIOD_MS, lagMs: 0, timeoutMs: 60_000, limit: 100 };
  const run = reportRunner(pool, createChunkCache(1e9));
  const took: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const began = performance.now();
    await run(task);
    took.push(performance.now() - began);
  }
  return median(took);
}
