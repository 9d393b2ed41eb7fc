import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTransaction } from '../../../src/database/transaction.ts';
import {
  CHECKPOINT_DDL,
  lockCheckpoint,
  type Move,
  moveCheckpoints,
} from '../../../src/projections/runtime/checkpoint.ts';
import { passCommits } from '../../../src/projections/runtime/pass-commits.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  // The later partition is first in the table, and in the moves.
  await database.pool.query(`CREATE SCHEMA order_v1; SET search_path TO order_v1; ${CHECKPOINT_DDL}
    INSERT INTO checkpoints VALUES (1, '1:0'), (0, '0:0'); RESET search_path`);
});
afterAll(() => database.drop());

const movesFrom = (n: number): Move[] => [1, 0].map((key) => ({ key, from: `${key}:${n}`, to: `${key}:${n + 1}` }));

const waiting = async () =>
  (
    await database.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
  ).rowCount;

it.each([
  [
    'a batch',
    () =>
      inTransaction(database.pool, async (tx) => {
        expect(await moveCheckpoints(tx, 'order_v1', movesFrom(0))).toBe('moved');
      }),
  ],
  ['a pass of commits', async () => expect(await passCommits(database.pool, 'order_v1', movesFrom(1))).toBe(true)],
])('%s of several partitions does not deadlock with a transaction that locks them one by one', async (_, move) => {
  let moving: Promise<unknown> | undefined;
  await inTransaction(database.pool, async (tx) => {
    await lockCheckpoint(tx, 'order_v1', 0);
    moving = move();
    moving.catch(() => {});
    await expect.poll(waiting).toBe(1);
    await lockCheckpoint(tx, 'order_v1', 1);
  });
  await moving;
});
