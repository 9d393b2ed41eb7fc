import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openArrayPool } from '../../../src/columns/array-pool.ts';
import { snapshot } from '../../../src/database/snapshot.ts';
import { fieldsOf } from '../../../src/domain/condition/condition.ts';
import { parseCondition } from '../../../src/domain/condition/parse-condition.ts';
import { type ReportField, reportFields } from '../../../src/domain/reports/fields.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { conditionSql } from '../../../src/queries/reports/condition-sql.ts';
import { compileCondition } from '../../../src/queries/reports/conditions.ts';
import { columnSql, eventsSql } from '../../../src/queries/reports/field-sql.ts';
import { eventsWithArchived } from '../../../src/queries/reports/list-rows.ts';
import { openScan } from '../../../src/queries/reports/scan.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { filter, TIMEZONES, world } from './questions.ts';
import { BOT_IDS, storeWorld, TABLES } from './world.ts';

/** A condition is a test of events in scans, and SQL in lists. Both must give the same result. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());

const cache = createChunkCache(20_000);
const EVER = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

it('the test and the SQL of a condition hold for the same events, packed or not', async () => {
  const seen = { some: 0, notAll: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...TIMEZONES),
      fc.constantFrom(...Object.values(BOT_IDS)),
      filter,
      async (timezone, botId, input) => {
        const problems: [] = [];
        const condition = parseCondition(input, { catalogue: reportFields, timezone, path: '', problems })!;
        expect(problems).toEqual([]);

        const found: number[] = [];
        let position = 0;
        const bySql = await snapshot(database.pool, { timeoutMs: 10_000 }, async (snapshot) => {
          const scan = await openScan(
            { botId, tables: TABLES, span: EVER, snapshot, cache, arrays: openArrayPool() },
            fieldsOf(condition),
          );
          const compiled = await compileCondition(condition, scan);
          await scan.events.each(compiled.columns, (chunk, begin, end) => {
            const test = compiled.testOf(chunk);
            const all = Uint32Array.from({ length: end - begin }, (_, i) => begin + i);
            const passing = all.filter((at) => test(at));
            expect(all.subarray(0, compiled.select(chunk, all, all))).toEqual(passing);
            for (const at of passing) found.push(position + at - begin);
            position += end - begin;
          });
          return snapshot.query(sql<{ holds: boolean | null }>`
          SELECT ${conditionSql(condition, (field: ReportField) => columnSql(field, TABLES))} AS holds
          FROM ${eventsSql(TABLES, eventsWithArchived({ botId, tables: TABLES, span: EVER, isArchived: true }))} WHERE e.bot_id = ${botId} ORDER BY e.date, e.ord`);
        });
        expect(position).toBe(world.events.length);
        expect(found).toEqual(bySql.flatMap(({ holds: yes }, index) => (yes === true ? [index] : [])));
        if (found.length > 0) seen.some += 1;
        if (found.length < position) seen.notAll += 1;
      },
    ),
    { numRuns: 300 },
  );
  expect(Math.min(seen.some, seen.notAll)).toBeGreaterThan(50);
});
