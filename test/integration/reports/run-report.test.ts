import { sql } from 'kysely';
import { stringify } from 'lossless-json';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StatementTimeoutError } from '../../../src/database/database-errors.ts';
import { snapshot } from '../../../src/database/snapshot.ts';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { type ReportRequest, reportRunner } from '../../../src/queries/reports/run-report.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { BOT_ID, storeWorld, TABLES, type WorldEvent } from './world.ts';

const NOTHING: Omit<WorldEvent, 'user_id' | 'date'> = {
  event_type_id: 101,
  date_received: Date.UTC(2025, 0, 2),
  value_int: null,
  value_amount: null,
  unit: null,
  value_str: null,
  category: null,
  webapp_name: null,
  utm_source: null,
  properties: null,
  session: 0,
  app_session: null,
};
const at = (text: string) => Date.parse(`2025-01-${text}Z`);
/** By date. */
const EVENTS: readonly WorldEvent[] = [
  { ...NOTHING, user_id: 1, date: at('01T00:00:00.000'), value_amount: '0.1', value_int: '999999999999999' },
  { ...NOTHING, user_id: 1, date: at('01T10:00:00.000'), value_amount: '0.2', value_int: '999999999999998' },
  { ...NOTHING, user_id: 1, date: at('01T10:00:00.001'), event_type_id: 103 },
  {
    ...NOTHING,
    user_id: 2,
    date: at('03T23:59:59.999'),
    value_amount: '1.500000',
    value_int: '999999999999999.5',
    event_type_id: 102,
  },
  { ...NOTHING, user_id: 2, date: at('04T00:00:00.000') },
];

let database: TestDatabase;
const cache = createChunkCache(1000);

beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, { users: new Map(), events: EVENTS });
});
afterAll(() => database.drop());

/** Runs a report of the first three days of 2025. */
function run(source: object, limit = 10, timezone = 'UTC', changes: Partial<ReportRequest> = {}) {
  const params = { ':date_from': '2025-01-01 00:00:00', ':date_to': '2025-01-03 23:59:59' };
  const parsed = parseReport({ source_request: { type: 'trends', ...source }, settings: { params } }, timezone);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const how = { now: Date.UTC(2025, 5, 1, 12, 0, 5), lagMs: 5000, timeoutMs: 10_000, limit };
  return reportRunner(database.pool, cache)({ tables: TABLES, botId: BOT_ID, parsed, ...how, ...changes });
}
const metric = (agr: string, more: object = {}) => ({ type: 'trend', event_id: null, event_name: 'any', agr, ...more });
const chart = (...requests: object[]) => ({ type_chart: 'line', requests });
const table = (...requests: object[]) => ({ type_chart: 'table', requests });

describe('answers', () => {
  it('of a chart have a row for each bucket, and a column for each line with its total', async () => {
    const answer = await run(chart(metric('total', { label: 'All' }), metric('total_uniq_user_id', { event_id: 101 })));
    expect(answer.columns).toEqual([
      { key: 'date', label: 'Date', type: 'date' },
      { key: 's0', label: 'All', type: 'number', metric: 0, total: 4 },
      { key: 's1', label: 'any', type: 'number', metric: 1, total: 1 },
    ]);
    expect(answer.rows).toEqual([
      { date: '2025-01-01T00:00:00+00:00', s0: 3, s1: 1 },
      { date: '2025-01-02T00:00:00+00:00', s0: 0, s1: 0 },
      { date: '2025-01-03T00:00:00+00:00', s0: 1, s1: 0 },
    ]);
  });

  it('of a table have a row for each metric', async () => {
    const answer = await run(table(metric('total', { label: 'All' }), metric('avg'), metric('min', { event_id: 999 })));
    expect(answer.columns.map(({ key, type }) => [key, type])).toEqual([
      ['metric', 'number'],
      ['label', 'string'],
      ['value', 'number'],
    ]);
    expect(stringify(answer.rows)).toBe(
      '[{"metric":0,"label":"All","value":4},{"metric":1,"label":"any","value":2},{"metric":2,"label":"any","value":null}]',
    );
  });

  it('have their period, their lag, and whether they are truncated', async () => {
    const { rows, meta } = await run({ ...chart(metric('total')), granularty: 'hour' }, 2, 'Asia/Kathmandu');
    expect(rows).toHaveLength(2);
    expect(meta).toEqual({
      timezone: 'Asia/Kathmandu',
      date_from: '2025-01-01T00:00:00+05:45',
      date_to: '2025-01-03T23:59:59+05:45',
      rows_total: 3,
      truncated: true,
      data_as_of: '2025-06-01T17:45:00+05:45',
      lag_ms: 5000,
      warnings: [{ path: 'source_request.granularty', message: 'unknown key, ignored' }],
    });
    expect((await run(chart(metric('total')), 3)).meta).toMatchObject({ rows_total: 3, truncated: false });
  });

  it('begin with the start of the first bucket, but count only events of the period', async () => {
    const { rows } = await run({ ...chart(metric('total')), granularity: 'week' });
    expect(rows).toEqual([{ date: '2024-12-30T00:00:00+00:00', s0: 4 }]);
  });
});

