import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrateRuntimeSchema } from '../../../src/database/runtime-schema.ts';
import { CHECKPOINT_DDL, loadLeastCheckpoint } from '../../../src/projections/runtime/checkpoint.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('the checkpoint of several schemas is the least of theirs, by partition', async () => {
  const { pool } = database;
  await migrateRuntimeSchema(pool);
  const held = { one: "(0, '05'), (1, '07'), (2, '01')", two: "(0, '06'), (1, '06')", three: "(0, '05'), (1, '09')" };
  for (const [schema, rows] of Object.entries(held))
    await pool.query(`CREATE SCHEMA ${schema}; SET search_path TO ${schema}; ${CHECKPOINT_DDL}
      INSERT INTO checkpoints VALUES ${rows}; RESET search_path`);
  expect(await loadLeastCheckpoint(pool, Object.keys(held), [])).toEqual(
    new Map([
      [0, '05'],
      [1, '06'],
    ]),
  );
  await pool.query(`INSERT INTO runtime.read_models (name, version, shape, state) VALUES ('one', 1, 1, 'live');
    INSERT INTO runtime.quarantines (name, version, key, lane, position) VALUES ('one', 1, 'late', 1, '04'), ('one', 1, 'new', 0, '')`);
  await pool.query('ALTER SCHEMA one RENAME TO one_v1');
  const schemas = ['one_v1', 'two', 'three'];
  const expected = (...rows: [number, string][]) => new Map(rows);
  expect(await loadLeastCheckpoint(pool, schemas, ['other'])).toEqual(expected([0, '05'], [1, '06']));
  expect(await loadLeastCheckpoint(pool, schemas, ['late'])).toEqual(expected([0, '05'], [1, '04']));
  expect(await loadLeastCheckpoint(pool, schemas, ['late', 'new'])).toEqual(expected([1, '04']));
});
