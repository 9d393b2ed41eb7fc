import { availableParallelism } from 'node:os';
import { stringify } from 'lossless-json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ReportThreads, startReportThreads } from '../../../src/app/report-threads.ts';
import { readConfig } from '../../../src/config.ts';
import { DatabaseUnavailableError, StatementTimeoutError } from '../../../src/database/database-errors.ts';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import { ReportTooLargeError } from '../../../src/queries/reports/answer.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { ReportNotRunError } from '../../../src/queries/reports/report-queue.ts';
import { type ReportRequest, reportRunner } from '../../../src/queries/reports/run-report.ts';
import { pause } from '../../../src/util/pause.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { longOnly } from '../../support/long-only.ts';
import { recordSpans } from '../../support/recorded-spans.ts';
import { world } from './questions.ts';
import { BOT_IDS, storeWorld, TABLES } from './world.ts';

const [KEY, OTHER_KEY] = [1, 2];
/** A thread can take long to start on a busy machine. */
const PATIENT = readConfig({ MAX_WAIT_MS: '60000' });
let database: TestDatabase;
let threads: ReportThreads;

beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
  threads = startReportThreads(database.url, PATIENT);
});
afterAll(async () => {
  await threads.stop();
  await database.drop();
});

function task(type_chart: string, timeoutMs = 30_000, granularity = 'month', metrics = 1): ReportRequest {
  const metric = { type: 'trend', event_id: null, event_name: 'any' };
  const amounts = { ...metric, agr: 'property_sum', agr_field: 'events.value_amount' };
  const requests =
    type_chart === 'line'
      ? [...Array(metrics).fill(amounts), { ...metric, agr: 'median_user_id' }]
      : [{ ...metric, agr: 'total' }];
  const source = {
    type: 'trends',
    type_chart,
    granularity,
    separators: [{ property: 'events.category' }],
    requests,
  };
  const params = { ':date_from': '2025-01-01 00:00:00', ':date_to': '2025-12-31 23:59:59' };
  const parsed = parseReport({ source_request: source, settings: { params } }, 'UTC');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const how = { now: Date.UTC(2026, 0, 1), lagMs: 0, timeoutMs, limit: Number.MAX_SAFE_INTEGER };
  return { tables: TABLES, botId: BOT_IDS.mixed, parsed, ...how };
}

it('a thread gives the same answer as the calling thread, with all digits', async () => {
  const here = reportRunner(database.pool, createChunkCache(2 ** 20));
  for (const chart of ['line', 'table']) {
    const answer = stringify(await threads.run(task(chart), KEY));
    expect(answer).toBe(stringify(await here(task(chart))));
    if (chart === 'line') expect(answer).toMatch(/\d{15}\.\d+/);
  }
});

it('makes a span of each report, with its type and result', async () => {
  const recorded = recordSpans();
  try {
    await threads.run(task('table'), KEY);
    const span = await recorded.find('report trends');
    expect(span).toMatchObject({
      status: { code: 0 },
      attributes: { 'botledger.report.type': 'trends', 'botledger.report.result': 'answered' },
    });
    await expect(threads.run(task('line', 30_000, 'hour', 40), KEY)).rejects.toThrow(ReportTooLargeError);
    await recorded.find('report trends', ({ attributes, status }) => {
      return attributes['error.type'] === 'too_large' && status.code === 2;
    });
  } finally {
    recorded.stop();
  }
});

it('answers many reports at once', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => threads.run(task('table'), KEY)));
  expect(new Set(answers.map((answer) => stringify(answer.rows))).size).toBe(1);
});

it('reports a timeout from a thread, which then runs the next report', async () => {
  const blocker = await database.pool.connect();
  try {
    await blocker.query(`BEGIN; LOCK TABLE ${TABLES.events}.bots IN ACCESS EXCLUSIVE MODE`);
    await expect(threads.run(task('table', 200), KEY)).rejects.toThrow(StatementTimeoutError);
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
  await expect(threads.run(task('table'), KEY)).resolves.toMatchObject({ meta: { truncated: false } });
});

longOnly('refuses a report that cannot start in time as not run, not as timed out', async () => {
  const busy = startReportThreads(database.url, readConfig({ MAX_WAIT_MS: '1000' }));
  const blocker = await database.pool.connect();
  const running: Promise<unknown>[] = [];
  try {
    await blocker.query(`BEGIN; LOCK TABLE ${TABLES.events}.bots IN ACCESS EXCLUSIVE MODE`);
    const blocked = async () => (await blocker.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount;
    for (let ask = true; ask; ask = (await blocked())! < Math.min(4, availableParallelism())) {
      running.push(Promise.allSettled([busy.run(task('table'), KEY)]));
      await pause(100);
    }
    // The report's own time limit is much shorter.
    await expect(busy.run(task('table', 1), OTHER_KEY)).rejects.toThrow(ReportNotRunError);
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
    await Promise.all(running);
    await busy.stop();
  }
});

it('reports from a thread that a report is too large', async () => {
  await expect(threads.run(task('line', 30_000, 'hour', 40), KEY)).rejects.toThrow(ReportTooLargeError);
});

it('reports from a thread that the database is unavailable', async () => {
  const nowhere = startReportThreads('postgres://none@127.0.0.1:1/none', PATIENT);
  try {
    await expect(nowhere.run(task('table'), KEY)).rejects.toThrow(DatabaseUnavailableError);
  } finally {
    await nowhere.stop();
  }
});
