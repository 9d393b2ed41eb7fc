import fc from 'fast-check';
import { stringify } from 'lossless-json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FilterConditions } from '../../../src/domain/broadcast/audience.ts';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import { storedConditions } from '../../../src/domain/saved-segments/stored-conditions.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { cellUsersFinder, reportRunner } from '../../../src/queries/reports/run-report.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { type Dates, type Filter, holds } from '../reports/oracle.ts';
import { asJson, grouped } from '../reports/oracle-parts.ts';
import { dates, filterOn, filters, now, TIMEZONES, world } from '../reports/questions.ts';
import { BOT_IDS, storeWorld, TABLES, type WorldEvent } from '../reports/world.ts';

/**
 * A report that is filtered by a saved segment is the report that names its users one by one. The users are found by brute
 * force; other oracles compare reports that name users with brute force.
 */

const ERASED = 3;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
  await database.pool.query(
    `INSERT INTO ${TABLES.users}.erased_users (bot_id, user_id) SELECT unnest($1::int[]), $2::bigint`,
    [Object.values(BOT_IDS), ERASED],
  );
});
afterAll(() => database.drop());

/** Has room for some of the chunks. */
const cache = createChunkCache(20_000);

interface Leaf {
  readonly event_id: number | null;
  readonly negation: boolean;
  readonly period_days: number;
  readonly conditions: Filter | null;
}
type Tree = readonly ['performed_event', Leaf] | readonly ['and' | 'or', ...Tree[]];
interface Conditions {
  readonly user_conditions: Filter | null;
  readonly event_filters: Tree | null;
}

const leaf: fc.Arbitrary<Leaf> = fc.record({
  event_id: fc.constantFrom(null, 1, 101, 102, 999),
  negation: fc.boolean(),
  period_days: fc.constantFrom(0, 1, 60, 90, 300),
  conditions: fc.option(
    filterOn((field) => field.startsWith('events.')),
    { freq: 2 },
  ),
});
const { tree } = fc.letrec<{ tree: Tree; group: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    leaf.map((object): Tree => ['performed_event', object]),
    tie('group'),
  ),
  group: fc
    .tuple(fc.constantFrom('and', 'or'), fc.array(tie('tree'), { minLength: 1, maxLength: 3 }))
    .map(([operator, parts]): Tree => [operator, ...parts]),
}));
const userFilter = filterOn((field) => /^users?\./.test(field));
const conditions: fc.Arbitrary<Conditions> = fc
  .record({ user_conditions: fc.option(userFilter, { freq: 2 }), event_filters: fc.option(tree, { freq: 2 }) })
  .filter(({ user_conditions, event_filters }) => user_conditions !== null || event_filters !== null);

const byUser = grouped(world.events, ({ user_id }) => user_id);

/** The users of a saved segment, by brute force. */
function members({ user_conditions, event_filters }: Conditions, timezone: string, now: number): number[] {
  const holdsFor = (filter: Tree, events: readonly WorldEvent[]): boolean => {
    if (filter[0] === 'and') return (filter.slice(1) as Tree[]).every((part) => holdsFor(part, events));
    if (filter[0] === 'or') return (filter.slice(1) as Tree[]).some((part) => holdsFor(part, events));
    const { event_id, negation, period_days, conditions } = filter[1] as Leaf;
    const since = period_days === 0 ? Number.NEGATIVE_INFINITY : now - period_days * 86_400_000;
    const has = events.some(
      (event) =>
        (event_id === null || event.event_type_id === event_id) &&
        event.date >= since &&
        holds(conditions, event, world, timezone),
    );
    return has !== negation;
  };
  return [...byUser].flatMap(([user, events]) => {
    if (!world.users.has(user) || user === ERASED) return [];
    const isMeant = holds(user_conditions, events[0]!, world, timezone);
    return isMeant && (event_filters === null || holdsFor(event_filters, events)) ? [user] : [];
  });
}

const ID = 7;
const FIELD = `user.saved_segments.${ID}`;

/** Membership, its complement, or either with another filter. `{in}` stands for the membership. */
const shape: fc.Arbitrary<(own: Filter) => Filter> = fc.tuple(fc.constantFrom('alone', 'and', 'or'), filters).map(
  ([how, other]) =>
    (own) =>
      how === 'alone' || other === null ? own : [how, own, other],
);

