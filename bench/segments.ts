import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { openEmbeddedPostgres } from '../src/database/embedded/open-embedded-postgres.ts';
import type { LedgerEvent } from '../src/domain/ledger-events.ts';
import { botCreated, ownerCreated } from '../test/support/intake-commits.ts';
import { processorSeconds } from './proc.ts';
import { median } from './quantile.ts';
import { bodyOf, lastDays, questionsOf } from './report-questions.ts';
import type { Done, Task } from './segments/worker.ts';
import type { Workload } from './segments/workload.ts';

/**
 * The prototype of events as segments (segments/, docs/adr/0035-segments-of-events-are-proved-in-part.md) next to today's read model `events`: two OS processes in turn, each
 * with its database on one server. Fails unless all answers are equal. Processor time counts, of the process and of its backend:
 * elapsed times depend on the load of others.
 */
const EVENTS = Number(process.env['EVENTS'] ?? 1_000_000);
const USERS = Number(process.env['USERS'] ?? EVENTS / 20);
const ROUNDS = Number(process.env['ROUNDS'] ?? 10);
const PER_COMMIT = Number(process.env['BATCH'] ?? 100);
const LATE = Number(process.env['LATE'] ?? 0.05);
/** BEHIND=1: as a version that is being built, which packs late events once. */
const BEHIND = process.env['BEHIND'] === '1';
/** Of the names of reports. */
const ONLY = new RegExp(process.env['ONLY'] ?? '');
const TURNS = Number(process.env['TURNS'] ?? 7);
const RUNS = Number(process.env['RUNS'] ?? 10);
/** Days with a late rate for each of two units. */
const RATE_DAYS = 50;
/** The folder of another checkout, built: compares its read model and reports with these, instead of the prototype. */
const OTHER = process.env['OTHER'];
/** LIVE=1: each report follows a commit of 100 events. */
const LIVE = process.env['LIVE'] === '1';
const NAMES = OTHER === undefined ? (['today', 'segments'] as const) : (['before', 'today'] as const);
const HEADER = NAMES.map((name) => name.padStart(9)).join(' ');

interface Side {
  readonly name: string;
  readonly process: ChildProcess;
  readonly client: pg.Client;
}

const folder = await mkdtemp(join(tmpdir(), 'botledger-segments-'));
const postgres = await openEmbeddedPostgres({
  dataDir: folder,
  role: 'service',
  log: { info() {}, warn() {}, error: console.error } as never,
});
const server = new pg.Client({ connectionString: postgres.url });
await server.connect();
const period = lastDays();
const names = Array.from(
  { length: 20 },
  (_, i): LedgerEvent => ({ type: 'event_type_registered', data: { event_id: 101 + i, name: `event_${i}` } }),
);
const firstRates = ['EUR', 'GBP'].map(
  (from): LedgerEvent => ({ type: 'exchange_rate_set', data: { from, to: 'USD', rate: '1.15', date: '2020-01-01' } }),
);
const workload: Workload = {
  ...period,
  ...{ events: EVENTS, users: USERS, late: LATE },
  prologue: [
    ['owner-1', ownerCreated(1, 'USD')],
    ...firstRates.map((event) => ['fx-global', event] as const),
    ['bot-a', botCreated(1, 'a', 1)],
    ...names.map((event) => ['eventtypes-a', event] as const),
  ],
};
const sides: Side[] = [];
async function openSide(name: string): Promise<Side> {
  await server.query(`CREATE DATABASE ${name}`);
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  const folder = name === 'before' ? join(OTHER!, 'bench/segments') : join(import.meta.dirname, 'segments');
  const child = fork(join(folder, 'worker.ts'), {
    execArgv: ['--import', join(folder, 'register.mjs')],
    env: { ...process.env, SEGMENTS_SIDE: name === 'segments' ? name : 'today' },
  });
  const client = new pg.Client({ connectionString: url.href });
  client.on('error', (error) => console.error(error.message));
  await client.connect();
  child.setMaxListeners(0);
  const side = { name, process: child, client };
  await ask(side, { task: 'open', url: url.href, ...workload });
  return side;
}

interface Measured extends Done {
  readonly databaseMs: number;
}

async function ask({ process: child }: Side, task: Task): Promise<Measured> {
  const backend = backends.get(child);
  const before = backend === undefined ? 0 : await processorSeconds([backend]);
  child.send(task);
  const [done] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('a side ended'))),
  ])) as [Done];
  backends.set(child, done.backend);
  return { ...done, databaseMs: ((await processorSeconds([done.backend])) - before) * 1000 };
}

