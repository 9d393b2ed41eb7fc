import pg from 'pg';
import { postLoad } from './load.ts';
import { BENCH_USERS, projected, startBenchService } from './service.ts';

/**
 * Bytes of one event: in the log, in rows with their indexes, and packed. Each figure is the growth of tables between two
 * moments, per event that was sent between them.
 */
const SECONDS = Number(process.env['SECONDS'] ?? 8);

/** Tables of each part, as schema and name. */
const PARTS: readonly { readonly name: string; readonly tables: string }[] = [
  { name: 'log', tables: "schemaname = 'log'" },
  { name: 'rows of events', tables: "schemaname LIKE 'events_v%' AND relname = 'events'" },
  { name: 'packed events', tables: "schemaname LIKE 'events_v%' AND relname = 'chunks'" },
];

const service = await startBenchService();
const client = new pg.Client({ connectionString: service.databaseUrl });
await client.connect();
for (const batch of [1, 100, 1000]) {
  const before = await sizes();
  const events = BENCH_USERS.map((user_id, i) => ({
    event: `event_${i % 20}`,
    user_id,
    value_num: 1000 + i,
    unit: 'USD',
    category: `category_${i % 40}`,
  }));
  const bodies = [JSON.stringify(batch === 1 ? events[0] : events.slice(0, batch))];
  const load = { address: service.address, apiKey: service.apiKey, bodies, connections: 16, seconds: SECONDS };
  const { requestsPerSecond, seconds } = await postLoad(load);
  await projected(service);
  await packed();
  const after = await sizes();
  const sent = requestsPerSecond * seconds * batch;
  const parts = PARTS.map(({ name }, i) => `${name} ${((after[i]! - before[i]!) / sent).toFixed(0)}`);
  console.log(`${batch} a request, ${Math.round(sent)} events, bytes an event: ${parts.join(', ')}`);
}
await client.end();
await service.stop();

async function sizes(): Promise<number[]> {
  const measured: number[] = [];
  for (const { tables } of PARTS) {
    const { rows } = await client.query<{ bytes: number }>(
      `SELECT coalesce(sum(pg_total_relation_size(relid)), 0)::float8 AS bytes FROM pg_stat_user_tables WHERE ${tables}`,
    );
    measured.push(rows[0]!.bytes);
  }
  return measured;
}

/** Resolves when packing has nothing to do. */
async function packed(): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT FROM events_v1.packing_due LIMIT 1');
    if (rows.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