describe('numbers', () => {
  const amounts = (agr: string) => metric(agr, { agr_field: 'events.value_amount' });
  const raw = (agr: string) => metric(agr, { agr_field: 'events.value_int' });

  it('have exactly their decimal digits', async () => {
    const { columns } = await run(
      chart(
        metric('property_sum', { agr_field: 'events.value_amount', event_id: 101 }),
        ...['property_sum', 'property_avg', 'property_min', 'property_median'].map(amounts),
        ...['property_sum', 'property_avg', 'property_median'].map(raw),
      ),
    );
    expect(columns.slice(1).map(({ total }) => stringify(total))).toEqual([
      ...['0.3', '1.8', '0.6', '0.1', '0.2'],
      ...['2999999999999996.5', '999999999999998.833333333333', '999999999999999'],
    ]);
  });

  it('of no events are 0 for counts and sums, else null', async () => {
    const nothing = { filters: ['=', 'events.category', 'x'], agr_field: 'events.value_int' };
    const { columns, rows } = await run(
      chart(
        ...['total', 'total_uniq_user_id', 'property_sum', 'property_avg', 'median_user_id'].map((agr) =>
          metric(agr, nothing),
        ),
      ),
    );
    expect(columns.slice(1).map(({ total }) => total)).toEqual([0, 0, 0, null, null]);
    expect(rows[0]).toMatchObject({ s0: 0, s1: 0, s2: 0, s3: null, s4: null });
  });

  it('of events without a value add up to 0', async () => {
    const { columns } = await run(
      chart({ ...amounts('property_sum'), event_id: 103 }, metric('total', { event_id: 103 })),
    );
    expect(columns.slice(1).map(({ total }) => total)).toEqual([0, 1]);
  });
});

describe('a report that takes too long', () => {
  it('is stopped, and leaves no query behind', async () => {
    const blocker = await database.pool.connect();
    try {
      await blocker.query(`BEGIN; LOCK TABLE ${TABLES.events}.events IN ACCESS EXCLUSIVE MODE`);
      await expect(run(table(metric('total')), 10, 'UTC', { timeoutMs: 50 })).rejects.toThrow(StatementTimeoutError);
      const { rows } = await blocker.query(`SELECT FROM pg_locks WHERE NOT granted`);
      expect(rows).toEqual([]);
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
    await expect(run(table(metric('total')))).resolves.toMatchObject({ rows: [{ value: 4 }] });
  });

  it('has one time limit for all its queries', async () => {
    const nap = sql<{ n: null }>`SELECT pg_sleep(0.15)`;
    const naps = snapshot(database.pool, { timeoutMs: 250 }, async ({ query }) => [await query(nap), await query(nap)]);
    await expect(naps).rejects.toThrow(StatementTimeoutError);
  });
});

it('runs all queries of a report on one snapshot', async () => {
  const count = sql<{ n: string }>`SELECT count(*) AS n FROM events_test.utms`;
  const counts = await snapshot(database.pool, { timeoutMs: 10_000 }, async ({ query }) => {
    const before = await query(count);
    await database.pool.query('INSERT INTO events_test.utms (bot_id, utm_id) VALUES (1, 1)');
    return [before, await query(count)];
  });
  expect(counts[1]).toEqual(counts[0]);
});

it('begins the transaction once, even if the first queries run at the same time', async () => {
  const notices: unknown[] = [];
  const keep = (notice: unknown) => void notices.push(notice);
  const listen = (client: pg.PoolClient) => void client.on('notice', keep);
  const stop = (_: unknown, client: pg.PoolClient) => void client.off('notice', keep);
  database.pool.on('acquire', listen).on('release', stop);
  try {
    const number = (n: number) => sql<{ n: number }>`SELECT ${sql.raw(String(n))} AS n`;
    const asked = await snapshot(database.pool, { timeoutMs: 10_000 }, ({ query }) =>
      Promise.all([query(number(1)), query(number(2)), query(sql<{ n: number }>`SELECT ${'3'}::int AS n`)]),
    );
    expect(asked).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
  } finally {
    database.pool.off('acquire', listen).off('release', stop);
  }
  expect(notices, 'such as: there is already a transaction in progress').toEqual([]);
});

describe('rows that are copied', () => {
  const numbers = (count: number, more = '') =>
    `SELECT i, CASE WHEN i % 3 > 0 THEN repeat('x', i % 100000) END ${more} FROM generate_series(1, ${count}) AS i`;

  it('arrive whole and in order, whatever their length', async () => {
    await snapshot(database.pool, { timeoutMs: 10_000 }, async ({ copy }) => {
      for (const count of [2001, 0, 1]) {
        let next = 1;
        await copy(numbers(count), 2, (bytes, starts, lengths) => {
          expect(bytes.readInt32BE(starts[0]!)).toBe(next);
          const text = bytes.toString('latin1', starts[1]!, starts[1]! + lengths[1]!);
          if (next % 3 > 0) expect(text).toBe('x'.repeat(next));
          else expect(lengths[1]).toBe(-1);
          next++;
        });
        expect(next).toBe(count + 1);
      }
    });
  });

  it('end with the time limit of the report, even if each row arrives in time', async () => {
    const slow = numbers(100_000, ', CASE WHEN i % 5000 = 0 THEN pg_sleep(0.15)::text END');
    let rows = 0;
    const copied = snapshot(database.pool, { timeoutMs: 700 }, ({ copy }) => copy(slow, 3, () => (rows += 1)));
    await expect(copied).rejects.toThrow(StatementTimeoutError);
    expect(rows).toBeGreaterThan(0);
  });
});
