import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { migrateRuntimeSchema } from '../../src/database/runtime-schema.ts';
import { customEventsReceived } from '../../src/domain/intake/intake-events.ts';
import { ANY_CATEGORIES } from '../../src/domain/streams.ts';
import type { EventLog } from '../../src/log/port.ts';
import { openPostgresLog } from '../../src/log/postgres/postgres-log.ts';
import type { ReadModel } from '../../src/projections/read-model.ts';
import { runProjector, shareAmongProjectors } from '../../src/projections/runtime/projector.ts';
import { pause } from '../../src/util/pause.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { newBot, newCommit } from '../support/log.ts';
import { startTestService } from '../support/service.ts';
import { spied } from '../support/spied-pool.ts';

/** The load on the database while a service has nothing to do. */

const notes: ReadModel = {
  name: 'notes',
  shape: 1,
  categories: ['intake'],
  events: [customEventsReceived.type],
  ddl: 'CREATE TABLE seen (commit_id uuid PRIMARY KEY);',
  async apply() {},
};

let database: TestDatabase;
let log: EventLog;
let stops: (() => Promise<void>)[];

beforeEach(async () => {
  database = await createTestDatabase();
  await migrateRuntimeSchema(database.pool);
  log = await openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
  stops = [];
});
afterEach(async () => {
  for (const stop of stops) await stop();
  await log.close();
  await database.drop();
});

test('idle projectors of a thread query only the versions and leases of all read models, together', async () => {
  const statements: string[] = [];
  const logger = pino({ level: 'silent' });
  const shared = shareAmongProjectors(spied(database.pool, statements), 'one', logger);
  const stop = new AbortController();
  const models = ['notes', 'more_notes', 'other_notes', 'last_notes'].map((name) => ({ ...notes, name }));
  const done = Promise.all(
    models.map((model) => runProjector({ model, log, ...shared, logger, onBadEvent: 'stop', signal: stop.signal })),
  );
  stops.push(async () => {
    stop.abort();
    await done;
  });
  const live = async (): Promise<number> =>
    (await database.pool.query(`SELECT FROM runtime.read_models WHERE state = 'live'`)).rowCount!;
  await expect.poll(live, { timeout: 20_000 }).toBe(models.length);
  const looks = (): number => statements.filter((each) => each === 'runtime.seen_versions').length;
  const before = looks();
  await expect.poll(looks, { timeout: 20_000 }).toBeGreaterThan(before + 1); // the queries that began before have ended
  statements.length = 0;
  // Node 20 never frees the weak reference that a source signal keeps to each combined signal: 57 bytes a call.
  const combined = vi.spyOn(AbortSignal, 'any');
  const since = performance.now();
  await expect.poll(looks, { timeout: 20_000 }).toBeGreaterThan(4);
  const seconds = Math.ceil((performance.now() - since) / 1000);
  expect(new Set(statements)).toEqual(new Set(['runtime.seen_versions', 'lease.take']));
  // Versions are queried twice a second, leases once.
  expect(statements.length).toBeLessThanOrEqual(3 * seconds + 2);
  expect(combined).not.toHaveBeenCalled();
  combined.mockRestore();
});

test('an idle service makes less than 20 transactions a second', async () => {
  const service = await startTestService();
  stops.push(() => service.stop());
  await service.createBot();
  await service.projected();
  const { pool } = service.database;
  // Time comes from the database's clock, so that a slow machine only lowers the rate.
  const sample = async (): Promise<{ transactions: number; at: number }> => {
    const { rows } = await pool.query<{ transactions: number; at: number }>(
      `SELECT (xact_commit + xact_rollback)::float8 AS transactions, extract(epoch FROM clock_timestamp())::float8 AS at
         FROM pg_stat_database WHERE datname = current_database()`,
    );
    return rows[0]!;
  };
  await expect
    .poll(
      async () => {
        const before = await sample();
        await pause(5000);
        const after = await sample();
        return (after.transactions - before.transactions) / (after.at - before.at);
      },
      { timeout: 50_000 },
    )
    .toBeLessThan(20);
});

test('a commit whose notification is lost aborts grown()', async () => {
  const announced = newCommit(`intake-${newBot()}`);
  await log.append(announced);
  let grown = log.grown();
  const quiet = async (): Promise<boolean> => {
    grown = log.grown();
    await pause(1500, grown);
    return !grown.aborted;
  };
  await expect.poll(quiet, { timeout: 30_000 }).toBe(true);
  await appendSilently(announced.id);
  await expect.poll(() => grown.aborted, { timeout: 20_000 }).toBe(true);
});

/** Appends a commit without a notification. @param like the id of the only commit in the log. It is copied */
async function appendSilently(like: string): Promise<string> {
  const silent = randomUUID();
  await database.pool.query(
    `INSERT INTO log.commits (id, stream, body) SELECT $1::uuid, stream, replace(body, $2, $1::uuid::text) FROM log.commits`,
    [silent, like],
  );
  return silent;
}

test('a commit whose notification is lost is read', async () => {
  const ends = new AbortController();
  const read: string[] = [];
  const reading = (async () => {
    for await (const { commits } of log.subscribe({ categories: ['intake'], after: new Map(), signal: ends.signal }))
      read.push(...commits.map(({ id }) => id));
  })();
  stops.push(async () => {
    ends.abort();
    await reading;
  });
  const announced = newCommit(`intake-${newBot()}`);
  await log.append(announced);
  await expect.poll(() => read, { timeout: 20_000 }).toEqual([announced.id]);
  const silent = await appendSilently(announced.id);
  await expect.poll(() => read, { timeout: 20_000 }).toEqual([announced.id, silent]);
});
