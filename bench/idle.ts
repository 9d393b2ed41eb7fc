import pg from 'pg';
import { childrenOf, parentOf, processorSeconds, residentMb, waitedForSeconds } from './proc.ts';
import { printThreadMemory, projected, startBenchService } from './service.ts';

/**
 * The cost of an idle service: processor time of its process and of its PostgreSQL, transactions, PostgreSQL's processes
 * and the service's resident size. Exits with 1 if a value is above its bound.
 */
const SECONDS = Number(process.env['SECONDS'] ?? 30);
/** The wait after a start until its connections are closed and its garbage is collected. */
const SETTLE_SECONDS = Number(process.env['SETTLE_SECONDS'] ?? 100);

interface Usage {
  readonly at: number;
  readonly serviceSeconds: number;
  readonly postgresSeconds: number;
  readonly transactions: number;
}

const service = await startBenchService();
await projected(service);
const postmaster = await findPostmaster();
await seconds(SETTLE_SECONDS);
const before = await usage();
await seconds(SECONDS);
const processes = 1 + (await childrenOf(postmaster)).length;
const after = await usage();
const resident = await residentMb(service.process.pid!);
await printThreadMemory(service);
await service.stop();

const elapsed = after.at - before.at;
const percent = (key: 'serviceSeconds' | 'postgresSeconds'): number => (100 * (after[key] - before[key])) / elapsed;
const [ofService, ofPostgres] = [percent('serviceSeconds'), percent('postgresSeconds')];
const transactions = (after.transactions - before.transactions) / elapsed;
console.log(`${elapsed.toFixed(0)} s of idling, ${SETTLE_SECONDS} s after the start`);
console.log(`service ${ofService.toFixed(1)} % of a core, PostgreSQL ${ofPostgres.toFixed(1)} %`);
check('together', ofService + ofPostgres, '% of a core', 1.5, 3);
check('transactions', transactions, 'a second', 10, 20);
check('PostgreSQL', processes, 'processes', 12, 16);
check('resident', resident, 'MB', 150, 200);

/** Compares a value with its aim and its bound. The bound is above the aim, since machines differ. */
function check(what: string, found: number, unit: string, aim: number, bound: number): void {
  const verdict = found <= aim ? 'met' : found <= bound ? `missed, within the bound of ${bound}` : `beyond ${bound}`;
  console.log(`${what}: ${found.toFixed(1)} ${unit} (aim ${aim}: ${verdict})`);
  if (found > bound) process.exitCode = 1;
}

async function usage(): Promise<Usage> {
  const transactions = await asked<{ count: string }>(
    'SELECT sum(xact_commit + xact_rollback) AS count FROM pg_stat_database',
  );
  const backends = await childrenOf(postmaster);
  return {
    at: performance.now() / 1000,
    serviceSeconds: await processorSeconds([service.process.pid!]),
    // The postmaster has the processor time of connections that have closed, since it has waited for them.
    postgresSeconds: (await processorSeconds([postmaster, ...backends])) + (await waitedForSeconds(postmaster)),
    transactions: Number(transactions.count),
  };
}

async function findPostmaster(): Promise<number> {
  const { pid } = await asked<{ pid: number }>(`SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`);
  return (await parentOf(pid))!;
}

/** Queries on a separate connection, so that the benchmark's connections are not counted. */
async function asked<Row>(question: string): Promise<Row> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  const { rows } = await client.query(question);
  await client.end();
  return rows[0] as Row;
}

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1000 * count));
}
