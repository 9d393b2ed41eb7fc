import pg from 'pg';
import { batchBodies } from './batch-bodies.ts';
import { postLoad } from './load.ts';
import { childrenOf, parentOf, processorSeconds, residentMb, waitedForSeconds } from './proc.ts';
import { median } from './quantile.ts';
import { packed } from './report-events.ts';
import { type BenchService, projected, startBenchService } from './service.ts';

/**
 * Intake of whole services: the prototype of events as segments (segments/, docs/adr/0035-segments-of-events-are-proved-in-part.md) next to today's, in turn in one run. Needs
 * `npm run build`. Processor time counts: elapsed times depend on the load of others.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const SECONDS = Number(process.env['SECONDS'] ?? 8);
const BATCH = Number(process.env['BATCH'] ?? 100);
interface Side {
  readonly name: string;
  readonly service: BenchService;
  readonly client: pg.Client;
  /** The OS process of the database server. */
  readonly postmaster: number;
}

const sides: Side[] = [];

async function open(name: string, env: Record<string, string>): Promise<Side> {
  const service = await startBenchService({ REPORT_TIMEOUT_MS: '60000', MAX_WAIT_MS: '60000', ...env });
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return { name, service, client, postmaster: (await parentOf(rows[0]!.pid))! };
}

/** Processor time of the service and its database so far. */
async function usedSeconds({
  service,
  postmaster,
}: Side): Promise<{ readonly service: number; readonly database: number }> {
  const database = await processorSeconds(await childrenOf(postmaster));
  return {
    service: await processorSeconds([service.process.pid!]),
    database: database + (await waitedForSeconds(postmaster)),
  };
}

async function settled({ service, client }: Side): Promise<void> {
  await projected(service);
  await packed(service, client);
}

/** Both sides work for each figure; prints their medians and the ratio of segments to today. */
function show(what: string, unit: string, values: readonly (readonly number[])[], digits = 1): void {
  const [today, segments] = values.map((each) => median(each));
  const cells = [today, segments].map((value) => value!.toFixed(digits).padStart(9));
  console.log(`${what.padEnd(44)} ${cells.join(' ')} ${unit.padEnd(6)} ${(segments! / today!).toFixed(2)}`);
}

async function measureIntake(): Promise<void> {
  const bodies = batchBodies(BATCH);
  const figures = {
    rate: [[], []],
    counted: [[], []],
    service: [[], []],
    database: [[], []],
    memory: [[], []],
  } as Record<string, number[][]>;
  for (let round = 0; round <= ROUNDS; round++)
    for (const i of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const { service } = sides[i]!;
      const before = await usedSeconds(sides[i]!);
      const began = performance.now();
      const load = { address: service.address, apiKey: service.apiKey, bodies, connections: 16 };
      const { requestsPerSecond, seconds } = await postLoad({
        ...load,
        seconds: round === 0 ? 3 : SECONDS,
      });
      await projected(service);
      const all = (performance.now() - began) / 1000;
      await settled(sides[i]!);
      const after = await usedSeconds(sides[i]!);
      if (round === 0) continue;
      const sent = requestsPerSecond * seconds * BATCH;
      const perEvent = (used: 'service' | 'database') => ((after[used] - before[used]) * 1e6) / sent;
      figures['rate']![i]!.push(sent / seconds);
      figures['counted']![i]!.push(sent / all);
      figures['service']![i]!.push(perEvent('service'));
      figures['database']![i]!.push(perEvent('database'));
      figures['memory']![i]!.push(await residentMb(service.process.pid!));
    }
  show(`intake, ${BATCH} a request: accepted`, '1/s', figures['rate']!, 0);
  show('the same until all are counted', '1/s', figures['counted']!, 0);
  show('processor time of an event: service', 'µs', figures['service']!);
  show('processor time of an event: PostgreSQL', 'µs', figures['database']!);
  for (const [i, { name }] of sides.entries())
    console.log(
      `memory of ${name} after each round: ${figures['memory']![i]!.map((mb) => mb.toFixed(0)).join(', ')} MB`,
    );
}

sides.push(
  await open('today', {}),
  await open('segments', { NODE_OPTIONS: `--import ${import.meta.dirname}/segments/register.mjs` }),
);
try {
  await measureIntake();
} finally {
  for (const { client, service } of sides) {
    await client.end();
    await service.stop();
  }
}
