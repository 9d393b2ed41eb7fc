import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { LedgerEvent } from '../src/domain/ledger-events.ts';
import { eventsReadModel } from '../src/projections/events/read-model.ts';
import { type ReadCommit, type ReadModel, schemaOf } from '../src/projections/read-model.ts';
import { MAX_COMMITS, parts } from '../src/projections/runtime/read-commits.ts';
import { usersReadModel } from '../src/projections/users/read-model.ts';
import { systemSources } from '../src/util/system-sources.ts';
import { botCreated, ownerCreated } from '../test/support/intake-commits.ts';
import { withBenchDatabase } from './bench-database.ts';
import { random } from './random.ts';

/**
 * How fast the read models `events` and `users` apply intake. The floor is COPY of the resulting rows into empty tables of
 * the same shape, in the same run.
 *
 *   DATABASE_URL=postgres://… EVENTS=200000 npx tsx bench/projector.ts
 */

const EVENTS = Number(process.env['EVENTS'] ?? 200_000);
const USERS = 50_000;
const START = Date.UTC(2025, 0, 1);
const PERIOD_MS = 90 * 24 * 60 * 60 * 1000;

let ordinal = 0;
function commit(stream: string, at: number, event: LedgerEvent): ReadCommit {
  ordinal++;
  const position = `0:${String(ordinal).padStart(15, '0')}`;
  return {
    id: systemSources.uuid(),
    stream,
    ordinal,
    at,
    position,
    revision: null,
    prev: null,
    hash: null,
    events: [event],
  };
}

/** A few users have most events. */
function pickUser(next: () => number): number {
  return 1 + Math.floor(USERS * next() ** 2);
}

function update(user_id: number, update_id: number, at: number, more: object) {
  const person = { first_name: `User ${user_id}`, username: `u${user_id}`, language_code: 'en' };
  const flags = { makes_user: true, is_bot: false, is_premium: false, chat_type: 'private' as const };
  return { update_id, user_id, date: Math.floor(at / 1000) * 1000, ...flags, person, ...more };
}

function prologue(): ReadCommit[] {
  const name = (event_id: number): LedgerEvent => ({
    type: 'event_type_registered',
    data: { event_id, name: `e${event_id}` },
  });
  const rate = { from: 'EUR', to: 'USD', rate: '1.1', date: '2024-12-01' };
  const commits = [
    commit('owner-1', START, ownerCreated(1, 'USD')),
    commit('fx-global', START, { type: 'exchange_rate_set', data: rate }),
    commit('bot-a', START, botCreated(1, 'a', 1)),
    ...Array.from({ length: 20 }, (_, i) => commit('eventtypes-a', START, name(101 + i))),
  ];
  for (let id = 1; id <= USERS; id += 1000) {
    const items = Array.from({ length: 1000 }, (_, i) => ({
      user_id: id + i,
      person: { first_name: `User ${id + i}` },
    }));
    commits.push(commit('intake-a', START, { type: 'users_imported', data: { items } }));
  }
  return commits;
}

type MakeItem = (
  next: () => number,
  at: number,
  index: number,
) => LedgerEvent['data'] extends infer D ? (D extends { items: (infer I)[] } ? I : never) : never;

interface Workload {
  readonly name: string;
  readonly model: ReadModel;
  readonly type: 'custom_events_received' | 'updates_received';
  readonly perCommit: number;
  readonly item: MakeItem;
}

const custom =
  (late: number): MakeItem =>
  (next, at) => ({
    event_id: 101 + Math.floor(next() * 20),
    user_id: pickUser(next),
    date: Math.floor(at - (next() < late ? next() * 7 * 24 * 3_600_000 : 0)),
    ...(next() < 0.2 && { value: String(Math.floor(next() * 100_000)), unit: next() < 0.5 ? 'EUR' : 'USD' }),
    ...(next() < 0.3 && { category: `c${Math.floor(next() * 30)}` }),
  });
const platform: MakeItem = (next, at, index) =>
  update(pickUser(next), USERS + 1 + index, at, { event_id: next() < 0.7 ? 8 : 5 });

