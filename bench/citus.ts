import pg from 'pg';
import { inTransaction } from '../src/database/transaction.ts';
import type { LedgerEvent } from '../src/domain/ledger-events.ts';
import { eventsReadModel } from '../src/projections/events/read-model.ts';
import { type ReadCommit, type ReadModel, schemaOf } from '../src/projections/read-model.ts';
import { applyTo } from '../src/projections/runtime/apply.ts';
import { moveCheckpoints } from '../src/projections/runtime/checkpoint.ts';
import { createTables, inVersion } from '../src/projections/runtime/versions.ts';
import { botCreated, ownerCreated, readCommit } from '../test/support/intake-commits.ts';
import { childrenOf, processorSeconds, waitedForSeconds } from './proc.ts';
import { random } from './random.ts';

/**
 * Processor time of an event in the read model `events`, on each of several databases of this machine in turn. Each batch has
 * 1,000 requests of 5 events, of some of 20 bots. All processes of the servers count, and this one's.
 *
 *   DATABASES="postgres://… postgres://…" EVENTS=20000 npx tsx bench/citus.ts
 */

const DATABASES = (process.env['DATABASES'] ?? '').split(' ').filter((url) => url !== '');
const EVENTS = Number(process.env['EVENTS'] ?? 20_000);
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const BOTS = Number(process.env['BOTS'] ?? 20);
const USERS = 1000;
const PER_COMMIT = 5;
const COMMITS = 1000;
const START = Date.UTC(2025, 0, 1);

let ordinal = 0;
const commit = (stream: string, at: number, event: LedgerEvent): ReadCommit =>
  readCommit(stream, ++ordinal, at, [event]);
const bots = Array.from({ length: BOTS }, (_, i) => ({ id: i + 1, key: `bot${i + 1}` }));

function prologue(): ReadCommit[] {
  return [
    commit('owner-1', START, ownerCreated(1, 'USD')),
    ...bots.flatMap(({ id, key }) => [
      commit(`bot-${key}`, START, botCreated(id, key, 1)),
      commit(`eventtypes-${key}`, START, { type: 'event_type_registered', data: { event_id: 101, name: 'order' } }),
      commit(`intake-${key}`, START, {
        type: 'users_imported',
        data: { items: Array.from({ length: USERS }, (_, i) => ({ user_id: i + 1 })) },
      }),
    ]),
  ];
}

function batch(next: () => number, at: number): ReadCommit[] {
  return Array.from({ length: COMMITS }, (_, i) => {
    const { key } = bots[Math.floor(next() * BOTS)]!;
    const items = Array.from({ length: PER_COMMIT }, () => ({
      event_id: 101,
      user_id: 1 + Math.floor(next() * USERS),
      date: at + i,
      value: String(Math.floor(next() * 10_000)),
      unit: 'USD',
    }));
    return commit(`intake-${key}`, at + i, { type: 'custom_events_received', data: { items } });
  });
}

/** A database, and the main processes of the servers of its nodes. */
interface Target {
  readonly name: string;
  readonly pool: pg.Pool;
  readonly servers: readonly number[];
  last: string | undefined;
}

async function open(url: string): Promise<Target> {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  const { rowCount } = await pool.query(`SELECT FROM pg_extension WHERE extname = 'citus'`);
  const isCluster = rowCount === 1;
  const { rows } = isCluster
    ? await pool.query<{ host: string; port: number }>('SELECT nodename AS host, nodeport AS port FROM pg_dist_node')
    : { rows: [{ host: new URL(url).hostname, port: Number(new URL(url).port) }] };
  const servers: number[] = [];
  for (const { host, port } of rows) {
    const node = new URL(url);
    node.hostname = host;
    node.port = String(port);
    const client = new pg.Client({ connectionString: node.href });
    await client.connect();
    const main = await client.query<{ pid: number }>(
      `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`,
    );
    servers.push(main.rows[0]!.pid);
    await client.end();
  }
  return {
    name: isCluster ? `Citus, ${rows.length - 1} workers` : 'PostgreSQL',
    pool,
    servers: [...new Set(servers)],
    last: undefined,
  };
}

async function serverSeconds({ servers }: Target): Promise<number> {
  let seconds = 0;
  for (const server of servers)
    seconds += (await processorSeconds([server, ...(await childrenOf(server))])) + (await waitedForSeconds(server));
  return seconds;
}

async function apply(target: Target, model: ReadModel, commits: readonly ReadCommit[]): Promise<void> {
  const { pool } = target;
  const schema = schemaOf(model.name, 1);
  const to = commits.at(-1)!.position;
  await inVersion(pool, schema, async (tx) => {
    const moved = await moveCheckpoints(tx, schema, [{ key: 0, from: target.last, to }]);
    if (moved !== 'moved') throw new Error(`the checkpoint is ${moved}`);
    await applyTo(model, tx, commits);
  });
  target.last = to;
}

const targets = await Promise.all(DATABASES.map(open));
const model = eventsReadModel;
const start = prologue();
for (const target of targets) {
  await inTransaction(target.pool, async (tx) => {
    await tx.query(`DROP SCHEMA IF EXISTS ${schemaOf(model.name, 1)} CASCADE`);
    await createTables(tx, model, schemaOf(model.name, 1));
  });
  await apply(target, model, start);
}
const next = random(7);
let at = START + 1000;
for (let round = 0; round < ROUNDS; round++) {
  const batches: ReadCommit[][] = [];
  for (let events = 0; events < EVENTS; events += COMMITS * PER_COMMIT) {
    batches.push(batch(next, at));
    at += 60_000;
  }
  for (const target of targets) {
    const [servers, own, begun] = [await serverSeconds(target), process.cpuUsage(), performance.now()];
    for (const each of batches) await apply(target, model, each);
    const { user, system } = process.cpuUsage(own);
    const us = (seconds: number) => ((seconds * 1e6) / (batches.length * COMMITS * PER_COMMIT)).toFixed(1).padStart(7);
    console.log(
      `${target.name.padEnd(18)} µs of processor time an event: here ${us((user + system) / 1e6)}, database ${us((await serverSeconds(target)) - servers)}; ` +
        `elapsed ${us((performance.now() - begun) / 1000)}`,
    );
  }
}
for (const { pool } of targets) await pool.end();
