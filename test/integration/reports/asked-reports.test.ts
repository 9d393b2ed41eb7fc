import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { migrateRuntimeSchema } from '../../../src/database/runtime-schema.ts';
import { type AskedReport, addAskedReports, askedReports } from '../../../src/queries/reports/asked-reports.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await migrateRuntimeSchema(database.pool);
});
beforeEach(() => database.pool.query('TRUNCATE runtime.asked_reports'));
afterAll(() => database?.drop());

const report = (n: number, asked: number, bot = 'bot1'): AskedReport => ({
  bot,
  kind: 'list',
  config: `{"n":${n}}`,
  asked,
});
const kept = (now = NOW, limit = 10_000) => askedReports(database.pool, now, limit);

it('adds the counts of a configuration, for each bot apart, and answers the most asked first', async () => {
  await addAskedReports(database.pool, [report(1, 2), report(2, 3)], NOW);
  await addAskedReports(database.pool, [report(1, 2), report(2, 5, 'bot2')], NOW);
  expect(await kept()).toEqual([report(2, 5, 'bot2'), report(1, 4), report(2, 3)]);
  expect(await kept(NOW, 1)).toEqual([report(2, 5, 'bot2')]);
});

it('keeps the 1,000 most asked', async () => {
  const many = (from: number, asked: number) => Array.from({ length: 800 }, (_, i) => report(from + i, asked));
  await addAskedReports(database.pool, many(0, 2), NOW);
  await addAskedReports(database.pool, many(800, 1), NOW);
  const found = await kept();
  expect(found).toHaveLength(1000);
  expect(found.filter(({ asked }) => asked === 2)).toHaveLength(800);
});

it('drops a report that was not asked for a day', async () => {
  await addAskedReports(database.pool, [report(1, 9), report(2, 1)], NOW);
  await addAskedReports(database.pool, [report(2, 1)], NOW + DAY);
  expect(await kept(NOW + DAY + 1)).toEqual([report(2, 2)]);
  await addAskedReports(database.pool, [report(3, 1)], NOW + DAY + 1);
  expect((await database.pool.query('SELECT FROM runtime.asked_reports')).rowCount).toBe(2);
});