const workloads: readonly Workload[] = [
  {
    name: 'custom events, 1 a request',
    model: eventsReadModel,
    type: 'custom_events_received',
    perCommit: 1,
    item: custom(0),
  },
  {
    name: 'custom events, 100 a request',
    model: eventsReadModel,
    type: 'custom_events_received',
    perCommit: 100,
    item: custom(0),
  },
  {
    name: 'same, 5 % late by days',
    model: eventsReadModel,
    type: 'custom_events_received',
    perCommit: 100,
    item: custom(0.05),
  },
  { name: 'updates, 100 a request', model: eventsReadModel, type: 'updates_received', perCommit: 100, item: platform },
  { name: 'updates, 100 a request', model: usersReadModel, type: 'updates_received', perCommit: 100, item: platform },
];

/** Cuts commits as the runtime does: PostgreSQL would plan a single transaction by the rows that the tables had before it. */
function* cut(commits: readonly ReadCommit[]): Generator<readonly ReadCommit[]> {
  if (commits.length === 0) return;
  // The runtime counts stored events. They have a version.
  const stored = commits.map((commit) => ({ ...commit, events: commit.events.map((event) => ({ v: 1, ...event })) }));
  let done = 0;
  for (const part of parts({ partition: 0, commits: stored, last: commits.at(-1)!.position })) {
    yield commits.slice(done, done + part.commits.length);
    done += part.commits.length;
  }
}

function* batches({ type, perCommit, item }: Workload): Generator<ReadCommit[]> {
  const next = random(7);
  let index = 0;
  while (index < EVENTS) {
    const batch: ReadCommit[] = [];
    while (batch.length < MAX_COMMITS && index < EVENTS) {
      const at = START + 1000 + Math.floor((PERIOD_MS * index) / EVENTS);
      const items = Array.from({ length: Math.min(perCommit, EVENTS - index) }, () => item(next, at, index++));
      batch.push(commit('intake-a', at, { type, data: { items } } as LedgerEvent));
    }
    yield batch;
  }
}

async function inSchema(client: pg.Client, schema: string, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  await client.query('SET LOCAL synchronous_commit TO off');
  await client.query(`SET LOCAL search_path TO ${schema}`);
  await work();
  await client.query('COMMIT');
}

async function run(client: pg.Client, workload: Workload): Promise<void> {
  const { model } = workload;
  const schema = schemaOf(model.name, 1);
  const categories = new Set(model.categories);
  const apply = (part: readonly ReadCommit[]) => inSchema(client, schema, () => model.apply(client, part));
  for (const name of [schema, 'floor']) {
    await client.query(
      `DROP SCHEMA IF EXISTS ${name} CASCADE; CREATE SCHEMA ${name}; SET search_path TO ${name}; ${model.ddl}`,
    );
  }
  const start = prologue().filter(({ stream }) => categories.has(stream.slice(0, stream.indexOf('-'))));
  for (const part of cut(start)) await apply(part);

  let seconds = 0;
  for (const batch of batches(workload)) {
    for (const part of cut(batch)) {
      const began = performance.now();
      await apply(part);
      seconds += (performance.now() - began) / 1000;
    }
  }

  const rows = await dump(client, schema);
  const floorBegan = performance.now();
  await inSchema(client, 'floor', async () => {
    for (const [table, lines] of rows) await copy(client, table, lines);
  });
  const floor = (performance.now() - floorBegan) / 1000;
  const rate = (s: number) => `${(EVENTS / s / 1000).toFixed(1).padStart(6)} k/s`;
  const label = `${model.name}: ${workload.name}`.padEnd(40);
  console.log(`${label} ${rate(seconds)}   COPY ${rate(floor)}   ratio ${(floor / seconds).toFixed(2)}`);
}

/** The rows of all tables except users known before the run. */
async function dump(client: pg.Client, schema: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ tablename: string }>('SELECT tablename FROM pg_tables WHERE schemaname = $1', [
    schema,
  ]);
  const tables = new Map<string, string>();
  for (const { tablename } of rows)
    if (tablename !== 'known_users')
      tables.set(tablename, await text(client.query(copyTo(`COPY ${schema}.${tablename} TO STDOUT`))));
  return tables;
}

async function copy(client: pg.Client, table: string, lines: string): Promise<void> {
  if (lines === '') return;
  const stream = client.query(copyFrom(`COPY ${table} FROM STDIN`));
  stream.end(lines);
  await finished(stream);
}

await withBenchDatabase(async (url) => {
  for (const workload of workloads) {
    // Each has its own connection, without cached plans for the tables of the one before.
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await run(client, workload);
    } finally {
      await client.end();
    }
  }
});
