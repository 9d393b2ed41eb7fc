import fc from 'fast-check';
import { parse, stringify } from 'lossless-json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseCell } from '../../../src/domain/reports/cell.ts';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import type { ReportAnswer, Row } from '../../../src/queries/reports/answer.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { cellUsersFinder, reportRunner } from '../../../src/queries/reports/run-report.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { bucketKey, bucketStarts } from './oracle.ts';
import { isIn, isSelected } from './oracle-parts.ts';
import { dates, filters, now, separators, TIMEZONES, world } from './questions.ts';
import { BOT_IDS, storeWorld, TABLES } from './world.ts';

/**
 * The users of a cell are as many as the report says. Its numbers are compared with brute force by the other tests of this
 * folder.
 */

let database: TestDatabase;
const cache = createChunkCache(20_000);
beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());

const MOST_CELLS = 6;

interface Asked {
  readonly timezone: string;
  readonly bot: number;
  readonly source: object;
  readonly period: { readonly from: string; readonly to: string };
  readonly present: number;
}

const common = {
  timezone: fc.constantFrom(...TIMEZONES),
  bot: fc.constantFrom(...Object.values(BOT_IDS)),
  period: dates,
  present: now,
};
/** More than the usual: fields with more combinations than are shown. */
const MANY = ['events.value_str', 'events.category', 'events.webapp_name'];
const named = fc
  .oneof({ weight: 2, arbitrary: separators }, { weight: 1, arbitrary: fc.constant(MANY) })
  .map((names) => names.map((property) => ({ property })));
const eventIds = fc.constantFrom(null, 1, 101, 102);
const metrics = (agrs: readonly string[]) =>
  fc.array(
    fc.record({
      event_id: eventIds,
      filters,
      agr: fc.constantFrom(...agrs),
      type: fc.constant('trend'),
      event_name: fc.constant('x'),
    }),
    { minLength: 1, maxLength: 3 },
  );

/** A report, and the users of its cells. */
async function question({ timezone, bot, source, period, present }: Asked) {
  const params = { ':date_from': period.from, ':date_to': period.to };
  const parsed = parseReport({ source_request: source, settings: { params } }, timezone);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const task = { tables: TABLES, botId: bot, parsed, now: present, lagMs: 0, timeoutMs: 10_000 };
  const answer = await reportRunner(database.pool, cache)({ ...task, limit: Number.POSITIVE_INFINITY });
  const users = async (given: object): Promise<number[]> => {
    const problems: { path: string }[] = [];
    // As a client sends it: JSON of the answer's own values.
    const cell = parseCell(parse(stringify(given)!), parsed.report, problems as never[]);
    if (cell === undefined) throw new Error(JSON.stringify({ given, problems }));
    const { ids } = await cellUsersFinder(database.pool, cache)({ ...task, cell });
    const found = [...ids];
    expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
    return found;
  };
  return { answer, users };
}

/** The part of a cell that names a line, from the row or column that shows it. */
function lineOf(values: Row, names: readonly string[]): object {
  if (names.length === 0) return {};
  const breakdown = Object.fromEntries(names.map((name) => [name, values[name]!]));
  return { breakdown, other: values['other']! };
}

const some = <T>(all: readonly T[]): readonly T[] =>
  all.filter((_, index) => index % Math.ceil(all.length / MOST_CELLS) === 0);

function trendsCells(answer: ReportAnswer, names: readonly string[]): { cell: object; number: unknown }[] {
  if (answer.columns[0]!.type !== 'date')
    return answer.rows.flatMap((row) =>
      'metric' in row
        ? [{ cell: { series: row['metric'], ...lineOf(row, names) }, number: row['value'] }]
        : Object.keys(row)
            .filter((key) => /^m\d+$/.test(key))
            .map((key) => ({ cell: { series: Number(key.slice(1)), ...lineOf(row, names) }, number: row[key] })),
    );
  return answer.columns.slice(1).flatMap(({ key, metric, total, breakdown, other }) => {
    const line = lineOf({ ...breakdown, other: other ?? false }, names);
    return [
      { cell: { series: metric!, ...line }, number: total },
      ...some(answer.rows).map((row) => ({
        cell: { series: metric!, bucket: row['date'], ...line },
        number: row[key],
      })),
    ];
  });
}

