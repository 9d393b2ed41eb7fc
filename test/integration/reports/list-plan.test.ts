import { afterAll, beforeAll, expect, it } from 'vitest';
import { statement } from '../../../src/database/statement.ts';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import type { ListReport } from '../../../src/domain/reports/report.ts';
import { NO_MEMBERS } from '../../../src/queries/reports/field-sql.ts';
import { listSql } from '../../../src/queries/reports/list-rows.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { BOT_ID, storeWorld, TABLES } from './world.ts';

/** The first page of a list reads only rows of that page. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, { users: new Map(), events: [] });
  await database.pool.query(
    `INSERT INTO users_test.users (bot_id, user_id, user_status, date_create, addition_fields, custom_fields)
     SELECT $1, id, 'active', 1735732800000 + id * 7919 % 1000 * 60000, '{}', '{}' FROM generate_series(1, 20000) AS id`,
    [BOT_ID],
  );
  await database.pool.query('ANALYZE');
});
afterAll(() => database.drop());

it.each([
  ['the latest', {}],
  ['the first', { order: { 'users.date_create': 'asc' } }],
])('of users, %s', async (_, more) => {
  const source = { type: 'list', type_chart: 'list', table: 'users', columns: ['user.user_id'], ...more };
  const params = { ':date_from': '2025-01-01 00:00:00', ':date_to': '2025-12-31 23:59:59' };
  const parsed = parseReport({ source_request: source, settings: { params } }, 'UTC');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const report = parsed.report as ListReport;
  const list = { botId: BOT_ID, tables: TABLES, members: NO_MEMBERS, span: report.period, isArchived: false };
  const { text, values } = statement(listSql(report, list));
  const { rows } = await database.pool.query({ text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values });
  const read = scans(rows[0]['QUERY PLAN'][0].Plan).reduce((sum, node) => sum + node['Actual Rows'], 0);
  expect(read).toBeGreaterThanOrEqual(50);
  expect(read).toBeLessThan(200);
});

interface Plan {
  readonly 'Actual Rows': number;
  readonly Plans?: readonly Plan[];
}

/** The leaves of a plan, which read tables. */
function scans(plan: Plan): Plan[] {
  return plan.Plans === undefined ? [plan] : plan.Plans.flatMap(scans);
}
