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
import { servedProgress, waitForReadModels } from '../src/projections/runtime/wait-for-read-models.ts';
import { systemSources } from '../src/util/system-sources.ts';
import { openTestLog } from '../test/support/engines.ts';
import { startKafkaBroker } from '../test/support/kafka-broker.ts';
import { readModels } from '../test/support/read-models.ts';
import { type ServiceProcess, serviceProcess } from '../test/support/service-process.ts';
import { processorSeconds } from './proc.ts';

/**
 * Processor time of an event in 1, 2 and 4 projector processes that share the 12 partitions of a log on Kafka, and how many of
 * the events each of them applies. The same events are appended for each, at the same rate, in turn, after others that warm it up.
 * Only the projectors and PostgreSQL's work for them are counted, not the broker and not who appends.
 */
const PARTITIONS = 12;
/** Many, so that partitions hold about as much as each other. */
const BOTS = Number(process.env['BOTS'] ?? 240);
const EVENTS = Number(process.env['EVENTS'] ?? 60_000);
/** Events before the measured ones. */
const WARM_UP = Number(process.env['WARM_UP'] ?? 40_000);
/** Events of a commit. */
const BATCH = Number(process.env['BATCH'] ?? 10);
const PER_SECOND = Number(process.env['PER_SECOND'] ?? 2000);
const ROUNDS = Number(process.env['ROUNDS'] ?? 2);
const COUNTS = (process.env['COUNTS'] ?? '1,2,4').split(',').map(Number);

const broker = await startKafkaBroker();
if (broker === null) throw new Error('needs a Kafka broker');
const dataDir = await mkdtemp(join(tmpdir(), 'botledger-bench-'));
const quiet = { info: () => {}, warn: () => {} };
const postgres = await openEmbeddedPostgres({ dataDir, role: 'service', log: quiet });
const pool = new pg.Pool({ connectionString: postgres.url, application_name: 'benchmark' });
pool.on('error', () => {}); // the server ends last
const env = {
  DATABASE_URL: postgres.url,
  ...broker.env(`bench.${randomUUID()}`),
  KAFKA_PARTITIONS: String(PARTITIONS),
};
await migrateRuntimeSchema(pool);
// Leads the index, so that no projector does.
const log = await openTestLog(env, { maxWaitMs: 60_000 });
const context = { log, sources: systemSources };
const owner = { name: 'Ann', currency: 'USD', plan: 'premium' as const, broadcastsPerMonth: 1 };
const { ownerId } = await createOwner(context, owner);
const bots: string[] = [];
for (let i = 0; i < BOTS; i++) bots.push((await createBot(context, { ownerId, name: `Shop ${i}` })).publicKey);
const USERS = 200;
for (const bot of bots) {
  const items = Array.from({ length: USERS }, (_, i) => ({ user_id: i + 1 }));
  await log.append({
    ...{ id: randomUUID(), stream: intakeStream(bot), expected: 'any', at: Date.now() },
    events: [{ type: 'users_imported', v: 1, data: { items } }],
  });
}

/** Backends that serve this program: backends that exist while no projector runs. */
const own = new Set<number>();
/** Processor time of the backends of projectors, by process id: also of backends that have ended since. */
const backends = new Map<number, number>();
const looking = setInterval(() => void lookAtBackends(), 1000);
const results = new Map<number, { us: number; usHere: number; shares: number[] }[]>(COUNTS.map((count) => [count, []]));
for (let round = 1; round <= ROUNDS; round++) {
  for (const count of round % 2 === 0 ? COUNTS : COUNTS.toReversed()) {
    const result = await measure(count);
    results.get(count)!.push(result);
    const shares = result.shares.map((share) => `${Math.round(100 * share)} %`).join(', ');
    console.log(
      `round ${round}, ${count} projectors: ${result.us.toFixed(1)} µs an event, ` +
        `${result.usHere.toFixed(1)} of them in Node.js; shares ${shares}`,
    );
  }
}
const mean = (count: number): number => {
  const all = results.get(count)!.map(({ us }) => us);
  return all.reduce((sum, us) => sum + us, 0) / all.length;
};
for (const count of COUNTS)
  console.log(
    `${count} projectors: ${mean(count).toFixed(1)} µs an event, ${(mean(count) / mean(COUNTS[0]!)).toFixed(2)} of ${COUNTS[0]}`,
  );

