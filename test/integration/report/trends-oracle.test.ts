import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseReport } from '../../../src/domain/report/parse-report.ts';
import { runReport } from '../../../src/queries/report/run-report.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type Asked, type Dates, expected, type Filter } from './oracle.ts';
import { BOT_ID, SOURCES, sampleWorld, sessionId, storeWorld, TABLES, TEXTS } from './world.ts';

const world = sampleWorld();
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());

const TIMEZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'];
/** Days on which no clock of these zones changes, so that every local time is there once. */
const QUIET_DAYS = [
  '2025-03-07',
  '2025-03-11',
  '2025-03-27',
  '2025-04-01',
  '2025-10-24',
  '2025-10-29',
  '2025-11-04',
  '2025-11-08',
];
const OPERATORS = ['=', '!=', '<', '<=', '>', '>='];

const localTime = fc
  .tuple(fc.constantFrom(...QUIET_DAYS), fc.constantFrom('00:00:00', '00:00:01', '03:44:59', '12:30:00', '23:59:59'))
  .map(([day, time]) => `${day} ${time}`);
/** Seconds of events, and those before, by the clock of UTC: where ranges end is where mistakes are. */
const nearEvents = fc
  .tuple(fc.constantFrom(...world.events), fc.constantFrom(0, 1000))
  .map(([event, before]) => new Date(event.date - before).toISOString().slice(0, 19).replace('T', ' '))
  .filter((text) => !/-(03-(09|30)|10-26|11-02) /.test(text));
const date = fc.oneof(localTime, nearEvents);
const number = fc.constantFrom(0, 0.1, 0.3, -0.3, 10, 99.99, 1, 101, 9007199254740991);
const text = fc.constantFrom(...TEXTS, 'EUR', 'shop', ...SOURCES);
const session = fc.constantFrom(...world.events.map((_, index) => sessionId(index)), 'x');
const custom = fc.constantFrom<unknown>('1', 1, 1.5, 'ä', 'b');

/** Fields with the constants that they are compared with. */
const FIELDS: readonly (readonly [string, fc.Arbitrary<unknown>])[] = [
  ...['date', 'date_received'].map((key) => [`events.${key}`, date] as const),
  ...['user_id', 'event_type_id', 'value_int', 'value_amount'].map((key) => [`events.${key}`, number] as const),
  ...['unit', 'value_str', 'category', 'webapp_name', 'utm_source', 'utm_medium'].map(
    (key) => [`events.${key}`, text] as const,
  ),
  ...['session_id', 'app_session_id'].map((key) => [`events.${key}`, session] as const),
  ...['command', 'x"y', "it's", 'value_str', 'category', 'no.such'].map(
    (key) => [`events.properties.${key}`, text] as const,
  ),
  ['user.username', text],
  ['user.user_status', fc.constantFrom('active', 'blocked')],
  ['user.addition_fields.utm_source', text],
  ['users.date_create', date],
  ['user.custom_fields.level', custom],
  ["user.custom_fields.na'me", custom],
];

const flat: fc.Arbitrary<Filter> = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...FIELDS).chain(([field, constant]) => conditionOn(field, constant)) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('=', '!='), fc.constant('user.is_premium'), fc.boolean()) },
);

function conditionOn(field: string, constant: fc.Arbitrary<unknown>): fc.Arbitrary<Filter> {
  const pair = fc.tuple(constant, constant).filter(([a, b]) => typeof a === typeof b);
  return fc.oneof(
    fc.tuple(fc.constantFrom(...OPERATORS), fc.constant(field), constant),
    fc.tuple(fc.constant('in'), fc.constant(field), fc.array(constant, { minLength: 1, maxLength: 4 })),
    pair.map(([a, b]) => ['between', field, a, b]),
  );
}

const { filter } = fc.letrec<{ filter: Filter; group: Filter }>((tie) => ({
  filter: fc.oneof({ depthSize: 'small' }, flat, tie('group')),
  group: fc
    .tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { minLength: 1, maxLength: 3 }))
    .map(([operator, parts]) => [operator, ...parts]),
}));
const filters = fc.option(filter, { freq: 2 });

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

const asked: fc.Arbitrary<Asked> = fc.constantFrom('line', 'table').chain((type_chart) =>
  fc.record({
    type_chart: fc.constant(type_chart),
    granularity: fc.constantFrom('hour', 'day', 'week', 'month'),
    filters,
    requests: fc.array(
      fc.record({
        event_id: fc.constantFrom(null, 1, 101, 102, 999),
        agr: fc.constantFrom(...(type_chart === 'table' ? TABLE_AGRS : CHART_AGRS)),
        agr_field: fc.constantFrom('events.value_int', 'events.value_amount'),
        filters,
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
);
const dates: fc.Arbitrary<Dates> = fc
  .tuple(date, date)
  .map(([a, b]) => (a < b ? { from: a, to: b } : { from: b, to: a }));
/** Some days around a clock change: by the hour the whole world has 6,000 buckets, almost all of them empty. */
const fewDays: fc.Arbitrary<Dates> = fc
  .integer({ min: 0, max: QUIET_DAYS.length - 2 })
  .filter((index) => index !== 3)
  .map((index) => ({ from: `${QUIET_DAYS[index]} 12:30:00`, to: `${QUIET_DAYS[index + 1]} 00:00:00` }));
const question = asked.chain((config) =>
  fc.tuple(fc.constant(config), config.granularity === 'hour' ? fewDays : dates),
);

async function run(timezone: string, { requests, ...source }: Asked, { from, to }: Dates) {
  const metrics = requests.map((request) => ({ ...request, type: 'trend', event_name: 'x' }));
  const params = { ':date_from': from, ':date_to': to };
  const parsed = parseReport(
    { source_request: { type: 'trends', ...source, requests: metrics }, settings: { params } },
    timezone,
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const sources = { now: () => Date.UTC(2026, 0, 1) };
  const dependencies = { pool: database.pool, tables: TABLES, sources, timeoutMs: 10_000, lagMs: async () => 0 };
  return runReport(dependencies, BOT_ID, parsed, Number.POSITIVE_INFINITY);
}

it('every trends report says what brute force says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...TIMEZONES), question, async (timezone, [config, period]) => {
      const answer = await run(timezone, config, period);
      const wanted = expected(world, timezone, config, period);
      const digits = (cell: unknown) => (cell === null ? null : String(cell));
      if (config.type_chart === 'table') {
        expect(answer.rows.map(({ value }) => digits(value))).toEqual(wanted.map(({ total }) => total));
        return;
      }
      expect(answer.columns.slice(1).map(({ total }) => digits(total))).toEqual(wanted.map(({ total }) => total));
      for (const [metric, { buckets }] of wanted.entries()) {
        const rows = answer.rows.map((row) => [row['date'], digits(row[`s${metric}`])]);
        expect(rows).toEqual([...buckets]);
      }
    }),
    { numRuns: 200 },
  );
});
