import type pg from 'pg';
import {
  type Change,
  type CliContext,
  CliError,
  type ContextRunner,
  ReadModelWaitTimeoutError,
} from '../cli/command.ts';
import { type Config, readConfig } from '../config.ts';
import { FRESH_MS } from '../database/fresh-cache.ts';
import { oldestWriter } from '../database/oldest-writer.ts';
import { engineOf } from '../log/engines.ts';
import { type Cursor, partitionOf } from '../log/port.ts';
import { catalogManifest } from '../projections/catalog/manifest.ts';
import type { Manifest, ReadModel } from '../projections/read-model.ts';
import { createPatientReader } from '../projections/reader.ts';
import { MANIFESTS, type ReadModelName } from '../projections/registry.ts';
import { servedVersion } from '../projections/runtime/served-version.ts';
import { isFollowed } from '../projections/runtime/versions.ts';
import { type LoadProgress, servedProgress, waitForReadModels } from '../projections/runtime/wait-for-read-models.ts';
import { counted } from '../util/counted.ts';
import { pause } from '../util/pause.ts';
import { createLifecycle } from '../util/stop-in-order.ts';
import { systemSources } from '../util/system-sources.ts';
import { type Foundation, openFoundation, openLog } from './compose.ts';
import { createLogger } from './logger.ts';
import { StandByProjectors } from './stand-by-projectors.ts';

/**
 * A command waits at most this long until every running instance answers accordingly (decisions.md#command-returns).
 */
const WAIT_MS = 10_000;
/** At most so many quarantined bots are named. */
const NAMED_BOTS = 5;

/**
 * Opens the database and the log for a command, from the same environment as the service. It joins a running embedded
 * database, or starts one until the command ends; only a command that fills a new installation may create one. While no service projects the catalog, the command projects it, so
 * that it sees all that is in the log.
 * @param options.notice writes a line about a long wait
 * @param options.lowerPriority lowers the priority of this OS process
 * @param options.waitMs for tests on a slow machine: the longest wait for read models
 */
export function cliContext(
  env: NodeJS.ProcessEnv,
  {
    progress = () => {},
    notice = () => {},
    lowerPriority = () => {},
    waitMs = WAIT_MS,
  }: Partial<Pick<CliContext, 'progress'> & Pick<AnnounceOptions, 'notice'>> & {
    lowerPriority?: () => void;
    waitMs?: number;
  } = {},
  /** For tests: the read models instead of all. */
  changed?: readonly ReadModel[],
): ContextRunner {
  return async (work, { mayCreateDatabase = false } = {}) => {
    const config = readConfig(env);
    // A person reads the command's output. Without LOG_LEVEL, only fatal log lines are also written.
    const logger = await createLogger(env['LOG_LEVEL'] ? config.LOG_LEVEL : 'fatal', { fd: 2 });
    const lifecycle = createLifecycle();
    try {
      const foundation = await openFoundation(config, 'command', logger, lifecycle, { mayCreateDatabase });
      const { log } = foundation;
      const projectors = new StandByProjectors(foundation, logger, changed);
      projectors.begin(catalogManifest);
      lifecycle.started('projectors', () => projectors.stop());
      const logEnd = await log.endCursor();
      return await work({
        ...readModelsOf({ foundation, config, projectors, logEnd, notice, waitMs, manifests: changed ?? MANIFESTS }),
        log,
        pool: foundation.pool,
        sources: systemSources,
        allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
        checkpointKey: config.PROOF === 'on' ? config.CHECKPOINT_KEY : undefined,
        witnessPolicy: config.WITNESS_POLICY,
        async openLog(engine) {
          if (engine === log.engine) return log;
          const opened = await openLog(readConfig({ ...env, EVENT_LOG: engine }), foundation, logger);
          lifecycle.started(`log on ${engine}`, () => opened.close());
          return opened;
        },
        signal: projectors.signal,
        async yieldToService() {
          if (!(await isServed(foundation))) return;
          const ended = projectors.yieldToService();
          foundation.yieldToService();
          await ended;
          lowerPriority();
        },
        progress,
        standardOutput: process.stdout,
        notice,
        destinations: destinationsOf(config),
      });
    } finally {
      await lifecycle.stop();
    }
  };
}

