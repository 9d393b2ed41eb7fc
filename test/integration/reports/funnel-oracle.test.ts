import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { reportRunner } from '../../../src/queries/reports/run-report.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import type { Dates, Filter } from './oracle.ts';
import { asJson, brokenDown, isIn, isSelected, type Selected, timelines } from './oracle-parts.ts';
import { dates, filters, now, separators, TIMEZONES, world } from './questions.ts';
import { BOT_IDS, storeWorld, TABLES, type WorldEvent } from './world.ts';

/** Compares funnels with brute force, which tries every start, and every choice of events for the steps. */

let database: TestDatabase;
/** Has room for some of the chunks. */
const cache = createChunkCache(20_000);
beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());

const UNITS = { second: 1, minute: 60, hour: 3600, day: 86_400, week: 604_800, month: 2_592_000 };
interface Asked {
  readonly requests: readonly Selected[];
  readonly filters: Filter | null;
  readonly funnel_order_type: 'ordered' | 'strict' | 'unordered';
  readonly funnel_window: number | null;
  readonly funnel_window_unit: keyof typeof UNITS | null;
  readonly separators: readonly string[];
}
const asked: fc.Arbitrary<Asked> = fc.record({
  requests: fc.array(
    fc.record({ event_id: fc.constantFrom(null, 1, 1, 101, 101, 102, 102), filters: fc.option(filters, { freq: 1 }) }),
    { minLength: 2, maxLength: 4 },
  ),
  filters: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: filters }),
  funnel_order_type: fc.constantFrom('ordered', 'strict', 'unordered'),
  funnel_window: fc.constantFrom(null, 1, 2, 45, 900),
  funnel_window_unit: fc.constantFrom(null, ...(Object.keys(UNITS) as (keyof typeof UNITS)[])),
  separators,
});

interface Best {
  readonly level: number;
  readonly start: WorldEvent;
  readonly times: readonly number[];
}

/** Tries each start; of equally good ones it takes the latest. `can[i]`: the steps that event i can be. */
function bestOf(
  events: readonly WorldEvent[],
  can: readonly boolean[][],
  { funnel_order_type: order, ...config }: Asked,
) {
  const { funnel_window: count, funnel_window_unit: unit, requests } = config;
  const windowMs = (count ?? 14) * UNITS[unit ?? 'day'] * 1000;
  let best: Best | null = null;
  for (const [first, start] of events.entries()) {
    const inWindow = (index: number) => index < events.length && events[index]!.date - start.date <= windowMs;
    const times = [start.date];
    let level = 1;
    if (order === 'unordered') {
      const window = can.slice(first).filter((_, index) => inWindow(first + index));
      level = most(requests.length, window);
    } else {
      if (!can[first]![0]) continue;
      let at = first;
      for (let step = 1; step < requests.length; step += 1) {
        at += 1;
        while (order === 'ordered' && inWindow(at) && !can[at]![step]) at += 1;
        if (!inWindow(at) || !can[at]![step]) break;
        level += 1;
        times.push(events[at]!.date);
      }
    }
    if (level > 0 && (best === null || level >= best.level)) best = { level, start, times };
  }
  return best;
}

/** The most steps, from `steps` down, that different events fill. It tries every choice. */
function most(steps: number, window: readonly boolean[][], used: ReadonlySet<number> = new Set()): number {
  if (steps === 0) return 0;
  let result = most(steps - 1, window, used);
  for (const [index, can] of window.entries()) {
    if (result === steps) break;
    if (can[steps - 1] && !used.has(index))
      result = Math.max(result, 1 + most(steps - 1, window, new Set([...used, index])));
  }
  return result;
}

function expected(timezone: string, config: Asked, period: Dates, present: number): object[] {
  const attempts = timelines(world).flatMap((timeline) => {
    const can = (event: WorldEvent) =>
      config.requests.map((step) => isSelected(step, config.filters, event, { world, timezone }));
    const inPeriod = timeline.filter(({ date }) => isIn(period, date, timezone));
    const events =
      config.funnel_order_type === 'unordered' ? inPeriod.filter((event) => can(event).includes(true)) : inPeriod;
    return bestOf(events, events.map(can), config) ?? [];
  });
  const windowMs = (config.funnel_window ?? 14) * UNITS[config.funnel_window_unit ?? 'day'] * 1000;
  const isOver = ({ start }: Best) => present >= start.date + windowMs || localEnd(period, timezone, present);
  return brokenDown(attempts, ({ start }) => start, { names: config.separators, world, timezone }).flatMap(
    ({ cells, things }) =>
      config.requests.map((_, index) => {
        const reached = (steps: number) => things.filter(({ level }) => level >= steps).length;
        const missed = things.filter(({ level }) => level === index);
        const users = reached(index + 1);
        const before = reached(index);
        const waits = things
          .filter(({ times }) => index > 0 && times.length > index)
          .map(({ times }) => times[index]! - times[index - 1]!)
          .sort((a, b) => a - b);
        const middle = [waits[Math.ceil(waits.length / 2) - 1], waits[Math.floor(waits.length / 2)]];
        return {
          ...cells,
          step: index + 1,
          label: `step ${index}`,
          users,
          share_of_first: reached(1) === 0 ? null : users / reached(1),
          share_of_previous: index === 0 ? 1 : before === 0 ? null : users / before,
          median_seconds: waits.length === 0 ? null : (middle[0]! + middle[1]!) / 2 / 1000,
          dropped: missed.filter(isOver).length,
          in_progress: missed.filter((attempt) => !isOver(attempt)).length,
        };
      }),
  );
}

/** Whether the period has ended. */
function localEnd({ to }: Dates, timezone: string, present: number): boolean {
  return (
    new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' }).format(present) >
    to
  );
}

const botId = fc.constantFrom(...Object.values(BOT_IDS));

async function run(timezone: string, botId: number, config: Asked, { from, to }: Dates, present: number) {
  const requests = config.requests.map((step, index) => {
    return { ...step, type: 'trend', event_name: `step ${index}`, agr: index % 2 === 0 ? 'total' : 'avg_user_id' };
  });
  const source = { ...config, requests, separators: config.separators.map((property) => ({ property })) };
  const parsed = parseReport(
    {
      source_request: { type: 'funnels', type_chart: 'funnels', ...source },
      settings: { params: { ':date_from': from, ':date_to': to } },
    },
    timezone,
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const how = { now: present, lagMs: 0, timeoutMs: 10_000, limit: Number.POSITIVE_INFINITY };
  return reportRunner(database.pool, cache)({ tables: TABLES, botId, parsed, ...how });
}

it('every funnel equals brute force', async () => {
  const seen = { all: 0, other: 0, median: 0, in_progress: 0, dropped: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...TIMEZONES),
      botId,
      asked,
      dates,
      now,
      async (timezone, bot, config, period, present) => {
        const answer = await run(timezone, bot, config, period, present);
        const wanted = expected(timezone, config, period, present);
        expect(asJson(answer.rows)).toEqual(wanted);
        const keys = answer.columns.map(({ key }) => key);
        for (const row of answer.rows) {
          expect(Object.keys(row)).toEqual(keys);
          if (row['step'] === config.requests.length && row['users']) seen.all += 1;
          if (row['other'] === true) seen.other += 1;
          for (const key of ['median_seconds', 'dropped', 'in_progress'] as const)
            if (row[key]) seen[key === 'median_seconds' ? 'median' : key] += 1;
        }
      },
    ),
    { numRuns: propertyRuns(80) },
  );
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(5);
});
