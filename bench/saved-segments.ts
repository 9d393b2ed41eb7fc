import pg from 'pg';
import { parseReport } from '../src/domain/reports/parse-report.ts';
import { storedConditions } from '../src/domain/saved-segments/stored-conditions.ts';
import { createChunkCache } from '../src/queries/reports/chunk-cache.ts';
import { reportRunner } from '../src/queries/reports/run-report.ts';
import { botOf } from './ask.ts';
import { median } from './quantile.ts';
import { fillEvents, packed } from './report-events.ts';
import { bodyOf, lastDays } from './report-questions.ts';
import { startBenchService } from './service.ts';

/**
 * Reports of a tenth of the users: by a field of users, by a saved segment with the same condition, and by a saved segment that
 * also asks for an event. Processor time in this process, warm, in turns. The first two must give the same numbers. EVENTS,
 * USERS and TURNS set how many.
 */
const EVENTS = Number(process.env['EVENTS'] ?? 300_000);
const USERS = Number(process.env['USERS'] ?? 20_000);
const TURNS = Number(process.env['TURNS'] ?? 9);
const RUNS = 20;
const CACHE_BYTES = 2 ** 28;

const PREMIUM = '"user_conditions":["=","users.is_premium",true]';
const ACTIVE = '"event_filters":["performed_event",{"period_days":365}]';
const FILTERS = [
  ['=', 'user.is_premium', true],
  ['=', 'user.saved_segments.1', true],
  ['=', 'user.saved_segments.2', true],
] as const;
const savedSegments = new Map([
  [1, storedConditions(`{${PREMIUM}}`, 'UTC')],
  [2, storedConditions(`{${PREMIUM},${ACTIVE}}`, 'UTC')],
]);

const any = { type: 'trend', event_id: null, event_name: 'any' };
const entity = { type: 'event', event_id: null, event_name: 'any' };
const REPORTS: Readonly<Record<string, object>> = {
  'daily uniques': { type: 'trends', type_chart: 'line', requests: [{ ...any, agr: 'total_uniq_user_id' }] },
  'funnel of two steps': {
    type: 'funnels',
    type_chart: 'funnels',
    requests: [1, 2].map(() => ({ ...any, agr: 'total' })),
  },
  'weekly retention': {
    type: 'retention',
    type_chart: 'retention',
    granularity: 'week',
    target_entity: entity,
    returning_entity: entity,
  },
};

const period = lastDays();
const service = await startBenchService({ MAX_WAIT_MS: '60000' });
const client = new pg.Client({ connectionString: service.databaseUrl });
const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 });
await client.connect();
try {
  await fillEvents(service, { events: EVENTS, users: USERS, period, shape: 'wide' });
  await packed(service, client);
  const bot = await botOf(service);
  const { rows } = await client.query('SELECT bot_id FROM events_v1.bots WHERE public_key = $1', [bot]);
  const run = reportRunner(pool, createChunkCache(CACHE_BYTES));
  const tables = { events: 'events_v1', users: 'users_v1', referral: 'referral_v1' };
  const how = { tables, botId: rows[0].bot_id as number, now: Date.now(), lagMs: 0, timeoutMs: 60_000, limit: 10_000 };
  console.log(`\n${'processor time of a report, ms'.padEnd(32)} field  saved  ratio  saved, of an event  ratio`);
  for (const [name, source] of Object.entries(REPORTS)) {
    const each = FILTERS.map((filters) => {
      const { report_config } = bodyOf({ ...source, filters }, period) as { report_config: unknown };
      const parsed = parseReport(report_config, 'UTC');
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
      const named = new Map([...savedSegments].filter(([id]) => parsed.savedSegments.some((one) => one.id === id)));
      return { task: { ...how, parsed, savedSegments: named }, times: [] as number[], answer: '' };
    });
    for (let turn = -2; turn < TURNS; turn++)
      for (const one of each) {
        const before = process.cpuUsage();
        for (let i = 0; i < RUNS; i++) one.answer = JSON.stringify((await run(one.task)).rows);
        const { user, system } = process.cpuUsage(before);
        if (turn >= 0) one.times.push((user + system) / 1000 / RUNS);
      }
    if (each[0]!.answer !== each[1]!.answer) throw new Error(`${name}: the answers differ`);
    const [field, saved, active] = each.map(({ times }) => median(times));
    const numbers = [field!, saved!, saved! / field!, active!, active! / field!].map((value) =>
      value.toFixed(2).padStart(7),
    );
    console.log(`${name.padEnd(30)} ${numbers.join('')}`);
  }
} finally {
  await Promise.all([client.end(), pool.end()]);
  await service.stop();
}