it('the users of a cell of trends are as many as its unique users, for charts, tables and campaigns', async () => {
  const seen = { users: 0, other: 0, utm: 0, buckets: 0 };
  const asked = fc.constantFrom('line', 'table', 'utm_trends', 'utm_table').chain((type_chart) =>
    fc.record({
      ...common,
      source: fc.record({
        type: fc.constant('trends'),
        type_chart: fc.constant(type_chart),
        granularity: fc.constantFrom('day', 'week', 'month'),
        filters,
        separators: named,
        breakdown_limit: fc.constantFrom(null, 5),
        row_limit: fc.constantFrom(null, 3),
        requests: metrics([type_chart === 'table' ? 'total_uniq' : 'total_uniq_user_id']),
      }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(asked, async (config) => {
      const { answer, users } = await question(config);
      const { type_chart, separators } = config.source;
      const isUtm = type_chart.startsWith('utm_');
      const names = isUtm
        ? ['source', 'medium', 'campaign', 'term', 'content'].map((key) => `utm_${key}`)
        : separators.map(({ property }) => property);
      const cells = trendsCells(answer, names);
      const others = cells.filter(({ cell }) => (cell as { other?: boolean }).other === true);
      for (const { cell, number } of [...some(cells), ...others.slice(0, 2)]) {
        expect((await users(cell)).length, JSON.stringify(cell)).toBe(number);
        if (number !== 0) seen.users += 1;
        if ((cell as { other?: boolean }).other === true) seen.other += 1;
        if (isUtm) seen.utm += 1;
        if ('bucket' in cell) seen.buckets += 1;
      }
    }),
    { numRuns: propertyRuns(30) },
  );
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
});

it('the users of a cell are those with an event in it, whatever is measured', async () => {
  const seen = { users: 0 };
  const asked = fc.record({
    ...common,
    source: fc.record({
      type: fc.constant('trends'),
      type_chart: fc.constant('bar'),
      granularity: fc.constantFrom('day', 'month'),
      filters,
      requests: metrics([
        'total',
        'avg_user_id',
        'total_uniq_session_id',
        'total_uniq_app_session_id',
        'property_sum',
      ]).map((all) => all.map((one) => ({ ...one, agr_field: 'events.value_amount' }))),
    }),
  });
  await fc.assert(
    fc.asyncProperty(asked, async (config) => {
      const { timezone, period, source } = config;
      const { users } = await question(config);
      const starts = [...bucketStarts(timezone, source.granularity, period)];
      for (const [series, { agr, ...selected }] of source.requests.entries())
        for (const [key, bucket] of some(starts)) {
          const inside = world.events.filter(
            (event) =>
              isIn(period, event.date, timezone) &&
              bucketKey(event.date, timezone, source.granularity) === key &&
              isSelected(selected, source.filters, event, { world, timezone }) &&
              (agr !== 'property_sum' || event.value_amount !== null) &&
              (agr !== 'total_uniq_app_session_id' || event.app_session !== null),
          );
          const wanted = [...new Set(inside.map(({ user_id }) => user_id))].sort((a, b) => a - b);
          expect(await users({ series, bucket }), `${agr} ${bucket}`).toEqual(wanted);
          seen.users += wanted.length;
        }
    }),
    { numRuns: propertyRuns(8) },
  );
  expect(seen.users).toBeGreaterThan(0);
});

it('the users of a step of a funnel are as many as reached it, dropped off or are in progress', async () => {
  const seen = { reached: 0, dropped: 0, in_progress: 0 };
  const asked = fc.record({
    ...common,
    source: fc.record({
      type: fc.constant('funnels'),
      type_chart: fc.constant('funnels'),
      requests: metrics(['total']).map((all) => [...all, { ...all[0]!, event_id: null, filters: null }]),
      funnel_order_type: fc.constantFrom('ordered', 'strict', 'unordered'),
      funnel_window: fc.constantFrom(1, 30),
      funnel_window_unit: fc.constantFrom('hour', 'day'),
      separators: named,
    }),
  });
  await fc.assert(
    fc.asyncProperty(asked, async (config) => {
      const { answer, users } = await question(config);
      const names = config.source.separators.map(({ property }) => property);
      const others = answer.rows.filter(({ other }) => other === true);
      for (const row of [...some(answer.rows), ...others.slice(0, 1)]) {
        const step = row['step'] as number;
        const of = (kind: string, at = step) => users({ step: at, kind, ...lineOf(row, names) });
        const reached = await of('reached');
        const [dropped, inProgress] = [await of('dropped'), await of('in_progress')];
        expect([reached.length, dropped.length, inProgress.length]).toEqual([
          row['users'],
          row['dropped'],
          row['in_progress'],
        ]);
        // Each user of the step before took this one, has dropped off, or is in progress.
        if (step > 1)
          expect([...reached, ...dropped, ...inProgress].sort((a, b) => a - b)).toEqual(await of('reached', step - 1));
        seen.reached += reached.length;
        seen.dropped += dropped.length;
        seen.in_progress += inProgress.length;
      }
    }),
    { numRuns: propertyRuns(15) },
  );
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
});

it('the users of a cell of retention are as many as its cohort has, or as returned', async () => {
  const seen = { members: 0, returned: 0, notBegun: 0 };
  const entity = fc.record({
    event_id: eventIds,
    filters: fc.constant(null),
    type: fc.constant('event'),
    event_name: fc.constant('x'),
  });
  const asked = fc.record({
    ...common,
    source: fc.record({
      type: fc.constant('retention'),
      type_chart: fc.constant('retention'),
      target_entity: entity,
      returning_entity: entity,
      granularity: fc.constantFrom('day', 'week'),
      retention_type: fc.constantFrom('retention_first_time', 'retention_first_time_ever', 'retention_recurring'),
      retention_total_intervals: fc.constantFrom(2, 5),
      separators: named,
    }),
  });
  await fc.assert(
    fc.asyncProperty(asked, async (config) => {
      const { answer, users } = await question(config);
      const names = config.source.separators.map(({ property }) => property);
      const filled = answer.rows.filter(({ size }) => size !== 0);
      const others = answer.rows.filter(({ other }) => other === true);
      for (const row of [...some(filled.length === 0 ? answer.rows : filled), ...others.slice(0, 1)]) {
        const cell = { cohort: row['cohort'], ...lineOf(row, names) };
        const members = await users(cell);
        expect(members.length).toBe(row['size']);
        const interval = members.length % config.source.retention_total_intervals;
        const number = row[`users_${interval}`];
        if (number === null) {
          seen.notBegun += 1;
          await expect(users({ ...cell, interval })).rejects.toThrow('the interval has not begun');
          continue;
        }
        const returned = await users({ ...cell, interval });
        expect(returned.length).toBe(number);
        expect(returned.filter((id) => !members.includes(id))).toEqual([]);
        seen.members += members.length;
        seen.returned += returned.length;
      }
    }),
    { numRuns: propertyRuns(15) },
  );
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
});

it('the users of a list are those of its rows', async () => {
  const asked = fc.record({
    ...common,
    source: fc.record({
      type: fc.constant('list'),
      type_chart: fc.constant('list'),
      table: fc.constantFrom('events', 'users'),
      columns: fc.constant(['user.user_id']),
      filters: fc.constant(null),
      limit: fc.constantFrom(1, 20, 1000),
      offset: fc.constantFrom(0, 3),
    }),
  });
  await fc.assert(
    fc.asyncProperty(asked, async (config) => {
      const columns = config.source.table === 'events' ? ['events.user_id'] : ['user.user_id'];
      const { answer, users } = await question({ ...config, source: { ...config.source, columns } });
      const wanted = new Set(answer.rows.map((row) => Number(row[columns[0]!])));
      expect(await users({})).toEqual([...wanted].sort((a, b) => a - b));
    }),
    { numRuns: propertyRuns(10) },
  );
});