const backends = new Map<ChildProcess, number>();

function line(what: string, values: readonly (readonly number[])[], unit: string): void {
  const [first, second] = values.map(median);
  const cells = [first!, second!].map((value) => value.toFixed(2).padStart(9)).join(' ');
  console.log(`${what.padEnd(44)} ${cells} ${unit.padEnd(4)} ${(second! / first!).toFixed(2)}`);
}

/** Applies the events in rounds, one side after the other. The first round is not counted. */
async function measureApply(): Promise<void> {
  const figures = NAMES.map(() => ({
    process: [] as number[],
    database: [] as number[],
    all: [] as number[],
    ms: [] as number[],
    memory: [] as number[],
  }));
  const commits = EVENTS / PER_COMMIT / (ROUNDS + 1);
  for (let round = 0; round <= ROUNDS; round++)
    for (const i of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const { events, cpuMs, databaseMs, ms, memoryMb } = await ask(sides[i]!, {
        task: 'apply',
        commits,
        perCommit: PER_COMMIT,
        behind: BEHIND,
      });
      const figure = figures[i]!;
      figure.memory.push(memoryMb);
      if (round === 0) continue;
      const us = (ms: number) => (ms * 1000) / events;
      for (const [list, value] of [
        [figure.process, cpuMs],
        [figure.database, databaseMs],
        [figure.all, cpuMs + databaseMs],
        [figure.ms, ms],
      ] as const)
        list.push(us(value));
    }
  console.log(`${'median of rounds, µs an event'.padEnd(44)} ${HEADER}      ratio`);
  line(
    `apply, ${PER_COMMIT} a commit: projector`,
    figures.map(({ process }) => process),
    'µs',
  );
  line(
    '  PostgreSQL',
    figures.map(({ database }) => database),
    'µs',
  );
  line(
    '  both',
    figures.map(({ all }) => all),
    'µs',
  );
  line(
    '  elapsed',
    figures.map(({ ms }) => ms),
    'µs',
  );
  for (const [i, name] of NAMES.entries())
    console.log(`memory of the projector, ${name}: ${figures[i]!.memory.map((mb) => mb.toFixed(0)).join(', ')} MB`);
  for (const side of sides) {
    const { cpuMs, databaseMs } = await ask(side, { task: 'settle' });
    console.log(
      `deferred work after that, ${side.name}: ${((cpuMs * 1000) / EVENTS).toFixed(2)} and ${((databaseMs * 1000) / EVENTS).toFixed(2)} µs an event`,
    );
  }
}

const TABLES = ['events', 'chunks', 'chunk_properties', 'changed_events', 'segments'];

