import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHECKPOINT_DDL, loadLeastCheckpoint } from '../../../src/projections/runtime/checkpoint.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('the checkpoint of several schemas is the least of theirs, by partition', async () => {
  const { pool } = database;
  const held = { one: "(0, '05'), (1, '07'), (2, '01')", two: "(0, '06'), (1, '06')", three: "(0, '05'), (1, '09')" };
  for (const [schema, rows] of Object.entries(held))
    await pool.query(`CREATE SCHEMA ${schema}; SET search_path TO ${schema}; ${CHECKPOINT_DDL}
      INSERT INTO checkpoints VALUES ${rows}; RESET search_path`);
  expect(await loadLeastCheckpoint(pool, Object.keys(held))).toEqual(
    new Map([
      [0, '05'],
      [1, '06'],
    ]),
  );
});
