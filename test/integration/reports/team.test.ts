import { MessageChannel, type MessagePort } from 'node:worker_threads';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ColumnName } from '../../../src/columns/chunk.ts';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { openEvents } from '../../../src/queries/reports/chunks.ts';
import { reportRunner } from '../../../src/queries/reports/run-report.ts';
import { inSnapshot } from '../../../src/queries/reports/snapshot.ts';
import { findEvents } from '../../../src/queries/reports/stored-events.ts';
import { joinTeam, leadTeam, mailbox, type Team, TeamBrokenError } from '../../../src/queries/reports/team.ts';
import { helpReport, type Recruiting } from '../../../src/queries/reports/team-report.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { asJson } from './oracle-parts.ts';
import { dates, filters, now, separators, TIMEZONES, world } from './questions.ts';
import { BOT_IDS, storeWorld, TABLES } from './world.ts';

/** A team of threads gives the answer that one thread gives. The oracles compare the answers of one thread with brute force. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());

const cache = createChunkCache(2 ** 20);
/** Small enough that helpers also read columns from the database, in the leader's snapshot. */
const helpersCache = createChunkCache(20_000);

/** Helpers in this thread. */
function helpers(count: number, help = (port: MessagePort) => helpReport(database.pool, helpersCache, port)) {
  const seen = { teams: 0, ended: [] as Promise<unknown>[] };
  const recruiting: Recruiting = {
    leastEvents: 1,
    async recruit() {
      seen.teams++;
      return Array.from({ length: count }, () => {
        const { port1, port2 } = new MessageChannel();
        seen.ended.push(help(port2).catch((error: unknown) => error));
        return port1;
      });
    },
  };
  return { recruiting, seen };
}

const event_id = fc.constantFrom(null, 1, 101, 102);
const request = fc.record({
  type: fc.constant('trend'),
  event_name: fc.constant('x'),
  event_id,
  filters,
  agr_field: fc.constantFrom('events.value_int', 'events.value_amount', 'events.properties.items'),
  agr: fc.constantFrom(
    ...['total', 'total_uniq_user_id', 'total_uniq_session_id', 'avg_user_id', 'median_user_id', 'property_sum'],
    ...['property_avg', 'property_min', 'property_max', 'property_median', 'property_median'],
  ),
});
const some = (least: number) => fc.array(request, { minLength: least, maxLength: 3 });
const entity = fc.record({ type: fc.constant('event'), event_name: fc.constant('x'), event_id, filters });
const source = fc
  .tuple(
    fc.oneof(
      fc.record({
        type: fc.constant('trends'),
        type_chart: fc.constantFrom('line', 'line', 'utm_trends', 'utm_table'),
        requests: some(1),
        granularity: fc.constantFrom('day', 'week', 'month'),
      }),
      fc.record({
        type: fc.constant('funnels'),
        type_chart: fc.constant('funnels'),
        requests: some(2),
        funnel_order_type: fc.constantFrom('ordered', 'strict', 'unordered'),
      }),
      fc.record({
        type: fc.constant('retention'),
        type_chart: fc.constant('retention'),
        target_entity: entity,
        returning_entity: entity,
        retention_type: fc.constantFrom('retention_first_time', 'retention_first_time_ever', 'retention_recurring'),
      }),
    ),
    separators,
    filters,
  )
  .map(([source, names, filters]) => ({ ...source, filters, separators: names.map((property) => ({ property })) }));

function taskOf(botId: number, source_request: object, { from, to }: { from: string; to: string }, timezone: string) {
  const settings = { params: { ':date_from': from, ':date_to': to } };
  const parsed = parseReport({ source_request, settings }, timezone);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return { tables: TABLES, botId, parsed, lagMs: 0, timeoutMs: 10_000, limit: 100_000 };
}

it('a team of two or three threads answers as one thread does', async () => {
  const pairs = [helpers(1), helpers(2)];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(BOT_IDS)),
      fc.constantFrom(...TIMEZONES),
      source,
      dates,
      now,
      async (botId, timezone, source, period, now) => {
        const task = { ...taskOf(botId, source, period, timezone), now };
        const alone = await reportRunner(database.pool, cache)(task);
        for (const { recruiting } of pairs) {
          const together = await reportRunner(database.pool, cache, recruiting)(task);
          expect(asJson(together)).toEqual(asJson(alone));
        }
      },
    ),
    { numRuns: propertyRuns(25) },
  );
  for (const { seen } of pairs) {
    expect(seen.teams).toBeGreaterThan(3);
    expect(new Set(await Promise.all(seen.ended))).toEqual(new Set([undefined]));
  }
});

const DAILY = {
  type: 'trends',
  type_chart: 'line',
  requests: [{ type: 'trend', event_id: null, event_name: 'x', agr: 'total_uniq_user_id' }],
};
const YEAR = { from: '2025-01-01 00:00:00', to: '2025-12-31 23:59:59' };

it('the leader answers alone if a helper fails', async () => {
  const task = { ...taskOf(BOT_IDS.mixed, DAILY, YEAR, 'UTC'), now: Date.UTC(2026, 0, 1) };
  const alone = await reportRunner(database.pool, cache)(task);
  const { recruiting, seen } = helpers(1, async (port) => {
    port.once('message', () => port.close());
  });
  expect(asJson(await reportRunner(database.pool, cache, recruiting)(task))).toEqual(asJson(alone));
  expect(seen.teams).toBe(1);
});

it('a helper ends if the leader ends', async () => {
  const { port1, port2 } = new MessageChannel();
  const helped = helpReport(database.pool, helpersCache, port2);
  port1.close();
  await expect(helped).rejects.toThrow(TeamBrokenError);
});

it('a thread repeats a scan without the others, and then reads on with them', async () => {
  const { port1, port2 } = new MessageChannel();
  const span = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
  /** Events with each set of columns, the first set scanned several times. */
  const scanned = (team: Team, times: number): Promise<number[]> =>
    inSnapshot(database.pool, 10_000, async (snapshot) => {
      const options = { botId: BOT_IDS.mixed, tables: TABLES, span, snapshot, cache };
      const events = openEvents(options, await findEvents(options), team);
      const counts: number[] = [];
      for (const columns of [...Array<ColumnName[]>(times).fill(['user_idx']), ['event_id'] as const]) {
        let count = 0;
        await events.each(columns, (_, begin, end) => {
          count += end - begin;
        });
        counts.push(count);
      }
      return counts;
    });
  const [leader, helper] = await Promise.all([
    scanned(leadTeam([mailbox(port1)]), 1),
    scanned(joinTeam(mailbox(port2), { size: 2, part: 1 }), 3),
  ]);
  port1.close();
  expect(leader[0]).toBeGreaterThan(0);
  expect(new Set([...leader, ...helper])).toEqual(new Set([leader[0]]));
});
