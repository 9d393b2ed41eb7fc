import pg from 'pg';
import { parseReport } from '../src/domain/reports/parse-report.ts';
import { packSlice } from '../src/projections/events/packed/pack.ts';
import { createChunkCache } from '../src/queries/reports/chunk-cache.ts';
import { reportRunner } from '../src/queries/reports/run-report.ts';
import { ask, botOf } from './ask.ts';
import { median } from './quantile.ts';
import { random } from './random.ts';
import { packed } from './report-events.ts';
import { bodyOf, lastDays } from './report-questions.ts';
import { startBenchService } from './service.ts';

/**
 * Reports by custom properties, and the same reports by fields of events with the same values: processor time in this
 * process, warm, in turns. Each pair must give the same number. EVENTS and TURNS set how many.
 */
const EVENTS = Number(process.env['EVENTS'] ?? 300_000);
const TURNS = Number(process.env['TURNS'] ?? 9);
const RUNS = 20;
const BATCH = 1000;
const USERS = 1000;
const FIRST_USER = 4242;
const CACHE_BYTES = 2 ** 28;

const metric = (agr: string, more: object = {}) => ({ type: 'trend', event_id: null, event_name: 'any', agr, ...more });
const chart = (request: object, more: object = {}) => ({
  type: 'trends',
  type_chart: 'line',
  requests: [request],
  ...more,
});
/** A report of a field of events, and of a property that has the same values. */
const PAIRS: readonly (readonly [name: string, field: string, property: string, report: (field: string) => object])[] =
  [
    [
      'daily uniques, filter by text',
      'category',
      'shelf',
      (f) => chart(metric('total_uniq_user_id', { filters: ['=', f, 'c7'] })),
    ],
    [
      'daily total, breakdown by text',
      'category',
      'shelf',
      (f) => chart(metric('total'), { separators: [{ property: f }] }),
    ],
    [
      'daily uniques, breakdown by text',
      'category',
      'shelf',
      (f) => chart(metric('total_uniq_user_id'), { separators: [{ property: f }] }),
    ],
    [
      'daily total, breakdown by many texts',
      'value_str',
      'note',
      (f) => chart(metric('total'), { separators: [{ property: f }] }),
    ],
    [
      'daily total, filter by number',
      'value_amount',
      'price',
      (f) => chart(metric('total', { filters: ['>', f, 50] })),
    ],
    ['daily sum of numbers', 'value_amount', 'price', (f) => chart(metric('property_sum', { agr_field: f }))],
    ['daily median of numbers', 'value_amount', 'price', (f) => chart(metric('property_median', { agr_field: f }))],
  ];

const period = lastDays();
const service = await startBenchService({ MAX_WAIT_MS: '60000' });
const client = new pg.Client({ connectionString: service.databaseUrl });
const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 });
await client.connect();
try {
  await fill();
  await packed(service, client);
  await describe();
  const bot = await botOf(service);
  const { rows } = await client.query('SELECT bot_id FROM events_v1.bots WHERE public_key = $1', [bot]);
  const run = reportRunner(pool, createChunkCache(CACHE_BYTES));
  const tables = { events: 'events_v1', users: 'users_v1', referral: 'referral_v1' };
  const how = { tables, botId: rows[0].bot_id as number, now: Date.now(), lagMs: 0, timeoutMs: 60_000, limit: 10_000 };
  console.log(`\n${'processor time of a report, ms'.padEnd(40)} field  property  ratio`);
  for (const [name, field, property, report] of PAIRS) {
    const both = [`events.${field}`, `events.properties.${property}`].map((of) => {
      const { report_config } = bodyOf(report(of), period) as { report_config: unknown };
      const parsed = parseReport(report_config, 'UTC');
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
      return { parsed, times: [] as number[], answer: '' };
    });
    for (let turn = -2; turn < TURNS; turn++)
      for (const each of both) {
        const before = process.cpuUsage();
        for (let i = 0; i < RUNS; i++) each.answer = JSON.stringify((await run({ ...how, parsed: each.parsed })).rows);
        const { user, system } = process.cpuUsage(before);
        if (turn >= 0) each.times.push((user + system) / 1000 / RUNS);
      }
    if (both[0]!.answer !== both[1]!.answer) throw new Error(`${name}: the answers differ`);
    const [own, other] = both.map(({ times }) => median(times));
    console.log(
      `${name.padEnd(38)} ${own!.toFixed(2).padStart(7)} ${other!.toFixed(2).padStart(9)} ${(other! / own!).toFixed(2).padStart(6)}`,
    );
  }
} finally {
  await Promise.all([client.end(), pool.end()]);
  await service.stop();
}

/** A third of the events has a shelf of 30, two fifths a note of 2,000, and all have a price of 10,000. */
async function fill(): Promise<void> {
  const next = random(7);
  const pick = (count: number) => Math.floor(count * next());
  for (let sent = 0; sent < EVENTS; sent += BATCH) {
    const events = Array.from({ length: BATCH }, (_, i) => {
      const price = (1 + pick(10_000)) / 100;
      const shelf = next() < 0.3 ? `c${pick(30)}` : undefined;
      const note = next() < 0.4 ? `note ${pick(2000)}` : undefined;
      const date = new Date(period.from + Math.floor(((sent + i) / EVENTS) * (period.to - period.from))).toISOString();
      const properties = { price, shelf, note, gift: pick(10) === 0 };
      return {
        event: `event_${pick(20)}`,
        user_id: FIRST_USER + pick(USERS),
        date,
        value_num: price,
        category: shelf,
        value_str: note,
        properties,
      };
    });
    await ask(service, '/v1/send-event', events);
  }
}

/** Prints the bytes of an event, and the time of packing all, in a transaction that is rolled back. */
async function describe(): Promise<void> {
  const { rows } = await client.query<Record<'packed' | 'chunks' | 'properties', number>>(
    `SELECT (SELECT sum(packed) FROM events_v1.timelines)::float8 AS packed,
            pg_total_relation_size('events_v1.chunks')::float8 AS chunks,
            pg_total_relation_size('events_v1.chunk_properties')::float8 AS properties`,
  );
  const { packed, chunks, properties } = rows[0]!;
  await client.query(`BEGIN; SET LOCAL search_path TO events_v1;
    DELETE FROM chunks; DELETE FROM chunk_properties; DELETE FROM changed_events;
    UPDATE timelines SET until_date = DEFAULT, until_ord = DEFAULT, loose = loose + packed, packed = 0, changed = 0`);
  const began = performance.now();
  while (await packSlice(client));
  const ms = performance.now() - began;
  await client.query('ROLLBACK');
  console.log(
    `${packed} packed events: ${(chunks / packed).toFixed(0)} bytes in chunks, ${(properties / packed).toFixed(0)} in columns of properties`,
  );
  console.log(`packing: ${((ms * 1000) / packed).toFixed(1)} µs an event`);
}