function destinationsOf(config: Config): CliContext['destinations'] {
  return {
    clickHouseUrl: config.EXPORT_CLICKHOUSE_URL,
    s3: {
      url: config.EXPORT_S3_URL,
      region: config.EXPORT_S3_REGION,
      accessKeyId: config.EXPORT_S3_ACCESS_KEY_ID,
      secretAccessKey: config.EXPORT_S3_SECRET_ACCESS_KEY,
    },
  };
}

type ReadModelsOfCommand = Pick<
  CliContext,
  'manifests' | 'projector' | 'at' | 'waitForReadModels' | 'applied' | 'answering' | 'waitForSwitch'
>;

interface ReadModelsOptions extends Pick<AnnounceOptions, 'notice'> {
  readonly foundation: Foundation;
  readonly config: Config;
  readonly projectors: StandByProjectors;
  /** The log end when the command began. */
  readonly logEnd: Cursor;
  readonly waitMs: number;
  readonly manifests: readonly Manifest[];
}

/** The read models as a command reads and follows them. */
function readModelsOf(options: ReadModelsOptions): ReadModelsOfCommand {
  const { foundation, config, projectors, logEnd, notice, waitMs, manifests } = options;
  const { pool } = foundation;
  const logInDatabase = engineOf(config.EVENT_LOG).config.servers(config).length === 0;
  const announced = <T>(wait: Promise<T>, what: string): Promise<T> =>
    announcedWait(wait, what, { pool, logInDatabase, notice });
  const current = (name: ReadModelName): Manifest => manifests.find((each) => each.name === name)!;
  const catchUp = async (name: ReadModelName): Promise<Manifest> => {
    const model = current(name);
    projectors.begin(model);
    const caughtUp = waitForReadModels([servedProgress(pool, model)], logEnd, { timeoutMs: waitMs });
    const progress = await announced(caughtUp, `the read model ${name} to catch up with the log`);
    if (progress === null)
      throw new CliError(`the read model ${name} did not catch up with the log within ${waitMs / 1000} s`);
    const bots = [...(progress[0]!.quarantined?.keys() ?? [])];
    for (const bot of bots.slice(0, NAMED_BOTS))
      notice(`bot ${bot} is quarantined in ${name}: what is shown of it may be old (botledger dead-letter list)`);
    if (bots.length > NAMED_BOTS)
      notice(`so ${bots.length === NAMED_BOTS + 1 ? 'is' : 'are'} ${counted(bots.length - NAMED_BOTS, 'other bot')}`);
    return model;
  };
  return {
    manifests,
    projector: async (model) => ({
      ...(await projectors.optionsOf(model)),
      onWait: (what) => notice(`waiting for ${what}`),
    }),
    at: createPatientReader(pool, catchUp).at,
    waitForReadModels: (change) =>
      announced(waitForChange(foundation, manifests, change, waitMs), 'the recorded change to be in effect'),
    applied: (change) => hasApplied(foundation, manifests, change, waitMs),
    async answering(name) {
      const isBuilt = (await servedVersion(pool, current(name))) !== null;
      return isBuilt ? createPatientReader(pool, async () => current(name)).at(name) : null;
    },
    waitForSwitch: () => pause(SWITCH_MS),
  };
}

/**
 * Each instance reads every FRESH_MS which version is live. The second FRESH_MS is for queries that began before that.
 */
const SWITCH_MS = 2 * FRESH_MS;