/** As they are, and rewritten without dead rows. */
async function sizes({ name, client }: Side): Promise<void> {
  const read = async () => {
    const { rows } = await client.query<{ table: string; bytes: number }>(
      `SELECT relname AS table, pg_total_relation_size(relid)::float8 AS bytes FROM pg_stat_user_tables WHERE schemaname = 'events_v1' AND relname = ANY ($1)`,
      [TABLES],
    );
    const all = rows.reduce((sum, { bytes }) => sum + bytes, 0);
    return `${rows.map(({ table, bytes }) => `${table} ${(bytes / EVENTS).toFixed(1)}`).join(', ')}, all ${(all / EVENTS).toFixed(1)}`;
  };
  const before = await read();
  const { rows } = await client.query(
    'SELECT loose, packed, changed, packings, (SELECT count(*) FROM events_v1.chunks) AS chunks FROM events_v1.timelines',
  );
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'events_v1' AND tablename = ANY ($1)`,
    [TABLES],
  );
  for (const { name } of tables) await client.query(`VACUUM FULL events_v1.${name}`);
  console.log(`bytes an event, ${name}: ${before}; without dead rows: ${await read()}; ${JSON.stringify(rows[0])}`);
}

/** The floor of a rebuild: COPY of the finished rows of all tables into empty ones of the same shape. */
async function measureCopy({ name, client }: Side): Promise<void> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'events_v1'`,
  );
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  await client.query('CREATE SCHEMA floor');
  let [ms, before] = [0, 0];
  const files = tables.map(({ name }) => ({ name, file: join(folder, `${name}.copy`) }));
  for (const { name, file } of files) {
    await client.query(`CREATE TABLE floor.${name} (LIKE events_v1.${name} INCLUDING ALL)`);
    await pipeline(client.query(copyTo(`COPY events_v1.${name} TO STDOUT`)), createWriteStream(file));
  }
  before = await processorSeconds([rows[0]!.pid]);
  await client.query('BEGIN; SET LOCAL synchronous_commit TO off');
  for (const { name, file } of files) {
    const columns = await client.query<{ list: string }>(
      `SELECT string_agg(quote_ident(attname), ',' ORDER BY attnum) AS list FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
      [`floor.${name}`],
    );
    const began = performance.now();
    await pipeline(
      createReadStream(file),
      client.query(copyFrom(`COPY floor.${name} (${columns.rows[0]!.list}) FROM STDIN`)),
    );
    ms += performance.now() - began;
  }
  await client.query('COMMIT');
  const cpuMs = ((await processorSeconds([rows[0]!.pid])) - before) * 1000;
  console.log(
    `COPY of the finished rows, ${name}: ${((ms * 1000) / EVENTS).toFixed(2)} µs an event elapsed, ${((cpuMs * 1000) / EVENTS).toFixed(2)} of PostgreSQL`,
  );
  await client.query('DROP SCHEMA floor CASCADE');
}

const trend = (agr: string, more: object = {}) => ({
  type: 'trend',
  event_id: null,
  event_name: 'event',
  agr,
  ...more,
});
const chart = (request: object) => ({ type: 'trends', type_chart: 'line', requests: [request] });
const AMOUNT = { agr_field: 'events.value_amount' };
const QUESTIONS = [
  ...questionsOf('wide').map(({ name, report }) => ({ name, report })),
  { name: 'daily sessions', report: chart(trend('total_uniq_session_id')) },
  { name: 'daily median of values, all events', report: chart(trend('property_median', AMOUNT)) },
  {
    name: 'daily sum of values in EUR',
    report: chart(trend('property_sum', { ...AMOUNT, filters: ['=', 'events.unit', 'EUR'] })),
  },
];
/** Late events may lie before the first day. */
const wide = { from: period.from - 8 * 86_400_000, to: period.to };
const configOf = (report: object) => (bodyOf(report, wide) as { report_config: unknown }).report_config;

async function measureReports(title: string, isAsked: (name: string) => boolean): Promise<void> {
  console.log(`\n${`${title}, processor time, ms`.padEnd(44)} ${HEADER}      ratio`);
  for (const { name, report } of QUESTIONS.filter((each) => isAsked(each.name))) {
    const config = configOf(report);
    const times: number[][] = [[], []];
    const answers: unknown[] = [];
    for (let turn = -2; turn < TURNS; turn++)
      for (const i of turn % 2 === 0 ? [0, 1] : [1, 0]) {
        if (LIVE) await ask(sides[i]!, { task: 'apply', commits: 1, perCommit: PER_COMMIT, behind: false });
        const { cpuMs, answer } = await ask(sides[i]!, { task: 'report', config, runs: RUNS });
        if (turn >= 0) times[i]!.push(cpuMs / RUNS);
        answers[i] = answer;
      }
    if (!isDeepStrictEqual(answers[0], answers[1]))
      throw new Error(`${name}: ${answers.map((each) => JSON.stringify(each).slice(0, 2000)).join('\n')}`);
    line(name, times, 'ms');
  }
}

async function measureRates(): Promise<void> {
  const config = configOf(QUESTIONS.find(({ name }) => name === 'daily sum of values')!.report);
  for (const side of sides) {
    const set = await ask(side, { task: 'rates', days: RATE_DAYS });
    const deferred = await ask(side, { task: 'settle' });
    const first = await ask(side, { task: 'report', config, runs: 1 });
    const [own, database] = [set.cpuMs + deferred.cpuMs, set.databaseMs + deferred.databaseMs].map((ms) =>
      ms.toFixed(0),
    );
    console.log(
      `${2 * RATE_DAYS} late rates, ${side.name}: ${own} ms and PostgreSQL ${database} ms, elapsed ${(set.ms + deferred.ms).toFixed(0)} ms; first report of values ${first.cpuMs.toFixed(0)} ms`,
    );
    await sizes(side);
  }
}

try {
  for (const name of NAMES) sides.push(await openSide(name));
  await measureApply();
  for (const side of sides) await sizes(side);
  if (OTHER === undefined) for (const side of sides) await measureCopy(side);
  await measureReports('reports', (name) => ONLY.test(name));
  if (!LIVE) await measureRates();
  if (!LIVE)
    await measureReports('reports of values after late rates', (name) => name.includes('value') && ONLY.test(name));
} finally {
  for (const { process, client } of sides) {
    process.kill();
    await client.end();
  }
  await server.end();
  await postgres.close();
  await rm(folder, { recursive: true, force: true });
}
