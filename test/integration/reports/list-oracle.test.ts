import Big from 'big.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { reportRunner } from '../../../src/queries/reports/run-report.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { type Dates, type Filter, fieldOf, holds, iso } from './oracle.ts';
import { isIn } from './oracle-parts.ts';
import { dates, filters, TIMEZONES, world } from './questions.ts';
import { BOT_ID, BOT_IDS, storeWorld, TABLES, type WorldEvent } from './world.ts';

let database: TestDatabase;
/** Has room for some of the chunks. */
const cache = createChunkCache(20_000);

beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());

interface Asked {
  readonly table: 'events' | 'users';
  readonly columns: readonly string[];
  readonly filters: Filter | null;
  readonly order: Readonly<Record<string, 'asc' | 'desc'>>;
  readonly limit: number | null;
  readonly offset: number | null;
}

const USER_FIELDS = [
  'user.username',
  'users.username',
  'user.is_premium',
  'user.date_create',
  'user.user_status',
  'user.custom_fields.level',
  "user.custom_fields.na'me",
  'user.addition_fields.utm_source',
  'user.user_id',
];
const EVENT_FIELDS = [
  ...['date', 'user_id', 'event_type_id', 'value_int', 'value_amount', 'unit', 'value_str', 'category', 'utm_source'],
  ...['date_received', 'session_id', 'app_session_id', 'properties.command', 'properties.value_str'],
  ...['properties.plan', 'properties.a.b', 'properties.items', 'properties.no'],
].map((key) => `events.${key}`);

const asked: fc.Arbitrary<Asked> = fc.constantFrom<Asked['table']>('events', 'events', 'users').chain((table) => {
  const fields = table === 'events' ? [...EVENT_FIELDS, ...USER_FIELDS] : USER_FIELDS;
  const own = table === 'events' ? filters : filters.filter((each) => !JSON.stringify(each).includes('"events.'));
  const by = fc.tuple(fc.constantFrom(...fields), fc.constantFrom('asc' as const, 'desc' as const));
  return fc.record({
    table: fc.constant(table),
    columns: fc.shuffledSubarray(fields, { minLength: 1 }),
    filters: own,
    order: fc.array(by, { maxLength: 3 }).map((pairs) => Object.fromEntries(pairs)),
    limit: fc.constantFrom(null, 1, 7, 1000, 1000),
    offset: fc.constantFrom(null, null, 0, 3, 40),
  });
});

/** A record and its id. A user is treated as an event that has only a user. */
interface Item {
  readonly event: WorldEvent;
  readonly id: number;
}

/** All records of the list without its limit, by brute force from decisions.md. */
function expected({ table, filters, order }: Asked, period: Dates, timezone: string): Item[] {
  const items: Item[] =
    table === 'events'
      ? world.events.map((event, id) => ({ event, id }))
      : [...world.users.keys()].map((user_id) => ({ event: { user_id } as WorldEvent, id: user_id }));
  const dateOf = ({ event }: Item) => (table === 'events' ? event.date : world.users.get(event.user_id)!.date_create);
  const given = Object.entries(order);
  const by = given.length > 0 ? given : [[table === 'events' ? 'events.date' : 'user.date_create', 'desc'] as const];
  return items
    .filter((item) => isIn(period, dateOf(item), timezone) && holds(filters, item.event, world, timezone))
    .sort((a, b) => {
      for (const [name, direction] of by) {
        const order = compared(readField(name, a), readField(name, b), direction === 'asc' ? 1 : -1);
        if (order !== 0) return order;
      }
      return a.id - b.id;
    });
}

const DATES = new Set(['events.date', 'events.date_received', 'user.date_create']);

/** Dates as ms. */
function readField(name: string, { event }: Item): unknown {
  if (name.startsWith('events.date')) return event[name.slice('events.'.length) as 'date'];
  if (name === 'user.date_create') return world.users.get(event.user_id)?.date_create ?? null;
  if (name === 'user.user_id') return world.users.get(event.user_id)?.user_id ?? null;
  return fieldOf(name, event, world, 'UTC') ?? null;
}

/** Orders by type, then by value, in a direction. A missing value comes last in both directions. */
function compared(a: unknown, b: unknown, way: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const kinds = [a, b].map((value) => (value instanceof Big ? 'number' : typeof value));
  if (kinds[0] !== kinds[1]) return kinds[0]! < kinds[1]! ? -way : way;
  if (typeof a === 'string') return way * Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  return way * exact(a).cmp(exact(b));
}

const exact = (value: unknown) => (value instanceof Big ? value : new Big(Number(value)));

/** Compares numbers by their digits. */
function cellOf(name: string, item: Item, timezone: string): unknown {
  const value = readField(name, item);
  if (value === null) return null;
  if (!DATES.has(name))
    return value instanceof Big || typeof value === 'number' ? { digits: new Big(value).toFixed() } : value;
  const ms = value as number;
  return iso(ms, timezone).replace(/(?=[+-]\d\d:\d\d$)/, `.${String(ms % 1000).padStart(3, '0')}`);
}