/** Waits until the read models that a projector follows have applied the change. @throws ReadModelWaitTimeoutError */
async function waitForChange(
  { pool }: Foundation,
  manifests: readonly Manifest[],
  { category, position, replaces = false, revalues = false }: Change,
  waitMs: number,
): Promise<void> {
  if (position === undefined) return;
  const written: Cursor = new Map([[partitionOf(position), position]]);
  const followed: LoadProgress[] = [];
  for (const model of manifests)
    if (model.categories.includes(category) && (await hasProjector(pool, model)))
      followed.push(servedProgress(pool, model, revalues));
  if (!(await waitForReadModels(followed, written, { timeoutMs: waitMs })))
    throw new ReadModelWaitTimeoutError(waitMs / 1000);
  if (replaces) await pause(FRESH_MS);
}

/** A long import asks after each part of its file. */
const APPLIED_POLL_MS = 25;

/** Whether the read models of a service apply the change within `waitMs`. One that has stopped is not waited for. */
async function hasApplied(
  { pool }: Foundation,
  manifests: readonly Manifest[],
  { category, position }: Change,
  waitMs: number,
): Promise<boolean> {
  if (position === undefined) return true;
  const models = manifests.filter(({ categories }) => categories.includes(category));
  const followed: LoadProgress[] = [];
  for (const model of models) {
    const served = await servedVersion(pool, model);
    if (served === null || served.error !== null || !(await isFollowed(pool, served.name, served.version))) continue;
    followed.push(servedProgress(pool, model, false));
  }
  const written: Cursor = new Map([[partitionOf(position), position]]);
  const timing = { timeoutMs: waitMs, pollMs: APPLIED_POLL_MS };
  return (await waitForReadModels(followed, written, timing)) !== null && followed.length === models.length;
}

/** Whether a service runs, that is, another instance projects the catalog. */
async function isServed({ pool, instance }: Foundation): Promise<boolean> {
  const served = await servedVersion(pool, catalogManifest);
  return served !== null && isFollowed(pool, served.name, served.version, instance);
}

/** Whether a projector follows the read model. If none does, no service answers from it, so a command need not wait. */
async function hasProjector(pool: Foundation['pool'], model: Manifest): Promise<boolean> {
  if (model.name === catalogManifest.name) return true;
  const served = await servedVersion(pool, model);
  return served !== null && isFollowed(pool, served.name, served.version);
}

/** How long a wait of a command is silent. */
const ANNOUNCE_MS = 1000;

interface AnnounceOptions {
  readonly pool: pg.Pool;
  /** Whether the log is in the database of `pool`, where an open write transaction holds its readers back. */
  readonly logInDatabase: boolean;
  /** Writes a line for a person. */
  readonly notice: (line: string) => void;
}

/**
 * Resolves as `wait` does. After 1 s it writes a line with the reason for the wait, and with the open transaction that
 * holds the readers of the log back, if there is one (decisions.md#command-wait).
 * @param what such as `the read model catalog to catch up with the log`
 */
async function announcedWait<T>(
  wait: Promise<T>,
  what: string,
  { pool, logInDatabase, notice }: AnnounceOptions,
): Promise<T> {
  const announce = async (): Promise<void> => {
    const cause = logInDatabase ? await causeIn(pool) : null;
    notice(`waiting for ${what}${cause === null ? '' : `: ${cause}`}`);
  };
  const timer = setTimeout(() => {
    announce().catch((error: unknown) => notice(`waiting for ${what}; failed to find out why: ${String(error)}`));
  }, ANNOUNCE_MS);
  try {
    return await wait;
  } finally {
    clearTimeout(timer);
  }
}

/** Names the oldest open write transaction, and how to end it; null if there is none. */
async function causeIn(pool: pg.Pool): Promise<string | null> {
  const oldest = await oldestWriter(pool);
  if (oldest === null) return null;
  const { pid, seconds, program } = oldest;
  const of = program === null ? `pid ${pid}` : `pid ${pid} (${program})`;
  const end = program?.startsWith('botledger ') ? '' : `; end it there, or by SELECT pg_terminate_backend(${pid})`;
  return `the readers of the log wait for the transaction of ${of}, open for ${Math.round(seconds)} s${end}`;
}
