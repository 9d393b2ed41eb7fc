import { once } from 'node:events';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { systemSources } from '../src/util/system-sources.ts';
import { BENCH_EVENTS, batchBodies } from './batch-bodies.ts';
import { postLoad } from './load.ts';
import { median } from './quantile.ts';
import { startBenchService } from './service.ts';

/**
 * Intake in batches of 100, durable before the answer. The floor is COPY of the same events, one a row, into a table with the
 * log's columns and indexes, on the same PostgreSQL in the same run.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const SECONDS = Number(process.env['SECONDS'] ?? 5);
const CONNECTIONS = 16;
const BATCH = 100;
const COPY_EVENTS = 500_000;

const bodies = batchBodies(BATCH);
const service = await startBenchService({ ROLE: process.env['BENCH_ROLE'] ?? 'all' });
const client = new pg.Client({ connectionString: service.databaseUrl });
await client.connect();
await client.query('CREATE TABLE bench_copy (LIKE log.commits INCLUDING ALL)');
const floors: number[] = [];
const ours: number[] = [];
try {
  for (let round = 0; round <= ROUNDS; round++) {
    const floor = await copyRate(client);
    const load = { address: service.address, apiKey: service.apiKey, bodies, connections: CONNECTIONS };
    const own = await postLoad({ ...load, seconds: round === 0 ? 2 : SECONDS });
    if (round === 0) continue; // warm-up
    floors.push(floor);
    ours.push(own.requestsPerSecond * BATCH);
    console.log(
      `round ${round}: COPY ${floor.toFixed(0)}/s, intake ${ours.at(-1)!.toFixed(0)}/s, p50 ${own.p50} ms, p99 ${own.p99} ms, refused ${own.refused}`,
    );
  }
} finally {
  await client.end();
  await service.stop();
}
const ratios = ours.map((own, i) => own / floors[i]!);
console.log(`floor: COPY of the same bytes ${median(floors).toFixed(0)} events/s`);
console.log(
  `intake, batches of ${BATCH}: ${median(ours).toFixed(0)} events/s, ratio ${median(ratios).toFixed(2)} (target 0.5)`,
);

/** Events per second of one COPY, from the first byte until it is durable. */
async function copyRate(db: pg.Client): Promise<number> {
  await db.query('TRUNCATE bench_copy');
  const texts = BENCH_EVENTS.map((event) => JSON.stringify(event));
  const started = performance.now();
  const copy = db.query(copyFrom('COPY bench_copy (id, stream, body) FROM STDIN'));
  for (let sent = 0; sent < COPY_EVENTS; sent += texts.length) {
    const lines = texts.map((text) => `${systemSources.uuid()}\tintake-demo\t${text}\n`).join('');
    if (!copy.write(lines)) await once(copy, 'drain');
  }
  copy.end();
  await once(copy, 'finish');
  return COPY_EVENTS / ((performance.now() - started) / 1000);
}
