import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyInto, copyLine } from '../../../src/projections/batch-sql.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('CREATE TABLE rows (n int, i int, a text, b boolean, c text)');
});
afterAll(() => database.drop());

it('COPY stores each value unchanged', async () => {
  const special = fc.stringMatching(/^[\\"',\n\r\t.Nab ]{0,6}$/);
  const cell = fc.option(
    fc.oneof(
      special,
      fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0')),
    ),
  );
  const rows = fc.array(fc.tuple(fc.option(fc.integer({ min: -9, max: 9 })), cell, fc.option(fc.boolean()), cell), {
    minLength: 1,
  });
  await fc.assert(
    fc.asyncProperty(rows, async (rows) => {
      const tx = await database.pool.connect();
      try {
        await tx.query('BEGIN');
        await copyInto(
          tx,
          'rows',
          'n, i, a, b, c',
          rows.map((row, n) => copyLine([n, ...row])),
        );
        const stored = await tx.query({ text: 'SELECT i, a, b, c FROM rows ORDER BY n', rowMode: 'array' });
        expect(stored.rows).toEqual(rows);
      } finally {
        await tx.query('ROLLBACK');
        tx.release();
      }
    }),
    { numRuns: 300 },
  );
});

it('COPY stores all rows in order, however many they are', async () => {
  const tx = await database.pool.connect();
  try {
    for (const count of [0, 1, 499, 500, 501, 12_345]) {
      await tx.query('BEGIN');
      await copyInto(tx, 'rows', 'n, a', linesOf(count));
      const stored = await tx.query({ text: 'SELECT n, a FROM rows ORDER BY ctid', rowMode: 'array' });
      expect(stored.rows).toEqual(Array.from({ length: count }, (_, n) => [n, `row ${n}`]));
      await tx.query('ROLLBACK');
    }
  } finally {
    tx.release();
  }
});

it('a row that throws leaves no rows, and the connection works', async () => {
  const tx = await database.pool.connect();
  try {
    await expect(copyInto(tx, 'rows', 'n, a', linesOf(2000, 1900))).rejects.toThrow('no row 1900');
    expect((await tx.query('SELECT FROM rows')).rowCount).toBe(0);
    await expect(copyInto(tx, 'rows', 'n, i', ['1,x'])).rejects.toThrow('invalid input syntax for type integer');
    expect((await tx.query('SELECT FROM rows')).rowCount).toBe(0);
  } finally {
    tx.release();
  }
});

function* linesOf(count: number, bad = count): Generator<string> {
  for (let n = 0; n < count; n++) {
    if (n === bad) throw new Error(`no row ${n}`);
    yield copyLine([n, `row ${n}`]);
  }
}
