import { readdir } from 'node:fs/promises';
import pg from 'pg';
import { postLoad } from './load.ts';
import { processorSeconds, threadSeconds } from './proc.ts';
import { BENCH_USERS, projected, startBenchService } from './service.ts';

/**
 * Processor time of one event, from the request until the read models have it: of each thread of the service, and of each
 * kind of connection to PostgreSQL. BATCH: events of a request. On a busy machine these times grow less than elapsed times do.
 */
const BATCH = Number(process.env['BATCH'] ?? 1);
const SECONDS = Number(process.env['SECONDS'] ?? 20);
const CONNECTIONS = BATCH === 1 ? 100 : 16;
/** A stage of less is left out. */
const LEAST_US = 0.2;

const events = BENCH_USERS.map((user_id, i) => ({
  event: `event_${i % 20}`,
  user_id,
  value_num: 1000 + i,
  unit: 'USD',
  category: 'books',
}));
const bodies: string[] = [];
/** Few, since the client prepares all of them for each connection. */
for (let i = 0; i < events.length && bodies.length < 10; i += BATCH)
  bodies.push(JSON.stringify(BATCH === 1 ? events[i] : events.slice(i, i + BATCH)));

const service = await startBenchService();
const client = new pg.Client({ connectionString: service.databaseUrl, application_name: 'benchmark' });
await client.connect();
const load = { address: service.address, apiKey: service.apiKey, bodies, connections: CONNECTIONS };
await postLoad({ ...load, seconds: 5 }); // warm-up
await projected(service);
const before = await secondsByStage();
const { requestsPerSecond, seconds } = await postLoad({ ...load, seconds: SECONDS });
await projected(service);
const after = await secondsByStage();
await client.end();
await service.stop();

const sent = requestsPerSecond * seconds * BATCH;
let total = 0;
for (const [stage, used] of after) {
  const us = ((used - (before.get(stage) ?? 0)) * 1e6) / sent;
  total += us;
  if (us >= LEAST_US) console.log(`${stage.padEnd(36)} ${us.toFixed(1).padStart(6)} µs an event`);
}
console.log(`${'all'.padEnd(36)} ${total.toFixed(1).padStart(6)} µs an event, ${(sent / seconds).toFixed(0)} events/s`);

async function secondsByStage(): Promise<Map<string, number>> {
  const stages = new Map<string, number>();
  const pid = service.process.pid!;
  for (const thread of (await readdir(`/proc/${pid}/task`)).map(Number))
    stages.set(
      thread === pid ? 'service, main thread' : `service, thread ${thread - pid}`,
      await threadSeconds(pid, thread),
    );
  const { rows } = await client.query<{ name: string; pids: number[] }>(
    `SELECT coalesce(nullif(application_name, ''), backend_type) AS name, array_agg(pid) AS pids
       FROM pg_stat_activity WHERE pid <> pg_backend_pid() GROUP BY 1 ORDER BY 1`,
  );
  for (const { name, pids } of rows) stages.set(`PostgreSQL, ${name}`, await processorSeconds(pids));
  return stages;
}
