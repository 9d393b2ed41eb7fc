import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { type BenchService, startBenchService } from './service.ts';

/**
 * A rebuild of each read model beside a service that is being used: events/s against COPY of the finished rows in the
 * same run, the p99 of requests against the quiet one, the pause of the switch, the memory of the command. The time is
 * that from the creation of the version until it is ready; the command takes a second or two more to start. EVENTS says
 * how many: 10 million take some 8 GB of the folder for temporary files.
 */
const EVENTS = Number(process.env['EVENTS'] ?? 300_000);
const USERS = Number(process.env['USERS'] ?? 20_000);
const QUIET_SECONDS = Number(process.env['SECONDS'] ?? 10);
const BATCH = 1000;
const MODELS = ['catalog', 'users', 'events', 'reports'];

const service = await startBenchService();
const client = new pg.Client({ connectionString: service.databaseUrl });
await client.connect();
try {
  await fill(service);
  const quiet = percentiles(await hammer(service, new Promise((resolve) => setTimeout(resolve, QUIET_SECONDS * 1000))));
  console.log(`quiet: ${show(quiet)}`);
  for (const model of MODELS) {
    let peakMb = 0;
    const rebuilding = Promise.all([
      buildSeconds(model),
      command(service, ['projection', 'rebuild', model], (mb) => (peakMb = Math.max(peakMb, mb))),
    ]);
    const during = percentiles(await hammer(service, rebuilding));
    const [seconds] = await rebuilding;
    const floor = await copySeconds(`${model}_v2`);
    await command(service, ['projection', 'verify', model]);
    const switching = command(service, ['projection', 'switch', model]);
    const switched = percentiles(await hammer(service, switching));
    await command(service, ['projection', 'drop', model, '--version', '1']);
    const rate = (s: number): string => `${(EVENTS / s / 1000).toFixed(1)} k/s`;
    console.log(
      `${model}: ${rate(seconds)}, COPY ${rate(floor)}, ratio ${(floor / seconds).toFixed(2)} (target 0.3); ` +
        `peak ${peakMb.toFixed(0)} MB; requests ${show(during)}, p99 ${(during.p99 / quiet.p99).toFixed(2)} of the quiet one ` +
        `(target 1.5); longest at the switch ${switched.max.toFixed(0)} ms`,
    );
  }
} finally {
  await client.end();
  await service.stop();
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
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1)! };
}

async function fill({ address, apiKey }: BenchService): Promise<void> {
  const post = async (path: string, body: unknown): Promise<void> => {
    const headers = { 'content-type': 'application/json', 'api-key': apiKey };
    const response = await fetch(`${address}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  };
  const date = Math.floor(Date.now() / 1000) - 90 * 86_400;
  for (let user = 1; user <= USERS; user += 100) {
    const updates = Array.from({ length: 100 }, (_, i) => {
      const from = { id: user + i, is_bot: false, first_name: `User ${user + i}`, username: `u${user + i}` };
      const chat = { id: from.id, type: 'private' };
      return { update: { update_id: 1000 + user + i, message: { message_id: 1, date, chat, from, text: 'hello' } } };
    });
    await post('send-batch-update', updates);
  }
  for (let sent = USERS; sent < EVENTS; sent += BATCH)
    await post(
      'send-event',
      Array.from({ length: BATCH }, (_, i) => ({
        event: `event_${i % 20}`,
        user_id: 1 + ((sent + i * 7919) % USERS),
        date: new Date((date + Math.floor(((sent + i) / EVENTS) * 90 * 86_400)) * 1000).toISOString(),
        ...(i % 5 === 0 && { value_num: i, unit: 'USD' }),
        ...(i % 3 === 0 && { category: `c${i % 30}` }),
      })),
    );
  for (;;) {
    const answer = await fetch(`${address}/metrics`);
    const lags = [...(await answer.text()).matchAll(/^botledger_projection_lag_events\{.*\} (\d+)/gm)].map(
      ([, n]) => +n!,
    );
    if (lags.length >= MODELS.length && lags.every((lag) => lag === 0)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function day(ahead: number): string {
  return `${new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10)} 00:00:00`;
}

/** Milliseconds of each request of a mix (an event in, a report, two lists), from two callers, until the promise is done. */
async function hammer({ address, apiKey }: BenchService, until: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let done = false;
  void until.finally(() => (done = true));
  const report_config = {
    source_request: {
      type: 'trends',
      type_chart: 'line',
      granularity: 'day',
      requests: [{ type: 'trend', event_id: 101, event_name: 'event_0', agr: 'total' }],
    },
    settings: { params: { ':date_from': day(-90), ':date_to': day(1) } },
  };
  const headers = { 'content-type': 'application/json', 'api-key': apiKey };
  const requests: (() => Promise<Response>)[] = [
    () => fetch(`${address}/v1/send-event`, { method: 'POST', headers, body: '{"event":"event_0","user_id":1}' }),
    () => fetch(`${address}/v1/reports/resources`, { headers }),
    () => fetch(`${address}/v1/reports/events`, { headers }),
    () => fetch(`${address}/v1/reports/preview`, { method: 'POST', headers, body: JSON.stringify({ report_config }) }),
  ];
  const caller = async (): Promise<void> => {
    for (let i = 0; !done; i++) {
      const began = performance.now();
      const response = await requests[i % requests.length]!();
      const body = await response.text();
      if (!response.ok) throw new Error(`a request was answered ${response.status}: ${body}`);
      times.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await Promise.all([until, caller(), caller()]);
  return times;
}

async function command(service: BenchService, argv: string[], onMemory?: (mb: number) => void): Promise<void> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../bin/botledger.js'), ...argv], {
    env: { ...process.env, ...service.env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const sampling = setInterval(() => {
    readFile(`/proc/${child.pid}/status`, 'utf8').then(
      (status) => onMemory?.(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024),
      () => {},
    );
  }, 200);
  const [code] = await ended;
  clearInterval(sampling);
  if (code !== 0) throw new Error(`${argv.join(' ')}: exit ${code}`);
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

/** Seconds of COPY of a schema's rows into empty tables of the same shape. */
async function copySeconds(schema: string): Promise<number> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1',
    [schema],
  );
  await client.query('CREATE SCHEMA floor');
  const folder = await mkdtemp(join(tmpdir(), 'botledger-bench-rows-'));
  for (const { name } of rows) {
    await client.query(`CREATE TABLE floor.${name} (LIKE ${schema}.${name} INCLUDING ALL)`);
    await pipeline(client.query(copyTo(`COPY ${schema}.${name} TO STDOUT`)), createWriteStream(join(folder, name)));
  }
  const began = performance.now();
  await client.query('BEGIN');
  await client.query('SET LOCAL synchronous_commit TO off');
  for (const { name } of rows)
    await pipeline(createReadStream(join(folder, name)), client.query(copyFrom(`COPY floor.${name} FROM STDIN`)));
  await client.query('COMMIT');
  const seconds = (performance.now() - began) / 1000;
  await client.query('DROP SCHEMA floor CASCADE');
  await rm(folder, { recursive: true });
  return seconds;
}
