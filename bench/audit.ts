import pg from 'pg';
import { pino } from 'pino';
import type { LongWorkContext } from '../src/administration/administration-context.ts';
import { auditAccounts } from '../src/administration/audit-accounts.ts';
import { auditLedger } from '../src/administration/audit-ledger.ts';
import { ANY_CATEGORIES } from '../src/domain/streams.ts';
import { auditLog } from '../src/log/log-audit.ts';
import { openPostgresLog } from '../src/log/postgres/postgres-log.ts';
import { loadReadModel } from '../src/projections/load-read-model.ts';
import { createPatientReader } from '../src/projections/reader.ts';
import { MANIFESTS, manifestOf } from '../src/projections/registry.ts';
import { shareAmongProjectors } from '../src/projections/runtime/projector.ts';
import { servedVersion } from '../src/projections/runtime/served-version.ts';
import { verify } from '../src/projections/runtime/verify.ts';
import { systemSources } from '../src/util/system-sources.ts';
import { processorSeconds } from './proc.ts';
import { startBenchService } from './service.ts';
import { fillShop } from './shop.ts';

/**
 * How long `audit verify` takes, part by part and as a whole, over EVENTS events of USERS users, of which one in twenty earns
 * a reward. The floor reads every record of the log and decodes it.
 *
 *   EVENTS=1000000 USERS=100000 npx tsx bench/audit.ts
 */

const EVENTS = Number(process.env['EVENTS'] ?? 1_000_000);
const USERS = Number(process.env['USERS'] ?? 100_000);

const service = await startBenchService();
const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 16 });
const log = await openPostgresLog({ connectionString: service.databaseUrl, anyCategories: ANY_CATEGORIES });
try {
  await fillShop(service, { users: USERS, events: EVENTS });
  await parts();
} finally {
  await log.close();
  await pool.end();
  await service.stop();
}

async function parts(): Promise<void> {
  const { signal } = new AbortController();
  const logger = pino({ level: 'silent' });
  const shared = shareAmongProjectors(pool, 'bench', logger);
  const context: LongWorkContext = {
    log,
    pool,
    sources: systemSources,
    checkpointKey: undefined,
    witnessPolicy: undefined,
    manifests: MANIFESTS,
    waitForSwitch: async () => {},
    projector: async ({ name }) => ({
      ...shared,
      model: await loadReadModel(name),
      log,
      logger,
      onBadEvent: 'stop',
      signal,
    }),
    at: createPatientReader(pool, async (name) => manifestOf(name)).at,
    signal,
    progress: () => {},
  };
  await timed('floor: the log read and decoded', async () => {
    for await (const _ of log.storedRecords(signal));
  });
  await timed('the chains', () => all(auditLog({ log, pool, signal, onProgress: () => {}, onEnd: () => {} })));
  await timed('the accounts', () => all(auditAccounts(context, undefined, () => {})));
  for (const model of MANIFESTS)
    await timed(`the read model ${model.name}`, async () => {
      const version = (await servedVersion(pool, model))!;
      const watch = { onCommits: () => {}, onTables: () => {} };
      const { differences } = await verify(await context.projector(model), version, watch);
      if (differences.length > 0) throw new Error(JSON.stringify(differences));
    });
  await timed('audit verify', async () => {
    const { count, note } = await auditLedger(context, undefined);
    console.log(note);
    if (count > 0) throw new Error(`${count} findings`);
  });
}

async function all(findings: AsyncIterable<unknown>): Promise<void> {
  for await (const finding of findings) throw new Error(JSON.stringify(finding));
}

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const [used, servers, started] = [await processorSeconds([process.pid]), await serverSeconds(), performance.now()];
  await work();
  const seconds = (performance.now() - started) / 1000;
  const [here, there] = [(await processorSeconds([process.pid])) - used, (await serverSeconds()) - servers];
  console.log(
    `${what}: ${seconds.toFixed(1)} s; processor ${here.toFixed(1)} s here, ${there.toFixed(1)} s at the server`,
  );
}

/** Processor time so far of the server's OS processes that run now, in seconds. */
async function serverSeconds(): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
  return processorSeconds(rows.map(({ pid }) => pid));
}