async function run(
  timezone: string,
  source: object,
  { from, to }: Dates,
  rows = Number.POSITIVE_INFINITY,
  botId = BOT_ID,
) {
  const settings = { params: { ':date_from': from, ':date_to': to } };
  const parsed = parseReport({ source_request: source, settings }, timezone);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const how = { now: Date.UTC(2026, 0, 1), lagMs: 0, timeoutMs: 10_000, limit: rows };
  return reportRunner(database.pool, cache)({ tables: TABLES, botId, parsed, ...how });
}
const list = (config: Asked) => ({ type: 'list', type_chart: 'list', ...config });

it.each([BOT_IDS.loose, BOT_IDS.archived])('every list of bot %i equals brute force', async (bot) => {
  const seen = { events: 0, users: 0, cut: 0 };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...TIMEZONES), asked, dates, async (timezone, config, period) => {
      const answer = await run(timezone, list(config), period, Number.POSITIVE_INFINITY, bot);
      const offset = config.offset ?? 0;
      const all = expected(config, period, timezone);
      const wanted = all.slice(offset, offset + (config.limit ?? 50));
      const rows = answer.rows.map((row) =>
        Object.entries(row).map(([key, cell]) => [key, isNumber(cell) ? { digits: String(cell) } : cell]),
      );
      expect(rows).toEqual(
        wanted.map((item) =>
          config.columns.map((name) => [name, cellOf(name.replace('users.', 'user.'), item, timezone)]),
        ),
      );
      expect(answer.columns.map(({ key, label }) => [key, label])).toEqual(config.columns.map((name) => [name, name]));
      expect(answer.meta).toMatchObject({ rows_total: wanted.length, rows_matching: all.length, truncated: false });
      seen[config.table] += wanted.length;
      seen.cut += all.length > wanted.length ? 1 : 0;
      const first = await run(timezone, list(config), period, 2, bot);
      expect(first.rows).toEqual(answer.rows.slice(0, 2));
      const cut = { rows_total: wanted.length, rows_matching: all.length, truncated: wanted.length > 2 };
      expect(first.meta).toMatchObject(cut);
    }),
    { numRuns: propertyRuns(120) },
  );
  expect(Math.min(seen.events, seen.users)).toBeGreaterThan(90);
  expect(seen.cut).toBeGreaterThan(9);
});

const isNumber = (cell: unknown) => typeof cell === 'number' || (typeof cell === 'object' && cell !== null);

it('a list has as many rows as a table counts with the same filter', async () => {
  let counted = 0;
  const event_id = fc.constantFrom(null, 1, 101, 102);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...TIMEZONES), filters, event_id, dates, async (timezone, filters, id, period) => {
      const metric = { type: 'trend', event_id: id, event_name: 'x', agr: 'total', filters };
      const table = { type: 'trends', type_chart: 'table', requests: [metric] };
      const count = (await run(timezone, table, period)).rows[0]!['value'];
      const both = [id === null ? null : ['=', 'events.event_type_id', id], filters].filter((each) => each !== null);
      const config = { table: 'events', columns: ['events.date'], filters: both.length > 0 ? ['and', ...both] : null };
      const page = async (offset: number) =>
        (await run(timezone, { type: 'list', type_chart: 'list', ...config, limit: 90, offset }, period)).rows.length;
      let shown = 0;
      for (let offset = 0, rows = 90; rows === 90; offset += 90) {
        rows = await page(offset);
        shown += rows;
      }
      expect(shown).toBe(count);
      counted += shown;
    }),
    { numRuns: 60 },
  );
  expect(counted).toBeGreaterThan(1000);
});

it('orders and compares numbers by value, however they are written', async () => {
  const bot = 99;
  await database.pool.query(
    `INSERT INTO users_test.users (bot_id, user_id, user_status, date_create, addition_fields, custom_fields)
     SELECT $1, id, 'active', 1735732800000, '{}', fields::jsonb FROM (VALUES
       (1, '{"n": null}'), (2, '{"n": 1.0}'), (3, '{"n": 1}'), (4, '{"n": 1.00}'), (5, '{"n": 0.5}')) AS given (id, fields)`,
    [bot],
  );
  await database.pool.query(
    `INSERT INTO events_test.events (bot_id, user_id, date, ord, session, date_received, commit_id, event_id, user_idx, idx, value_amount)
     VALUES ($1, 1, 1735732800000, 1, 1, 0, '00000000-0000-7000-8000-000000000000', 101, 0, 0, 1.500000)`,
    [bot],
  );
  const period = { from: '2025-01-01 00:00:00', to: '2025-01-01 23:59:59' };
  const ask = async (source: object) =>
    (await run('UTC', { type: 'list', type_chart: 'list', ...source }, period, 10, bot)).rows;
  const order = { 'user.custom_fields.n': 'asc' };
  // Equal numbers are ordered by user_id, and JSON's null is a missing value.
  const users = await ask({ table: 'users', columns: ['user.user_id', 'user.custom_fields.n'], order });
  expect(users.map((row) => row['user.user_id'])).toEqual([5, 2, 3, 4, 1]);
  expect(users.at(-1)).toEqual({ 'user.user_id': 1, 'user.custom_fields.n': null });
  const events = await ask({ table: 'events', columns: ['events.value_amount'] });
  expect(events.map((row) => String(row['events.value_amount']))).toEqual(['1.5']);
});
