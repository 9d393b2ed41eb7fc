import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { reportRunner } from '../../../src/queries/reports/run-report.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { allBuckets, bucketKey, bucketStarts, type Dates, type Filter, iso } from './oracle.ts';
import { asJson, brokenDown, grouped, isIn, isSelected, type Selected, timelines } from './oracle-parts.ts';
import { dates, filters, now, separators, TIMEZONES, world } from './questions.ts';
import { BOT_IDS, storeWorld, TABLES, type WorldEvent } from './world.ts';

/** Compares retention with brute force, which finds cohorts and returns by the local date of each event. */

let database: TestDatabase;
/** Has room for some of the chunks. */
const cache = createChunkCache(20_000);
beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());

interface Asked {
  readonly target_entity: Selected;
  readonly returning_entity: Selected;
  readonly filters: Filter | null;
  readonly granularity: 'day' | 'week';
  readonly retention_type: string;
  readonly retention_total_intervals: number;
  readonly separators: readonly string[];
}
const entity = fc.record({ event_id: fc.constantFrom(null, 1, 101, 102, 999), filters });
const asked: fc.Arbitrary<Asked> = fc.record({
  target_entity: entity,
  returning_entity: entity,
  filters: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: filters }),
  granularity: fc.constantFrom('day', 'week'),
  retention_type: fc.constantFrom('retention_first_time', 'retention_first_time_ever', 'retention_recurring'),
  retention_total_intervals: fc.constantFrom(1, 2, 8, 10),
  separators,
});

interface Member {
  readonly cohort: string;
  readonly start: WorldEvent;
  /** Local intervals in which the user returned. */
  readonly returned: ReadonlySet<string>;
}

function expected(timezone: string, config: Asked, period: Dates, present: number): object[] {
  const key = ({ date }: WorldEvent) => bucketKey(date, timezone, config.granularity);
  const members = timelines(world).flatMap((timeline): Member[] => {
    const selected = (entity: Selected) =>
      timeline.filter((event) => isSelected(entity, config.filters, event, { world, timezone }));
    const starts = selected(config.target_entity);
    const returned = new Set(selected(config.returning_entity).map(key));
    const inPeriod = starts.filter(({ date }) => isIn(period, date, timezone));
    const member = (start: WorldEvent): Member => ({ cohort: key(start), start, returned });
    switch (config.retention_type) {
      case 'retention_first_time':
        return inPeriod.slice(0, 1).map(member);
      case 'retention_first_time_ever':
        return inPeriod.filter((start) => start === starts[0]).map(member);
      default:
        return [...grouped(inPeriod, key).values()].map(([start]) => member(start!));
    }
  });
  const all = [...allBuckets(timezone, config.granularity)].map(([name, { first }]) => ({ name, first }));
  return brokenDown(members, ({ start }) => start, { names: config.separators, world, timezone }).flatMap(
    ({ cells, things }) =>
      [...bucketStarts(timezone, config.granularity, period)].map(([cohort, start]) => {
        const inside = things.filter((member) => member.cohort === cohort);
        const index = all.findIndex(({ name }) => name === cohort);
        expect(iso(all[index]!.first, timezone)).toBe(start);
        const row: Record<string, unknown> = { ...cells, cohort: start, size: inside.length };
        for (let cell = 0; cell < config.retention_total_intervals; cell += 1) {
          const interval = all[index + cell]!;
          const users = inside.filter(({ returned }) => returned.has(interval.name)).length;
          const begun = interval.first <= present;
          row[`users_${cell}`] = begun ? users : null;
          row[`share_${cell}`] = begun && inside.length > 0 ? users / inside.length : null;
        }
        return row;
      }),
  );
}

const botId = fc.constantFrom(...Object.values(BOT_IDS));

async function run(timezone: string, botId: number, config: Asked, { from, to }: Dates, present: number) {
  const event = (entity: Selected) => ({ ...entity, type: 'event', event_name: 'x' });
  const parsed = parseReport(
    {
      source_request: {
        ...config,
        type: 'retention',
        type_chart: 'retention',
        target_entity: event(config.target_entity),
        returning_entity: event(config.returning_entity),
        separators: config.separators.map((property) => ({ property })),
      },
      settings: { params: { ':date_from': from, ':date_to': to } },
    },
    timezone,
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const how = { now: present, lagMs: 0, timeoutMs: 10_000, limit: Number.POSITIVE_INFINITY };
  return reportRunner(database.pool, cache)({ tables: TABLES, botId, parsed, ...how });
}

it('every retention equals brute force', async () => {
  const seen = { other: 0, returned: 0, notBegun: 0, ever: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...TIMEZONES),
      botId,
      asked,
      dates,
      now,
      async (timezone, bot, config, period, present) => {
        const answer = await run(timezone, bot, config, period, present);
        expect(asJson(answer.rows)).toEqual(expected(timezone, config, period, present));
        const keys = answer.columns.map(({ key }) => key);
        for (const row of answer.rows) {
          expect(Object.keys(row)).toEqual(keys);
          if (row['other'] === true) seen.other += 1;
          if (row['users_1']) seen.returned += 1;
          if (row['users_0'] === null) seen.notBegun += 1;
          if (row['size'] && config.retention_type === 'retention_first_time_ever') seen.ever += 1;
        }
      },
    ),
    { numRuns: propertyRuns(80) },
  );
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(5);
});