clearInterval(looking);
await log.close();
await pool.end();
await postgres.close();
await broker.stop();
await rm(dataDir, { recursive: true, force: true });

async function measure(count: number): Promise<{ us: number; usHere: number; shares: number[] }> {
  for (const pid of await connections()) own.add(pid);
  const projectors = await Promise.all(
    Array.from({ length: count }, () => serviceProcess({ ...env, ROLE: 'projector' })),
  );
  await Promise.all(projectors.map((each) => each.start()));
  await caughtUp();
  await shared(count);
  // A process that has just started compiles its code first. That would be counted for each process.
  await append(WARM_UP);
  await caughtUp();
  const before = await used(projectors);
  const applied = await Promise.all(projectors.map(eventsOf));
  await append(EVENTS);
  await caughtUp();
  const after = await used(projectors);
  const added = (await Promise.all(projectors.map(eventsOf))).map((events, i) => events - applied[i]!);
  await Promise.all(projectors.map((each) => each.kill('SIGTERM')));
  const total = added.reduce((sum, events) => sum + events, 0);
  const us = (seconds: number): number => (seconds * 1e6) / EVENTS;
  return {
    us: us(after.node - before.node + after.postgres - before.postgres),
    usHere: us(after.node - before.node),
    shares: added.map((events) => events / total),
  };
}

/** Appends the events in steps of a tenth of a second, spread over the bots. */
async function append(events: number): Promise<void> {
  const begun = performance.now();
  for (let sent = 0; sent < events; ) {
    const commits = Array.from({ length: Math.ceil(PER_SECOND / 10 / BATCH) }, (_, i) => {
      const bot = bots[(sent / BATCH + i) % bots.length]!;
      const items = Array.from({ length: BATCH }, (_, j) => ({ event_id: 1, user_id: ((sent + j * 7) % USERS) + 1 }));
      return log.append({
        ...{ id: randomUUID(), stream: intakeStream(bot), expected: 'any', at: Date.now() },
        events: [customEventsReceived.create({ items })],
      });
    });
    await Promise.all(commits);
    sent += commits.length * BATCH;
    const wait = begun + (1000 * sent) / PER_SECOND - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

async function caughtUp(): Promise<void> {
  const loads = readModels.map((model) => servedProgress(pool, model));
  await waitForReadModels(loads, await log.endCursor(), { pollMs: 100 });
}

/** Resolves when each projector has its groups of partitions of each read model. */
async function shared(count: number): Promise<void> {
  const groups = readModels.length * PARTITIONS;
  for (;;) {
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM runtime.leases
        WHERE name ~ '^projection [a-z_0-9]+/[0-9]+$' AND expires_at > clock_timestamp() GROUP BY holder`,
    );
    const sum = rows.reduce((all, { n }) => all + n, 0);
    if (rows.length === count && sum === groups && rows.every(({ n }) => n >= Math.floor(groups / count))) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function connections(): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'botledger %'`,
  );
  return rows.map(({ pid }) => pid);
}

async function lookAtBackends(): Promise<void> {
  for (const pid of (await connections()).filter((each) => !own.has(each)))
    backends.set(pid, Math.max(backends.get(pid) ?? 0, await processorSeconds([pid])));
}

/** Processor time so far: of the projectors, and of the backends that serve projectors. */
async function used(projectors: readonly ServiceProcess[]): Promise<{ node: number; postgres: number }> {
  await lookAtBackends();
  return {
    node: await processorSeconds(projectors.map((each) => each.pid())),
    postgres: [...backends.values()].reduce((sum, seconds) => sum + seconds, 0),
  };
}

/** Events that a projector has applied to the read model `events` since it started. */
async function eventsOf({ address }: ServiceProcess): Promise<number> {
  const metrics = await (await fetch(`${address}/metrics`)).text();
  return Number(/^botledger_projection_events_total\{projection="events"\} (\d+)/m.exec(metrics)?.[1] ?? 0);
}
