import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { reportRunner } from '../../../src/queries/reports/run-report.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { type Asked, type Dates, expected } from './oracle.ts';
import { asJson, grouped } from './oracle-parts.ts';
import { dates, filters, QUIET_DAYS, separators, TIMEZONES, world } from './questions.ts';
import { BOT_IDS, storeWorld, TABLES } from './world.ts';

let database: TestDatabase;
/** Has room for some of the chunks. */
const cache = createChunkCache(20_000);

beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());

const CHART_AGRS = [
  'total',
  'total_uniq_user_id',
  'total_uniq_session_id',
  'total_uniq_app_session_id',
  'avg_user_id',
  'min_user_id',
  'max_user_id',
  'median_user_id',
  'property_sum',
  'property_avg',
  'property_min',
  'property_max',
  'property_median',
];
const TABLE_AGRS = ['total', 'total_uniq', 'avg', 'min', 'max', 'median'];

const asked: fc.Arbitrary<Asked> = fc.constantFrom('line', 'table', 'utm_trends', 'utm_table').chain((type_chart) =>
  fc.record({
    type_chart: fc.constant(type_chart),
    granularity: fc.constantFrom('hour', 'day', 'week', 'month'),
    filters,
    separators,
    breakdown_limit: fc.constantFrom(null, 5, 6, 7),
    row_limit: fc.constantFrom(null, 1, 3, 6, 5000),
    requests: fc.array(
      fc.record({
        event_id: fc.constantFrom(null, 1, 101, 102, 999),
        agr: fc.constantFrom(...(type_chart === 'table' ? TABLE_AGRS : CHART_AGRS)),
        agr_field: fc.constantFrom(
          'events.value_int',
          'events.value_amount',
          'events.properties.items',
          'events.properties.plan',
        ),
        filters,
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
);
/** Some days around a clock change. By the hour, the whole world has 6,000 buckets, almost all empty. */
const fewDays: fc.Arbitrary<Dates> = fc
  .integer({ min: 0, max: QUIET_DAYS.length - 2 })
  .filter((index) => index !== 3)
  .map((index) => ({ from: `${QUIET_DAYS[index]} 12:30:00`, to: `${QUIET_DAYS[index + 1]} 00:00:00` }));
const question = asked.chain((config) =>
  fc.tuple(fc.constant(config), config.granularity === 'hour' ? fewDays : dates),
);

const botId = fc.constantFrom(...Object.values(BOT_IDS));

async function run(timezone: string, botId: number, { requests, separators, ...source }: Asked, { from, to }: Dates) {
  const metrics = requests.map((request) => ({ ...request, type: 'trend', event_name: 'x' }));
  const named = separators.map((property) => ({ property }));
  const params = { ':date_from': from, ':date_to': to };
  const parsed = parseReport(
    {
      source_request: { type: 'trends', ...source, separators: named, requests: metrics },
      settings: { params },
    },
    timezone,
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const how = { now: Date.UTC(2026, 0, 1), lagMs: 0, timeoutMs: 10_000, limit: Number.POSITIVE_INFINITY };
  return reportRunner(database.pool, cache)({ tables: TABLES, botId, parsed, ...how });
}

it('every trends report equals brute force', async () => {
  const seen = { other: 0, utmOther: 0, lines: 0, cut: 0 };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...TIMEZONES), botId, question, async (timezone, bot, [config, period]) => {
      const answer = await run(timezone, bot, config, period);
      const wanted = expected(world, timezone, config, period).map(({ cells, ...line }) => ({
        ...line,
        cells: config.type_chart.startsWith('utm_') ? withoutRoot(cells) : cells,
      }));
      const isUtm = config.type_chart.startsWith('utm_');
      const limit = isUtm ? (config.row_limit ?? 100) : Number.POSITIVE_INFINITY;
      /** The first, as many as there may be. */
      const within = <T>(rows: Iterable<T>): T[] => {
        const all = [...rows];
        if (all.length > limit) seen.cut += 1;
        return all.slice(0, limit);
      };
      const digits = (cell: unknown) => (cell === null ? null : String(cell));
      seen.lines += wanted.length;
      const others = wanted.filter(({ cells }) => cells['other'] === true).length;
      seen[config.type_chart.startsWith('utm_') ? 'utmOther' : 'other'] += others;
      const keys = answer.columns.map(({ key }) => key);
      for (const row of answer.rows) expect(Object.keys(row)).toEqual(keys);
      if (config.type_chart === 'table') {
        const rows = answer.rows.map(({ value, label, ...row }) => ({
          ...(asJson(row) as object),
          value: digits(value),
        }));
        expect(rows).toEqual(wanted.map(({ metric, cells, total }) => ({ metric, ...cells, value: total })));
        return;
      }
      if (config.type_chart === 'utm_table') {
        const combinations = grouped(wanted, ({ cells }) => JSON.stringify(cells));
        const rows = [...combinations.values()].map((lines) => ({
          ...lines[0]!.cells,
          ...Object.fromEntries(lines.map(({ metric, total }) => [`m${metric}`, total])),
        }));
        const measures = (row: object) =>
          Object.entries(row).map(([key, cell]) => [key, /^m\d/.test(key) ? digits(cell) : cell]);
        expect(answer.rows.map((row) => Object.fromEntries(measures(row)))).toEqual(within(rows));
        expect(answer.meta).toMatchObject({ rows_total: answer.rows.length, truncated: false });
        return;
      }
      const lines = answer.columns.slice(1).map(({ metric, total, breakdown = {}, other }) => ({
        metric,
        cells: { ...(asJson(breakdown) as object), ...(other === undefined ? {} : { other }) },
        total: digits(total),
      }));
      expect(lines).toEqual(wanted.map(({ metric, cells, total }) => ({ metric, cells, total })));
      for (const [index, { buckets }] of wanted.entries()) {
        const rows = answer.rows.map((row) => [row['date'], digits(row[`s${index}`])]);
        expect(rows).toEqual(within(buckets));
      }
    }),
    { numRuns: propertyRuns(80) },
  );
  expect(Math.min(seen.other, seen.utmOther, seen.cut)).toBeGreaterThan(5);
  expect(seen.lines).toBeGreaterThan(500);
});

/** `events.utm_source` is `utm_source` in rows. */
function withoutRoot(cells: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(cells).map(([key, cell]) => [key.replace('events.', ''), cell]));
}
