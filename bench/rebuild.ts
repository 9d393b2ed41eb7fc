import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { schemaOf } from '../src/projections/read-model.ts';
import { readModels } from '../test/support/read-models.ts';
import { ask } from './ask.ts';
import { command } from './command.ts';
import { quantile } from './quantile.ts';
import { bodyOf, lastDays } from './report-questions.ts';
import { type BenchService, startBenchService } from './service.ts';
import { FIRST_USER, fillShop } from './shop.ts';

/**
 * A rebuild of each read model while clients use the service. Measures events/s compared with COPY of the finished rows
 * under the same load (with few rows the ratio says little), the p99 of requests compared with the p99 without a
 * rebuild, the pause of the switch, and the memory of the command. The time runs from the creation of the version until
 * it is ready; the command takes a second or two more to start. EVENTS is their number: 10 million take about 8 GB of
 * the folder for temporary files.
 */
const EVENTS = Number(process.env['EVENTS'] ?? 300_000);
const USERS = Number(process.env['USERS'] ?? 20_000);
/** The read models to rebuild; all by default. */
const MODELS = process.env['MODELS']?.split(',') ?? readModels.map(({ name }) => name);
const QUIET_SECONDS = Number(process.env['SECONDS'] ?? 10);
const DAY_MS = 86_400_000;

const service = await startBenchService();
const client = new pg.Client({ connectionString: service.databaseUrl });
await client.connect();
try {
  await fillShop(service, { users: USERS, events: EVENTS });
  const quiet = percentiles(await hammer(service, new Promise((resolve) => setTimeout(resolve, QUIET_SECONDS * 1000))));
  console.log(`quiet: ${show(quiet)}`);
  for (const model of MODELS) {
    const memory: number[] = [];
    const rebuilding = Promise.all([
      buildSeconds(model),
      command(service, ['projection', 'rebuild', model], (mb) => void memory.push(mb)),
    ]);
    const during = percentiles(await hammer(service, rebuilding));
    const [seconds] = await rebuilding;
    const copying = copyRows(schemaOf(model, 2));
    await hammer(service, copying);
    const { seconds: floor, rows } = await copying;
    await command(service, ['projection', 'verify', model]);
    const switching = command(service, ['projection', 'switch', model]);
    const switched = percentiles(await hammer(service, switching));
    await command(service, ['projection', 'drop', model, '--version', '1']);
    const rate = (s: number): string => `${(EVENTS / s / 1000).toFixed(1)} k/s`;
    console.log(
      `${model}, ${rows} rows: ${rate(seconds)}, COPY ${rate(floor)}, ratio ${(floor / seconds).toFixed(2)} (target 0.3); ` +
        `peak ${peakOf(memory)} MB, in its first half ${peakOf(memory.slice(0, memory.length / 2))} MB; requests ${show(during)}, p99 ${(during.p99 / quiet.p99).toFixed(2)} of the quiet one ` +
        `(target 1.5); longest at the switch ${switched.max.toFixed(0)} ms`,
    );
  }
} finally {
  await client.end();
  await service.stop();
}

function peakOf(mb: readonly number[]): string {
  return Math.max(...mb).toFixed(0);
}

interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

function show({ p50, p99, max }: Percentiles): string {
  return `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, longest ${max.toFixed(0)} ms`;
}

function percentiles(times: readonly number[]): Percentiles {
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), max: quantile(times, 1) };
}

/** Milliseconds of each request of a mix (an event, a report, two lists) of two clients, until the promise settles. */
async function hammer(service: BenchService, until: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let done = false;
  void until.finally(() => (done = true));
  const chart = {
    type: 'trends',
    type_chart: 'line',
    granularity: 'day',
    requests: [{ type: 'trend', event_id: 101, event_name: 'event_0', agr: 'total' }],
  };
  const { from, to } = lastDays();
  const preview = bodyOf(chart, { from, to: to + DAY_MS });
  const requests: (() => Promise<unknown>)[] = [
    () => ask(service, '/v1/send-event', { event: 'event_1', user_id: FIRST_USER }),
    () => ask(service, '/v1/reports/resources'),
    () => ask(service, '/v1/reports/events'),
    () => ask(service, '/v1/reports/preview', preview),
  ];
  const caller = async (): Promise<void> => {
    for (let i = 0; !done; i++) {
      const began = performance.now();
      await requests[i % requests.length]!();
      times.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await Promise.all([until, caller(), caller()]);
  return times;
}

/** Seconds from the creation of the second version of a read model until it is ready. */
async function buildSeconds(model: string): Promise<number> {
  let began: number | undefined;
  for (;;) {
    const { rows } = await client.query<{ state: string }>(
      'SELECT state FROM runtime.read_models WHERE name = $1 AND version = 2',
      [model],
    );
    if (rows[0] !== undefined) began ??= performance.now();
    if (began !== undefined && rows[0]?.state !== 'building') return (performance.now() - began) / 1000;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** COPY of a schema's rows into empty tables of the same shape. */
async function copyRows(schema: string): Promise<{ readonly seconds: number; readonly rows: number }> {
  const { rows: tables } = await client.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1',
    [schema],
  );
  await client.query('CREATE SCHEMA floor');
  const folder = await mkdtemp(join(tmpdir(), 'botledger-bench-rows-'));
  for (const { name } of tables) {
    await client.query(`CREATE TABLE floor.${name} (LIKE ${schema}.${name} INCLUDING ALL)`);
    await pipeline(client.query(copyTo(`COPY ${schema}.${name} TO STDOUT`)), createWriteStream(join(folder, name)));
  }
  const began = performance.now();
  await client.query('BEGIN');
  await client.query('SET LOCAL synchronous_commit TO off');
  let rows = 0;
  for (const { name } of tables) {
    const copy = client.query(copyFrom(`COPY floor.${name} FROM STDIN`));
    await pipeline(createReadStream(join(folder, name)), copy);
    rows += copy.rowCount;
  }
  await client.query('COMMIT');
  const seconds = (performance.now() - began) / 1000;
  await client.query('DROP SCHEMA floor CASCADE');
  await rm(folder, { recursive: true });
  return { seconds, rows };
}
