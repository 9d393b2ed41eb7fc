import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import type { Row } from '../../../src/queries/reports/answer.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { reportRunner } from '../../../src/queries/reports/run-report.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { longOnly } from '../../support/long-only.ts';
import type { Dates } from './oracle.ts';
import { asJson, grouped } from './oracle-parts.ts';
import { dates, filters, separators, TIMEZONES, world } from './questions.ts';
import { BOT_IDS, storeWorld, TABLES } from './world.ts';

/** The rows of a breakdown, including `other`, add up to the report without breakdown, for all additive measures. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());

const cache = createChunkCache(20_000);
const botId = fc.constantFrom(...Object.values(BOT_IDS));
const by = separators.filter((names) => names.length > 0).map((names) => names.map((property) => ({ property })));
const event_id = fc.constantFrom(null, 1, 101, 102);
const where = fc.tuple(fc.constantFrom(...TIMEZONES), botId, dates);
type Where = readonly [timezone: string, botId: number, period: Dates];

async function rowsOf([timezone, bot, { from, to }]: Where, source_request: object): Promise<Row[]> {
  const settings = { params: { ':date_from': from, ':date_to': to } };
  const parsed = parseReport({ source_request, settings }, timezone);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const how = { now: Date.UTC(2026, 0, 1), lagMs: 0, timeoutMs: 10_000, limit: Number.POSITIVE_INFINITY };
  const answer = await reportRunner(database.pool, cache)({ tables: TABLES, botId: bot, parsed, ...how });
  return asJson(answer.rows) as Row[];
}

/** The additive measures, by the key of their row in the report without breakdown; zeros are left out. */
function sums(rows: readonly Row[], keys: readonly string[], measures: (key: string) => boolean): Map<string, number> {
  const groups = grouped(rows, (row) => JSON.stringify(keys.map((key) => row[key])));
  const added = [...groups].flatMap(([group, some]) =>
    Object.keys(some[0]!)
      .filter(measures)
      .map((key): [string, number] => [`${group} ${key}`, some.reduce((sum, row) => sum + Number(row[key]), 0)]),
  );
  return new Map(added.filter(([, sum]) => Math.abs(sum) > 1e-6).map(([key, sum]) => [key, Number(sum.toFixed(5))]));
}

/** Whether breakdowns of several rows, and breakdowns with `other`, occurred. */
function counted(seen: { broken: number; other: number }, rows: readonly Row[]): void {
  if (rows.length > 1) seen.broken += 1;
  if (rows.some((row) => row['other'] === true)) seen.other += 1;
}

it('of tables and UTM tables', async () => {
  const seen = { broken: 0, other: 0 };
  const metric = fc.record({ event_id, filters, type: fc.constant('trend'), event_name: fc.constant('x') });
  await fc.assert(
    fc.asyncProperty(where, fc.array(metric, { minLength: 1, maxLength: 2 }), by, async (at, metrics, separators) => {
      const requests = metrics.map((one) => ({ ...one, agr: 'total' }));
      const source = { type: 'trends', type_chart: 'table', requests };
      const whole = await rowsOf(at, source);
      const parts = await rowsOf(at, { ...source, separators });
      counted(seen, parts);
      const isValue = (key: string) => key === 'value';
      expect(sums(parts, ['metric'], isValue)).toEqual(sums(whole, ['metric'], isValue));
      const users = requests.map((one) => ({ ...one, agr: 'total_uniq' }));
      const uniques = sums(await rowsOf(at, { ...source, requests: users }), ['metric'], isValue);
      const inParts = sums(await rowsOf(at, { ...source, requests: users, separators }), ['metric'], isValue);
      for (const [key, count] of uniques) expect(inParts.get(key)).toBeGreaterThanOrEqual(count);

      const utm = await rowsOf(at, { ...source, type_chart: 'utm_table', breakdown_limit: 5, row_limit: 5000 });
      counted(seen, utm);
      const totals = requests.map((_, index) => utm.reduce((sum, row) => sum + Number(row[`m${index}`]), 0));
      expect(totals).toEqual(whole.map(({ value }) => value));
    }),
    { numRuns: 40 },
  );
  expect(Math.min(seen.broken, seen.other)).toBeGreaterThan(5);
});

it('of funnels: every user is in one row, whatever the order', async () => {
  const seen = { broken: 0, other: 0 };
  const order = fc.constantFrom('ordered', 'strict', 'unordered');
  const steps = fc.array(event_id, { minLength: 2, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(where, steps, order, by, filters, async (at, ids, funnel_order_type, separators, filters) => {
      const requests = ids.map((id) => ({ type: 'trend', event_id: id, event_name: 'x', agr: 'total' }));
      const source = { type: 'funnels', type_chart: 'funnels', requests, funnel_order_type, filters };
      const parts = await rowsOf(at, { ...source, separators });
      counted(seen, parts);
      const isCount = (key: string) => ['users', 'dropped', 'in_progress'].includes(key);
      expect(sums(parts, ['step'], isCount)).toEqual(sums(await rowsOf(at, source), ['step'], isCount));
    }),
    { numRuns: 200 },
  );
  expect(Math.min(seen.broken, seen.other)).toBeGreaterThan(5);
});

longOnly('of retentions: every user is in one row of a cohort', async () => {
  const seen = { broken: 0, other: 0 };
  const types = fc.constantFrom('retention_first_time', 'retention_first_time_ever', 'retention_recurring');
  const granularity = fc.constantFrom('day', 'week');
  await fc.assert(
    fc.asyncProperty(where, event_id, event_id, types, granularity, by, async (at, start, back, type, size, by) => {
      const entity = (id: number | null) => ({ type: 'event', event_id: id, event_name: 'x' });
      const source = {
        type: 'retention',
        type_chart: 'retention',
        retention_type: type,
        granularity: size,
        target_entity: entity(start),
        returning_entity: entity(back),
      };
      const parts = await rowsOf(at, { ...source, separators: by });
      counted(seen, parts);
      const isCount = (key: string) => key === 'size' || key.startsWith('users_');
      expect(sums(parts, ['cohort'], isCount)).toEqual(sums(await rowsOf(at, source), ['cohort'], isCount));
    }),
    { numRuns: 100 },
  );
  expect(Math.min(seen.broken, seen.other)).toBeGreaterThan(5);
});
