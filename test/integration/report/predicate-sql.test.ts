import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fieldsOf } from '../../../src/domain/condition/condition.ts';
import { parseCondition } from '../../../src/domain/condition/parse-condition.ts';
import { predicateOf } from '../../../src/domain/condition/predicate.ts';
import { type ReportField, reportFields } from '../../../src/domain/report/fields.ts';
import { namedFields, type TimelineEvent } from '../../../src/domain/report/timeline.ts';
import { columnSql, eventsSql } from '../../../src/queries/report/columns.ts';
import { conditionSql } from '../../../src/queries/report/condition-sql.ts';
import { inSnapshot } from '../../../src/queries/report/snapshot.ts';
import { timelineSql } from '../../../src/queries/report/timeline-sql.ts';
import { walkTimelines } from '../../../src/queries/report/walk-timelines.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { filter, TIMEZONES, world } from './questions.ts';
import { BOT_ID, storeWorld, TABLES } from './world.ts';

/** A condition is a predicate for events that are walked and SQL for those that are not: both must say the same. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());

const commit = reportFields.find('events.session_id')!;

it('the predicate and the SQL of a condition hold for the same events', async () => {
  const seen = { some: 0, notAll: 0 };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...TIMEZONES), filter, async (timezone, input) => {
      const problems: [] = [];
      const condition = parseCondition(input, { catalogue: reportFields, timezone, path: '', problems })!;
      expect(problems).toEqual([]);
      const fields = namedFields([condition], [commit]);
      const holds = predicateOf<ReportField, TimelineEvent>(condition, ({ name }) => {
        const index = fields.findIndex((field) => field.name === name);
        return ({ values }) => values[index]!;
      });
      expect(fieldsOf(condition).length).toBeGreaterThan(0);

      const walked: number[] = [];
      let place = 0;
      const bySql = await inSnapshot(database.pool, 10_000, async (query, stream) => {
        const timelines = timelineSql({ botId: BOT_ID, tables: TABLES, fields }, sql`TRUE`);
        await walkTimelines(stream, timelines, fields, () => ({
          take(event) {
            if (holds(event)) walked.push(place);
            place += 1;
          },
          end() {},
        }));
        return query(sql<{ holds: boolean | null }>`
          SELECT ${conditionSql(condition, (field: ReportField) => columnSql(field, TABLES))} AS holds
          FROM ${eventsSql(TABLES)} WHERE e.bot_id = ${BOT_ID} ORDER BY e.user_id, e.date, e.ord`);
      });
      expect(place).toBe(world.events.length);
      expect(walked).toEqual(bySql.flatMap(({ holds: yes }, index) => (yes === true ? [index] : [])));
      if (walked.length > 0) seen.some += 1;
      if (walked.length < place) seen.notAll += 1;
    }),
    { numRuns: 300 },
  );
  expect(Math.min(seen.some, seen.notAll)).toBeGreaterThan(50);
});
