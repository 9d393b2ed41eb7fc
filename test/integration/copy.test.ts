import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyInto, copyLine } from '../../src/projections/copy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('CREATE TABLE rows (n int, i int, a text, b boolean, c text)');
});
afterAll(() => database.drop());

it('rows arrive by COPY as they are', async () => {
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
