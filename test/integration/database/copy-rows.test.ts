import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyRows } from '../../../src/database/copy-rows.ts';
import { readBigint } from '../../../src/util/read-bigint.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url, query_timeout: 600_000 });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

it('delivers every row once, over many parts, and nulls', async () => {
  let sum = 0;
  let nulls = 0;
  const select =
    "SELECT n::bigint, CASE WHEN n % 2 = 0 THEN repeat('x', n % 700) END FROM generate_series(1, 2000) AS n";
  await copyRows(client, select, 2, (bytes, starts, lengths) => {
    const n = readBigint(bytes, starts[0]!);
    sum += n;
    if (lengths[1] === -1) nulls++;
    else expect(bytes.toString('latin1', starts[1]!, starts[1]! + lengths[1]!)).toBe('x'.repeat(n % 700));
  });
  expect({ sum, nulls }).toEqual({ sum: 2_001_000, nulls: 1000 });
});

it('leaves no timer, which would keep a command from ending, whether it succeeds or fails', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  for (let i = 0; i < 5; i++) await copyRows(client, 'SELECT 1', 1, () => {});
  await expect(copyRows(client, 'SELECT 1 / (random() * 0)::int', 1, () => {})).rejects.toThrow('division by zero');
  // Timers of other tests of this worker may have ended.
  expect(timers()).toBeLessThanOrEqual(before);
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});