const metric = fc.record({
  event_id: fc.constantFrom(null, 1, 101, 102),
  agr: fc.constantFrom('total', 'total_uniq_user_id', 'avg_user_id', 'property_sum'),
});
const chart = fc.record({
  type: fc.constant('trends'),
  type_chart: fc.constantFrom('line', 'utm_trends', 'utm_table'),
  requests: fc.array(metric, { minLength: 1, maxLength: 2 }),
  separators: fc.constantFrom([], [{ property: 'events.category' }], [{ property: 'user.is_premium' }]),
});
const table = fc.record({
  type: fc.constant('trends'),
  type_chart: fc.constant('table'),
  requests: fc.constant([
    { event_id: null, agr: 'total' },
    { event_id: 101, agr: 'total_uniq' },
  ]),
});
const funnel = fc.record({
  type: fc.constant('funnels'),
  type_chart: fc.constant('funnels'),
  requests: fc.constant([
    { event_id: 1, agr: 'total' },
    { event_id: null, agr: 'total' },
  ]),
  funnel_order_type: fc.constantFrom('ordered', 'strict', 'unordered'),
});
const entity = (event_id: number | null) => ({ type: 'event', event_id, event_name: 'x' });
const retention = fc.record({
  type: fc.constant('retention'),
  type_chart: fc.constant('retention'),
  target_entity: fc.constant(entity(1)),
  returning_entity: fc.constant(entity(null)),
  granularity: fc.constant('week'),
});
const list = fc.record({
  type: fc.constant('list'),
  type_chart: fc.constant('list'),
  table: fc.constant('events'),
  columns: fc.constant(['events.date', 'events.user_id', 'user.username']),
  limit: fc.constantFrom(3, 1000),
});

type Source = Readonly<Record<string, unknown>> & { readonly requests?: readonly object[] };
const source: fc.Arbitrary<Source> = fc.oneof(chart, table, funnel, retention, list).map((config: Source) => ({
  ...config,
  ...(config.requests === undefined
    ? {}
    : {
        requests: config.requests.map((each) => ({
          ...each,
          type: 'trend',
          event_name: 'x',
          agr_field: 'events.value_amount',
        })),
      }),
}));

function taskOf(botId: number, source_request: object, { from, to }: Dates, timezone: string) {
  const parsed = parseReport(
    { source_request, settings: { params: { ':date_from': from, ':date_to': to } } },
    timezone,
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return { tables: TABLES, botId, parsed, lagMs: 0, timeoutMs: 20_000, limit: 100_000 };
}

const saved = (given: Conditions, timezone: string): ReadonlyMap<number, FilterConditions> =>
  new Map([[ID, storedConditions(stringify(given)!, timezone)]]);

const botId = fc.constantFrom(...Object.values(BOT_IDS));
const timezone = fc.constantFrom(...TIMEZONES);

/** The users as a filter on a field; no user has the id 0. */
const oneByOne = (users: readonly number[], isIn: boolean): Filter => {
  const some = users.length === 0 ? [0] : users;
  return isIn ? ['in', 'events.user_id', some] : ['and', ...some.map((user) => ['!=', 'events.user_id', user])];
};

it('a report by a saved segment is that of its users, of every type', async () => {
  const seen = { some: 0, none: 0, types: new Set<unknown>() };
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(botId, timezone, source, dates, now, conditions),
      fc.tuple(shape, fc.constantFrom(['=', true], ['=', false], ['!=', true]), fc.boolean()),
      async ([bot, timezone, config, period, now, given], [shaped, [operator, value], isOfMetric]) => {
        const users = members(given, timezone, now);
        seen[users.length === 0 ? 'none' : 'some']++;
        seen.types.add(config['type_chart']);
        const isIn = operator === '=' && value === true;
        const [first, ...others] = config.requests ?? [];
        const filtered = (filters: Filter): object =>
          isOfMetric && first !== undefined
            ? { ...config, requests: [{ ...first, filters }, ...others] }
            : { ...config, filters };
        const asked = taskOf(bot, filtered(shaped([operator as string, FIELD, value])), period, timezone);
        const inline = taskOf(bot, filtered(shaped(oneByOne(users, isIn))), period, timezone);
        const wanted = asJson(await reportRunner(database.pool, cache)({ ...inline, now }));
        const task = { ...asked, now, savedSegments: saved(given, timezone) };
        expect(asJson(await reportRunner(database.pool, cache)(task))).toEqual(wanted);
      },
    ),
    { numRuns: propertyRuns(120) },
  );
  expect(Math.min(seen.some, seen.none)).toBeGreaterThan(10);
  expect(seen.types.size).toBe(7);
});

