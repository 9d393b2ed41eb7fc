import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { makePlan } from '../../administration/upgrade/make-plan.ts';
import type { UpgradePlan } from '../../administration/upgrade/upgrade-plan.ts';
import { type Config, readConfig } from '../../config.ts';
import { isDatabaseDown } from '../../database/database-errors.ts';
import { readAccess } from '../../database/embedded/access-file.ts';
import { embeddedUrl } from '../../database/embedded/open-embedded-postgres.ts';
import { pendingMigrations } from '../../database/migrate.ts';
import { createPool } from '../../database/pool.ts';
import { RUNTIME_SCHEMA } from '../../database/runtime-schema.ts';
import { engineOf } from '../../log/engines.ts';
import type { EventLog } from '../../log/port.ts';
import { PROCESSES_SCHEMA } from '../../processes/process-states.ts';
import { loadReadModels } from '../../projections/load-read-model.ts';
import type { ReadModel } from '../../projections/read-model.ts';
import { PROOF_SCHEMA } from '../../queries/proof/proof-schema.ts';
import { openLog } from '../compose.ts';
import { createLogger } from '../logger.ts';
import { StartError } from '../start-failures.ts';

/** A trial's statements may write all of a sample. */
const ANSWER_WITHIN_MS = 600_000;

/**
 * Says what a start of this release changes in the running installation, and changes nothing: it writes only in transactions
 * that it rolls back.
 * @param env the environment of the service
 * @throws StartError there is no database; NewerDatabaseError a newer release has written it
 */
export async function planUpgrade(env: NodeJS.ProcessEnv, readModels?: readonly ReadModel[]): Promise<UpgradePlan> {
  const config = readConfig(env);
  const connectionString = await databaseOf(config);
  const pool = createPool({
    connectionString,
    max: 2,
    name: 'upgrade plan',
    maxWaitMs: config.MAX_WAIT_MS,
    answerWithinMs: ANSWER_WITHIN_MS,
    onError: () => {}, // the query on the connection also rejects
  });
  let log: EventLog | null = null;
  try {
    const engine = engineOf(config.EVENT_LOG);
    const ofLog = await engine.tables();
    const migrations = await pendingOf(pool, config, ofLog).catch((error: unknown) => {
      if (!isDatabaseDown(error)) throw error;
      const remedy =
        config.DATABASE_URL === undefined ? 'start the former release' : 'start its server, or correct DATABASE_URL';
      throw new StartError(`the database does not answer (${(error as Error).message}): ${remedy}, then plan`);
    });
    const models = readModels ?? (await loadReadModels());
    if (!migrations.some(({ schema }) => schema === ofLog.schema))
      log = await openLog(
        config,
        { connectionString, instance: randomUUID() },
        await createLogger('fatal', { fd: 2 }),
        {
          mayLead: false,
        },
      );
    const { signal } = new AbortController();
    return await makePlan({ ...{ pool, log, models, migrations, signal }, progress: () => {} });
  } finally {
    await log?.close();
    await pool.end();
  }
}

/** @throws StartError */
async function databaseOf({ DATABASE_URL, DATA_DIR }: Config): Promise<string> {
  if (DATABASE_URL !== undefined) return DATABASE_URL;
  const access = await readAccess(DATA_DIR);
  if (access === undefined)
    throw new StartError(`DATA_DIR: no service has started on ${DATA_DIR}; start the former release, then plan`);
  return embeddedUrl(access);
}

async function pendingOf(
  pool: pg.Pool,
  config: Config,
  ofLog: Parameters<typeof pendingMigrations>[1],
): Promise<UpgradePlan['migrations']> {
  const schemas = [ofLog, RUNTIME_SCHEMA, PROCESSES_SCHEMA, ...(config.PROOF === 'on' ? [PROOF_SCHEMA] : [])];
  const all = await Promise.all(
    schemas.map(async (tables) => ({ schema: tables.schema, names: await pendingMigrations(pool, tables) })),
  );
  return all.filter(({ names }) => names.length > 0);
}
