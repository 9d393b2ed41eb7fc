import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import type pg from 'pg';
import type { EventsOfLog, PlannedReadModel, UpgradePlan } from '../../administration/upgrade-plan.ts';
import { type Config, readConfig } from '../../config.ts';
import { isDatabaseDown } from '../../database/database-errors.ts';
import { readAccess } from '../../database/embedded/access-file.ts';
import { embeddedUrl } from '../../database/embedded/open-embedded-postgres.ts';
import { pendingMigrations } from '../../database/migrate.ts';
import { createPool } from '../../database/pool.ts';
import { RUNTIME_SCHEMA } from '../../database/runtime-schema.ts';
import { engineOf } from '../../log/engines.ts';
import type { EventLog, RecordedCommit } from '../../log/port.ts';
import { categoryOf } from '../../log/stream-name.ts';
import { PROCESSES_SCHEMA } from '../../processes/process-states.ts';
import { loadReadModels } from '../../projections/load-read-model.ts';
import { type ReadModel, schemaOf } from '../../projections/read-model.ts';
import { itemsOf } from '../../projections/runtime/read-commits.ts';
import type { Version } from '../../projections/runtime/versions.ts';
import { PROOF_SCHEMA } from '../../queries/proof/proof-schema.ts';
import { openLog } from '../compose.ts';
import { createLogger } from '../logger.ts';
import { StartError } from '../start-failures.ts';
import { scanLog } from './scan-log.ts';
import { stepsOf } from './steps.ts';
import { tryBuild } from './try-build.ts';

const { version: RELEASE } = createRequire(import.meta.url)('../../../package.json') as { version: string };

/** A sample has one of so many commits, within these bounds. */
const SAMPLE_OF = 100;
const LEAST_SAMPLE = 500;
const MOST_ITEMS = 30_000;
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
    const { events, planned } = await planReadModels(pool, log, models);
    const plan = { release: RELEASE, migrations, read_models: planned, events };
    return { ...plan, steps: stepsOf(plan) };
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

/** The first commits that a read model reads, and how many there are. */
interface Sample {
  readonly commits: RecordedCommit[];
  items: number;
  total: number;
}

async function planReadModels(pool: pg.Pool, log: EventLog | null, models: readonly ReadModel[]) {
  const versions = await versionsIn(pool);
  const samples = new Map<ReadModel, Sample>(
    models.filter((model) => isBuilt(model, versions)).map((model) => [model, { commits: [], items: 0, total: 0 }]),
  );
  const most = log === null ? 0 : Math.max(LEAST_SAMPLE, (await log.lag(new Map())).commits / SAMPLE_OF);
  const events: EventsOfLog | null =
    log === null
      ? null
      : await scanLog(log, (commit) => {
          for (const [model, sample] of samples) {
            if (!model.categories.includes(categoryOf(commit.stream))) continue;
            sample.total++;
            if (sample.commits.length >= most || sample.items >= MOST_ITEMS) continue;
            sample.commits.push(commit);
            sample.items += itemsOf(commit);
          }
        });
  const planned: PlannedReadModel[] = [];
  for (const model of models) {
    const own = versions.filter(({ name }) => name === model.name);
    const sample = samples.get(model);
    const row = {
      ...{ name: model.name, from_shape: own.at(-1)?.shape ?? null, to_shape: model.shape },
      serves_former: sample !== undefined && own.some(({ shape }) => shape === model.former?.shape),
    };
    if (log === null || sample === undefined) {
      planned.push({
        ...row,
        is_built: sample !== undefined,
        changes: [],
        commits: null,
        seconds: null,
        disk_bytes: null,
      });
      continue;
    }
    const live = own.find(({ state }) => state === 'live');
    const schema = live === undefined ? null : schemaOf(live.name, live.version);
    const tried = await tryBuild({ pool, keys: log.keys, model, live: schema, commits: sample.commits });
    const times = sample.commits.length === 0 ? 0 : sample.total / sample.commits.length;
    planned.push({
      ...{ ...row, is_built: true, changes: tried.changes, commits: sample.total },
      seconds: tried.sample === null ? null : Math.round(tried.sample.seconds * times * 10) / 10,
      disk_bytes: tried.sample === null ? null : Math.round(tried.sample.bytes * times),
    });
  }
  return { events, planned };
}

/** Whether a start of this release builds the read model: no version has its shape. */
function isBuilt({ name, shape }: ReadModel, versions: readonly PlannedVersion[]): boolean {
  return !versions.some((version) => version.name === name && version.shape === shape);
}

type PlannedVersion = Pick<Version, 'name' | 'version' | 'shape' | 'state'>;

/** The versions, by columns that every release has: what this one adds is not migrated yet. */
async function versionsIn(pool: pg.Pool): Promise<PlannedVersion[]> {
  const { rows } = await pool.query<{ found: boolean }>(
    `SELECT to_regclass('runtime.read_models') IS NOT NULL AS found`,
  );
  if (!rows[0]!.found) return [];
  const versions = await pool.query<PlannedVersion>(
    `SELECT name, version, shape, state FROM runtime.read_models
      WHERE state <> 'dropped' AND EXISTS (SELECT FROM pg_namespace WHERE nspname = name || '_v' || version)
      ORDER BY name, version`,
  );
  return versions.rows;
}
