import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { packSlice } from '../src/projections/events/packed/pack.ts';
import { ask } from './ask.ts';
import { median } from './quantile.ts';
import { clickHouse, duckDb, type OtherDatabase } from './report-databases.ts';
import { fillEvents, type Period, packed, printShape, shapeOfData } from './report-events.ts';
import { type Answer, bodyOf, lastDays, type Question, questionsOf } from './report-questions.ts';
import { startBenchService } from './service.ts';

/**
 * Compares reports over HTTP with ClickHouse and DuckDB in this process, on the same events: medians of warm runs. They
 * take turns, so that other load on the machine affects all of them. Each answer is compared with the answers of the
 * other databases. EVENTS and USERS set how many there are, DATA their shape, and ONLY a part of the names of the
 * questions.
 */
const EVENTS = Number(process.env['EVENTS'] ?? 1_000_000);
const USERS = Number(process.env['USERS'] ?? EVENTS / 20);
const SHAPE = shapeOfData();
const ONLY = process.env['ONLY'] ?? '';
const TURNS = Number(process.env['TURNS'] ?? 7);
/** Runs of one before the next one's turn: in the first run the processor's caches hold the data of the others. */
const IN_A_ROW = 5;
/** Turns that are not measured: they compile the code of each question. */
const WARM_TURNS = 4;
/** Reports before the first question: in its first minute a service still compiles what all reports need (docs/benchmarks.md). */
const WARM_REPORTS = 3000;

const service = await startBenchService({
  REPORT_TIMEOUT_MS: '60000',
  MAX_WAIT_MS: '60000',
  // The default cache would be too small for so many events.
  ...(EVENTS > 4_000_000 && { REPORT_CACHE_MB: String(Math.ceil(EVENTS / 10_000)) }),
});
const client = new pg.Client({ connectionString: service.databaseUrl });
const folder = await mkdtemp(join(tmpdir(), 'botledger-reports-'));
await client.connect();
try {
  const period = lastDays();
  await fillEvents(service, { events: EVENTS, users: USERS, period, shape: SHAPE });
  await packed(service, client);
  await printShape(client, SHAPE);
  await describeTables();
  const files = { events: join(folder, 'events.tsv'), users: join(folder, 'users.tsv') };
  await dump(files);
  const databases = [await clickHouse(folder, files), await duckDb(files)];
  console.log(
    `\n${'report, median ms'.padEnd(44)} Botledger   ${databases.map(({ name }) => name).join('   ')}   ratio`,
  );
  const questions = questionsOf(SHAPE).filter(({ name }) => name.includes(ONLY));
  const light = questionsOf(SHAPE).find(({ name }) => name === 'daily total, one event')!;
  for (let i = 0; i < WARM_REPORTS; i++) await ask(service, '/v1/reports/run', bodyOf(light.report, period));
  for (const question of questions) await compare(question, databases, period);
} finally {
  await client.end();
  await service.stop();
  await rm(folder, { recursive: true });
}

async function compare(question: Question, databases: readonly OtherDatabase[], period: Period): Promise<void> {
  const body = bodyOf(question.report, period);
  const own: number[] = [];
  const others = databases.map((): number[] => []);
  for (let turn = -WARM_TURNS; turn < TURNS; turn++) {
    const { times, last } = await inARow(() => ask<{ data: Answer }>(service, '/v1/reports/run', body));
    if (turn >= 0) own.push(...times);
    const answered = question.found(last.data);
    for (const [i, database] of databases.entries()) {
      const { times, last: found } = await inARow(() => database.ask(question, period));
      if (found === null) continue;
      if (turn >= 0) others[i]!.push(...times);
      const expected = question.expected(found);
      if (expected !== answered)
        throw new Error(`${question.name}: ${answered}, but ${database.name} says ${expected}`);
    }
  }
  const medians = [own, ...others].map((times) => (times.length === 0 ? null : median(times)));
  const cells = medians.map((ms) => (ms === null ? '-' : ms.toFixed(1)).padStart(9));
  const ratio = (medians[0]! / medians[1]!).toFixed(2).padStart(8);
  console.log(`${question.name.padEnd(42)} ${cells.join(' ')} ${ratio}`);
}

async function inARow<T>(run: () => Promise<T>): Promise<{ readonly times: readonly number[]; readonly last: T }> {
  const times: number[] = [];
  for (;;) {
    const began = performance.now();
    const last = await run();
    times.push(performance.now() - began);
    if (times.length === IN_A_ROW) return { times, last };
  }
}

/** Prints the bytes of an event in rows and in chunks, and the time of packing all, in a transaction that is rolled back. */
async function describeTables(): Promise<void> {
  const { rows } = await client.query<{ events: number; rows: number; chunks: number; packed: number }>(
    `SELECT (SELECT sum(loose + packed) FROM events_v1.timelines)::float8 AS events,
            (SELECT sum(packed) FROM events_v1.timelines)::float8 AS packed,
            pg_total_relation_size('events_v1.events')::float8 AS rows,
            pg_total_relation_size('events_v1.chunks')::float8 AS chunks`,
  );
  const { events, rows: rowBytes, chunks, packed } = rows[0]!;
  await client.query(`BEGIN; SET LOCAL search_path TO events_v1; DELETE FROM chunks; DELETE FROM changed_events;
    UPDATE timelines SET until_date = DEFAULT, until_ord = DEFAULT, loose = loose + packed, packed = 0, changed = 0`);
  const began = performance.now();
  while (await packSlice(client));
  const ms = performance.now() - began;
  await client.query('ROLLBACK');
  console.log(`${events} events of ${USERS} users, ${packed} of them packed`);
  console.log(
    `bytes an event: ${(rowBytes / events).toFixed(0)} in rows with indexes, ${(chunks / packed).toFixed(0)} packed`,
  );
  console.log(`packing: ${((ms * 1000) / packed).toFixed(1)} µs an event`);
}

async function dump(files: { readonly events: string; readonly users: string }): Promise<void> {
  const events = `SELECT event_id, user_id, date, value_amount, category, coalesce(utm_id, 0), value_str FROM events_v1.events`;
  const users = `SELECT user_id, is_premium::int, language_code, first_name FROM users_v1.users`;
  await pipeline(client.query(copyTo(`COPY (${events}) TO STDOUT`)), createWriteStream(files.events));
  await pipeline(client.query(copyTo(`COPY (${users}) TO STDOUT`)), createWriteStream(files.users));
}
