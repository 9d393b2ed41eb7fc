import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../../src/database/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { startTestInstance } from '../../support/service.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

test('migrations run once, also when several instances start at once', async () => {
  const migrations = {
    '0001_first': 'CREATE SCHEMA IF NOT EXISTS shop; CREATE TABLE shop.sold (n integer)',
    '0002_second': 'INSERT INTO shop.sold VALUES (1)',
  };
  await Promise.all(Array.from({ length: 5 }, () => migrate(database.pool, 'shop', migrations)));
  await migrate(database.pool, 'shop', { ...migrations, '0003_third': 'INSERT INTO shop.sold VALUES (3)' });
  const { rows } = await database.pool.query<{ n: number }>('SELECT n FROM shop.sold ORDER BY n');
  expect(rows.map(({ n }) => n)).toEqual([1, 3]);
});

test('a failed migration leaves no change, and runs again', async () => {
  const failing = { '0001_first': 'CREATE TABLE shop.sold (n integer); SELECT 1 / 0' };
  await expect(migrate(database.pool, 'shop', failing)).rejects.toThrow('division by zero');
  await migrate(database.pool, 'shop', { '0001_first': 'CREATE TABLE shop.sold (n integer)' });
  expect((await database.pool.query('SELECT FROM shop.sold')).rowCount).toBe(0);
});

test('a database with all migrations is not searched, so that others may drop schemas at the same time', async () => {
  const migrations = { '0001_first': 'CREATE TABLE shop.sold (n integer)' };
  await migrate(database.pool, 'shop', migrations);
  let comingAndGoing = true;
  const columns = Array.from({ length: 50 }, (_, n) => `c${n} integer`).join(', ');
  const others = Array.from({ length: 3 }, async (_, n) => {
    while (comingAndGoing) {
      await database.pool.query(`CREATE SCHEMA s${n}; CREATE TABLE s${n}.t (${columns})`);
      await database.pool.query(`DROP SCHEMA s${n} CASCADE`);
    }
  });
  try {
    for (let starts = 0; starts < 100; starts++) await migrate(database.pool, 'shop', migrations);
  } finally {
    comingAndGoing = false;
    await Promise.all(others);
  }
});

test.each(['log', 'runtime'])('a newer database (schema %s) refuses an older program, in one line', async (schema) => {
  const env = { DATABASE_URL: database.url, PORT: '0', LOG_LEVEL: 'silent' };
  await (await startTestInstance(env)).stop();
  await database.pool.query(
    `INSERT INTO ${schema}.kysely_migration (name, timestamp) VALUES ('9999_from_the_future', '2030-01-01')`,
  );
  await expect(startTestInstance(env)).rejects.toThrow(
    `the database was written by a newer version: schema ${schema} has 9999_from_the_future, unknown to this version`,
  );
});

test('a release starts on a database that the next one has only expanded, and the next one still migrates it', async () => {
  const first = { '0001_first': 'CREATE TABLE shop.sold (n integer)' };
  const next = { ...first, '0002_expand_note': 'ALTER TABLE shop.sold ADD COLUMN note text' };
  await migrate(database.pool, 'shop', first);
  await migrate(database.pool, 'shop', next);
  await migrate(database.pool, 'shop', first);
  await database.pool.query('INSERT INTO shop.sold (n) VALUES (1)');
  await migrate(database.pool, 'shop', { ...next, '0003_third': `UPDATE shop.sold SET note = 'three'` });
  expect((await database.pool.query('SELECT * FROM shop.sold')).rows).toEqual([{ n: 1, note: 'three' }]);
  await expect(migrate(database.pool, 'shop', first)).rejects.toThrow('has 0003_third, unknown to this version');
});
