import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createBot } from '../src/commands/catalog/change-bot.ts';
import { createOwner } from '../src/commands/catalog/change-owner.ts';
import { openEmbeddedPostgres } from '../src/database/embedded/open-embedded-postgres.ts';
import { migrateRuntimeSchema } from '../src/database/runtime-schema.ts';
import { customEventsReceived } from '../src/domain/intake/intake-events.ts';
import { intakeStream } from '../src/domain/streams.ts';
import { systemSources } from '../src/util/system-sources.ts';
import { openTestLog } from '../test/support/engines.ts';
import { serviceProcess } from '../test/support/service-process.ts';

/**
 * Seconds that 1, 2 and so on projector processes take to build `events` together, from a log of one partition with EVENTS events
 * of BOTS bots. In turn, after one build that is not counted.
 */
const BOTS = Number(process.env['BOTS'] ?? 40);
const EVENTS = Number(process.env['EVENTS'] ?? 400_000);
/** Events of a commit. */
const BATCH = Number(process.env['BATCH'] ?? 100);
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const COUNTS = (process.env['COUNTS'] ?? '1,2').split(',').map(Number);
const USERS = 1000;

const dataDir = await mkdtemp(join(tmpdir(), 'botledger-bench-'));
const postgres = await openEmbeddedPostgres({ dataDir, role: 'service', log: { info: () => {}, warn: () => {} } });
const pool = new pg.Pool({ connectionString: postgres.url });
pool.on('error', () => {}); // the server ends last
const env = { DATABASE_URL: postgres.url };
await migrateRuntimeSchema(pool);
const log = await openTestLog(env);
await fill();
await build(1);
const seconds = new Map<number, number[]>(COUNTS.map((count) => [count, []]));
for (let round = 1; round <= ROUNDS; round++) {
  for (const count of round % 2 === 0 ? COUNTS : COUNTS.toReversed()) {
    const took = await build(count);
    seconds.get(count)!.push(took);
    console.log(`round ${round}, ${count} builders: ${took.toFixed(1)} s, ${(EVENTS / took / 1000).toFixed(1)} k/s`);
  }
}
const least = (count: number): number => Math.min(...seconds.get(count)!);
for (const count of COUNTS)
  console.log(
    `${count} builders: ${least(count).toFixed(1)} s, ${(least(COUNTS[0]!) / least(count)).toFixed(2)} times as fast`,
  );
await log.close();
await pool.end();
await postgres.close();
await rm(dataDir, { recursive: true, force: true });

async function fill(): Promise<void> {
  const context = { log, sources: systemSources };
  const owner = { name: 'Ann', currency: 'USD', plan: 'premium' as const, broadcastsPerMonth: 1 };
  const { ownerId } = await createOwner(context, owner);
  const bots: string[] = [];
  for (let i = 0; i < BOTS; i++) bots.push((await createBot(context, { ownerId, name: `Shop ${i}` })).publicKey);
  for (let sent = 0; sent < EVENTS; sent += BATCH) {
    const items = Array.from({ length: BATCH }, (_, i) => ({ event_id: 1, user_id: ((sent + i * 7) % USERS) + 1 }));
    const stream = intakeStream(bots[(sent / BATCH) % BOTS]!);
    const events = [customEventsReceived.create({ items })];
    await log.append({ id: randomUUID(), stream, expected: 'any', at: Date.now(), events });
  }
}

/** @returns seconds from the creation of the version until it answers */
async function build(count: number): Promise<number> {
  await pool.query('DROP SCHEMA IF EXISTS events_v1 CASCADE');
  await pool.query(`DELETE FROM runtime.read_models WHERE name = 'events'`);
  const projectors = await Promise.all(
    Array.from({ length: count }, () => serviceProcess({ ...env, ROLE: 'projector' })),
  );
  const started = Promise.all(projectors.map((each) => each.start()));
  let began: number | null = null;
  for (;;) {
    const { rows } = await pool.query<{ state: string }>(`SELECT state FROM runtime.read_models WHERE name = 'events'`);
    if (rows.length > 0) began ??= performance.now();
    if (rows[0]?.state === 'live') break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const took = (performance.now() - began!) / 1000;
  await started;
  await Promise.all(projectors.map((each) => each.kill('SIGTERM')));
  return took;
}
