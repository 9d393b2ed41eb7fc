import { afterEach, beforeEach, expect, test } from 'vitest';
import { customEventsReceived } from '../../../src/domain/intake/intake-events.ts';
import type { RecordedCommit } from '../../../src/log/port.ts';
import type { ReadModel } from '../../../src/projections/read-model.ts';
import { retryDeadLetters } from '../../../src/projections/runtime/bad-events.ts';
import { moveCheckpoints } from '../../../src/projections/runtime/checkpoint.ts';
import { pause } from '../../../src/util/pause.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { newCommit } from '../../support/log.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { createFirstTables, firstSchema } from '../../support/read-model-tables.ts';

/** Retries of dead letters by two projectors at once, as in the moment after a lease was lost. */

/** Each commit counts once more each time it is applied. */
const counts: ReadModel = {
  name: 'counts',
  shape: 1,
  categories: ['intake'],
  events: ['custom_events_received'],
  ddl: 'CREATE TABLE applied (commit_id uuid NOT NULL);',
  async apply(tx, commits) {
    for (const { id } of commits) await tx.query('INSERT INTO applied VALUES ($1)', [id]);
    await whenApplied();
  },
};

let database: TestDatabase;
let whenApplied: () => Promise<void>;
let commit: RecordedCommit;
let target: Parameters<typeof retryDeadLetters>[0];

beforeEach(async () => {
  database = await createTestDatabase();
  whenApplied = async () => {};
  const log = memoryLog();
  await log.append(
    newCommit('intake-b1', { events: [customEventsReceived.create({ items: [{ event_id: 101, user_id: 7 }] })] }),
  );
  commit = log.commits.flat()[0]!;
  await createFirstTables(database.pool, counts);
  const schema = firstSchema(counts);
  await database.pool.query(
    `INSERT INTO ${schema}.dead_letters (commit_id, commit, error, blocking, retry) VALUES ($1, $2, 'no', false, true)`,
    [commit.id, JSON.stringify(commit)],
  );
  await database.pool.query(`INSERT INTO ${schema}.checkpoints VALUES (0, $1)`, [commit.position]);
  target = { pool: database.pool, model: counts, schema, keys: log.keys };
});
afterEach(() => database.drop());

async function applied(): Promise<string[]> {
  const { rows } = await database.pool.query<{ commit_id: string }>(`SELECT * FROM ${target.schema}.applied`);
  return rows.map(({ commit_id }) => commit_id);
}

/** Resolves when another transaction of this database waits for a lock. */
async function untilOneWaits(): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while ((await database.pool.query(waiting)).rowCount === 0) await pause(10);
}

test('applies a letter once when two projectors retry it at the same time', async () => {
  let begun = 0;
  const bothBegan = new AbortController();
  whenApplied = async () => {
    if (++begun === 2) bothBegan.abort();
    await Promise.race([untilOneWaits(), pause(60_000, bothBegan.signal)]);
  };
  const results = await Promise.all([
    retryDeadLetters(target, () => true, new Set()),
    retryDeadLetters(target, () => true, new Set()),
  ]);
  expect(await applied()).toEqual([commit.id]);
  expect(results.sort()).toEqual([false, true]);
});

test('keeps batches of the letter’s partition waiting while it is applied', async () => {
  let moving: Promise<unknown> = Promise.resolve();
  const order: string[] = [];
  whenApplied = async () => {
    const tx = await database.pool.connect();
    moving = moveCheckpoints(tx, target.schema, [{ key: 0, from: commit.position, to: '0:9' }])
      .then(() => order.push('batch'))
      .finally(() => tx.release());
    await Promise.race([untilOneWaits(), moving]);
    order.push('letter');
  };
  expect(await retryDeadLetters(target, () => true, new Set())).toBe(true);
  await moving;
  expect(order).toEqual(['letter', 'batch']);
});
