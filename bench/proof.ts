import { monitorEventLoopDelay } from 'node:perf_hooks';
import pg from 'pg';
import { proveAccount } from '../src/administration/proof/prove-account.ts';
import { ANY_CATEGORIES, accountStream, CATEGORIES, intakeStream } from '../src/domain/streams.ts';
import { EMPTY_STREAM, type NewCommit, type StreamHead } from '../src/log/port.ts';
import { openPostgresLog } from '../src/log/postgres/postgres-log.ts';
import { LeafWriter } from '../src/processes/proof/leaf-writer.ts';
import { appendCheckpoint, prepareEntry } from '../src/processes/proof/output-log.ts';
import { type CheckpointKeys, newCheckpointKeys, parseCheckpointKeys } from '../src/proof/checkpoint-keys.ts';
import { migrateProofSchema } from '../src/queries/proof/proof-schema.ts';
import { systemSources } from '../src/util/system-sources.ts';
import { withBenchDatabase } from './bench-database.ts';

/**
 * The cost of proofs: processor time of the process a commit, bytes a commit, and how long it takes to make and to check the
 * proof of an account with ACCRUALS accruals.
 *
 *   DATABASE_URL=postgres://… COMMITS=100000 ACCRUALS=10000 npx tsx bench/proof.ts
 */

const COMMITS = Number(process.env['COMMITS'] ?? 100_000);
const ACCRUALS = Number(process.env['ACCRUALS'] ?? 10_000);
/** The process saves as many leaves at once. */
const SAVE_AT = 4096;
const BOT = 'bench';
const USER = 42;

const keys = parseCheckpointKeys(newCheckpointKeys('bench.test/log', systemSources.randomBytes)) as CheckpointKeys;

await withBenchDatabase(async (url) => {
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => {}); // the server ends idle connections when the database is dropped
  const log = await openPostgresLog({ connectionString: url, anyCategories: ANY_CATEGORIES });
  await migrateProofSchema(pool);
  const commitOf = (stream: string, expected: NewCommit['expected'], events: NewCommit['events']): NewCommit => ({
    ...{ id: systemSources.uuid(), stream, expected, at: systemSources.now(), events },
    nonce: Buffer.from(systemSources.randomBytes(16)).toString('base64url'),
  });
  const order = [
    { type: 'custom_events_received', v: 1, data: { items: [{ event_id: 101, user_id: 7, value: '19.99' }] } },
  ];
  let head: StreamHead = EMPTY_STREAM;
  for (let n = 0; n < COMMITS; n += 200) {
    await Promise.all(Array.from({ length: 200 }, () => log.append(commitOf(intakeStream(BOT), 'any', order))));
    for (let i = 0; head.revision < ((n + 200) * ACCRUALS) / COMMITS && i < 200; i++)
      head = (await log.append(commitOf(accountStream(BOT, USER), head, accrual(head.revision + 1)))).head!;
  }
  const writer = await LeafWriter.open(pool, 1, keys.vrf);
  const end = (await log.endCursor()).get(0)!;
  const before = process.cpuUsage();
  for await (const { commits, last } of log.digests({
    categories: CATEGORIES,
    after: new Map(),
    signal: new AbortController().signal,
  })) {
    await writer.take(0, commits);
    if (writer.unsaved >= SAVE_AT) await save();
    if (last >= end) break;
  }
  await save();
  const { user, system } = process.cpuUsage(before);
  const [leaves] = writer.sizes() as [number];
  const { rows } = await pool.query<{ bytes: string }>(
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relnamespace = 'proof'::regnamespace AND relkind = 'r'`,
  );
  console.log(`${leaves} commits: ${((user + system) / leaves).toFixed(1)} µs of processor time a commit (aim 10)`);
  console.log(`stored: ${(Number(rows[0]!.bytes) / leaves).toFixed(1)} bytes a commit (aim 80)`);
  await timed('a checkpoint', async () => {
    const context = { log, pool, sources: systemSources };
    await prepareEntry(context, writer, { head: EMPTY_STREAM, keys });
    await appendCheckpoint(context, EMPTY_STREAM, keys);
  });
  const request = { bot: BOT, userId: USER, at: null, withEvents: false };
  const context = { log, pool, keys, policy: null, signal: new AbortController().signal };
  const text = JSON.stringify(
    await timed(`make a proof of ${head.revision} commits`, () => proveAccount(context, request)),
  );
  console.log(`its size: ${(text.length / 1e6).toFixed(1)} MB`);
  const { verify } = await import(new URL('../bin/verify.mjs', import.meta.url).href);
  await timed('check it', () => verify(text));
  await log.close();
  await pool.end();

  async function save(): Promise<void> {
    const tx = await pool.connect();
    await tx.query('BEGIN');
    await writer.save(tx);
    await tx.query('COMMIT');
    tx.release();
  }
});

function accrual(id: number): NewCommit['events'] {
  const at = systemSources.now();
  const rate = { reward_type: 'fixed', amount: '5', percent: null };
  const event = { commit_id: systemSources.uuid(), index: 0, event_id: 101, date: at, received: at };
  const accrued = {
    accrual_id: id,
    rule_id: 1,
    referral_id: 7,
    event,
    amount: '5',
    unit_id: 1,
    available_at: at,
    rate,
    at,
  };
  const lock = { type: 'reward_rate_locked', v: 1, data: { rule_id: 1, ...rate, unit_id: 1, source: 'auto', at } };
  return [...(id === 1 ? [lock] : []), { type: 'reward_accrued', v: 1, data: accrued }];
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const [began, before] = [performance.now(), process.cpuUsage()];
  const waits = monitorEventLoopDelay({ resolution: 1 });
  waits.enable();
  const result = await work();
  waits.disable();
  const { user, system } = process.cpuUsage(before);
  console.log(
    `${what}: ${Math.round(performance.now() - began)} ms, ${Math.round((user + system) / 1000)} ms of processor time, other work waits for ${Math.round(waits.max / 1e6)} ms at most`,
  );
  return result;
}