const YEAR = { from: '2025-01-01 00:00:00', to: '2025-12-31 23:59:59' };
const NOW = Date.UTC(2026, 0, 1);

it('a breakdown by a saved segment has a line for its users and one for the others', async () => {
  const plain = { type: 'trends', type_chart: 'table', requests: [{ type: 'trend', event_name: 'x', agr: 'total' }] };
  await fc.assert(
    fc.asyncProperty(botId, conditions, fc.boolean(), async (bot, given, isMixed) => {
      // Fields of the referral read model are not kept by threads: with one the breakdown is SQL.
      const other = isMixed ? [{ property: 'user.addition_fields.referral_code' }] : [];
      const task = taskOf(bot, { ...plain, separators: [{ property: FIELD }, ...other] }, YEAR, 'UTC');
      const { rows } = await reportRunner(
        database.pool,
        cache,
      )({ ...task, now: NOW, savedSegments: saved(given, 'UTC') });
      const users = new Set(members(given, 'UTC', NOW));
      const counts = grouped(world.events, ({ user_id }) => users.has(user_id));
      const sumOf = (isIn: boolean | null): number =>
        rows.filter((row) => row[FIELD] === isIn).reduce((sum, { value }) => sum + Number(value), 0);
      // Combinations beyond the largest ones are in one line, which is of no side.
      const missing = [true, false].map((isIn) => (counts.get(isIn)?.length ?? 0) - sumOf(isIn));
      expect(Math.min(...missing)).toBeGreaterThanOrEqual(0);
      expect(missing[0]! + missing[1]!).toBe(sumOf(null));
    }),
    { numRuns: propertyRuns(30) },
  );
});

it('lists of users and of events have it as a column, a filter and an order', async () => {
  await fc.assert(
    fc.asyncProperty(botId, conditions, async (bot, given) => {
      const users = members(given, 'UTC', NOW);
      const run = async (source: object) => {
        const task = taskOf(bot, { type: 'list', type_chart: 'list', limit: 1000, ...source }, YEAR, 'UTC');
        return (await reportRunner(database.pool, cache)({ ...task, now: NOW, savedSegments: saved(given, 'UTC') }))
          .rows;
      };
      const events = await run({ table: 'events', columns: ['events.user_id', FIELD], order: { [FIELD]: 'desc' } });
      const isIn = events.map((row) => users.includes(Number(row['events.user_id'])));
      expect(events.map((row) => row[FIELD])).toEqual(isIn);
      expect(isIn).toEqual([...isIn].sort((a, b) => Number(b) - Number(a)));
      const found = await run({ table: 'users', columns: ['user.user_id'], filters: ['=', FIELD, true] });
      expect(found.map((row) => Number(row['user.user_id'])).sort()).toEqual([...users].sort());
    }),
    { numRuns: propertyRuns(30) },
  );
});

it('the users behind a number are those of the segment', async () => {
  const daily = { type: 'trends', type_chart: 'line', requests: [{ type: 'trend', event_name: 'x', agr: 'total' }] };
  await fc.assert(
    fc.asyncProperty(botId, conditions, async (bot, given) => {
      const task = taskOf(bot, { ...daily, filters: ['=', FIELD, true] }, YEAR, 'UTC');
      const cell = { type: 'trends', series: 0, bucket: null, line: null } as const;
      const find = cellUsersFinder(database.pool, cache);
      const { ids } = await find({ ...task, cell, now: NOW, savedSegments: saved(given, 'UTC') });
      expect([...ids]).toEqual(members(given, 'UTC', NOW).sort((a, b) => a - b));
    }),
    { numRuns: propertyRuns(20) },
  );
});

it('a report whose saved segment was not looked up fails', async () => {
  const daily = { type: 'trends', type_chart: 'line', requests: [{ type: 'trend', event_name: 'x', agr: 'total' }] };
  const task = taskOf(BOT_IDS.packed, { ...daily, filters: ['=', FIELD, true] }, YEAR, 'UTC');
  await expect(reportRunner(database.pool, cache)({ ...task, now: NOW })).rejects.toThrow(
    'saved segment 7 were not looked up',
  );
});
