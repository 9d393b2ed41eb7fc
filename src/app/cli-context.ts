import type { Change, CliContext, ContextRunner } from '../cli/command.ts';
import { CliError, ReadModelWaitTimeoutError } from '../cli/command.ts';
import { readConfig } from '../config.ts';
import { FRESH_MS } from '../database/fresh-cache.ts';
import { engineOf } from '../log/engines.ts';
import { type Cursor, partitionOf } from '../log/port.ts';
import { catalogManifest } from '../projections/catalog/manifest.ts';
import { loadReadModel } from '../projections/load-read-model.ts';
import { type Manifest, type ReadModel, schemaOf } from '../projections/read-model.ts';
import { MANIFESTS } from '../projections/registry.ts';
import { runProjector, shareAmongProjectors } from '../projections/runtime/projector.ts';
import type { ProjectorOptions } from '../projections/runtime/projector-options.ts';
import { isFollowed, servedOf, versionsOf } from '../projections/runtime/versions.ts';
import { type LoadProgress, servedProgress, waitForReadModels } from '../projections/runtime/wait-for-read-models.ts';
import { createLifecycle } from '../util/lifecycle.ts';
import { pause } from '../util/pause.ts';
import { systemSources } from '../util/system-sources.ts';
import { type AnnounceOptions, announcedWait } from './announced-wait.ts';
import { type Foundation, openFoundation, openLog } from './compose.ts';
import { createLogger } from './logger.ts';

/**
 * A command waits at most this long until every running instance answers accordingly (decisions.md#command-returns).
 */
const WAIT_MS = 10_000;

/**
 * Opens the database and the log for a command, from the same environment as the service. It joins a running embedded
 * database, or starts one until the command ends; only a command that fills a new installation may create one. While no service projects the catalog, the command projects it, so
 * that it sees all that is in the log.
 * @param options.notice writes a line about a long wait
 * @param options.lowerPriority lowers the priority of this OS process
 */
export function cliContext(
  env: NodeJS.ProcessEnv,
  {
    progress = () => {},
    notice = () => {},
    lowerPriority = () => {},
  }: Partial<Pick<CliContext, 'progress'> & Pick<AnnounceOptions, 'notice'>> & { lowerPriority?: () => void } = {},
  /** For tests: the read models instead of all. */
  changed?: readonly ReadModel[],
): ContextRunner {
  const manifests: readonly Manifest[] = changed ?? MANIFESTS;
  const current = ({ name }: Manifest): Manifest => manifests.find((each) => each.name === name)!;
  return async (work, { mayCreateDatabase = false } = {}) => {
    const config = readConfig(env);
    // A person reads the command's output. Without LOG_LEVEL, only fatal log lines are written beside it.
    const logger = await createLogger(env['LOG_LEVEL'] ? config.LOG_LEVEL : 'fatal', { fd: 2 });
    const lifecycle = createLifecycle();
    try {
      const foundation = await openFoundation(config, 'command', logger, lifecycle, { mayCreateDatabase });
      const { pool, log, snapshots, instance } = foundation;
      const logInDatabase = engineOf(config.EVENT_LOG).config.servers(config).length === 0;
      const announced = <T>(wait: Promise<T>, what: string): Promise<T> =>
        announcedWait(wait, what, { pool, logInDatabase, notice });
      const stopping = new AbortController();
      const shared = shareAmongProjectors(pool, instance, logger);
      const projector = async ({ name }: Manifest): Promise<ProjectorOptions> => ({
        model: changed?.find((each) => each.name === name) ?? (await loadReadModel(name)),
        log,
        ...shared,
        logger,
        onBadEvent: 'stop',
        standBy: true,
        signal: stopping.signal,
      });
      const yielding = new AbortController();
      const standByEnds = AbortSignal.any([stopping.signal, yielding.signal]);
      const standBy = async (model: Manifest): Promise<void> => {
        await runProjector({ ...(await projector(model)), signal: standByEnds }, true);
      };
      const projecting = new Map([[catalogManifest.name, standBy(catalogManifest)]]);
      lifecycle.started('projectors', async () => {
        stopping.abort();
        await Promise.all(projecting.values());
      });
      const logEnd = await log.endCursor();
      const projected: CliContext['projected'] = async (asked) => {
        const model = current(asked);
        const { name } = model;
        if (!standByEnds.aborted && !projecting.has(name)) projecting.set(name, standBy(model));
        const caughtUp = waitForReadModels([servedProgress(pool, model)], logEnd, { timeoutMs: WAIT_MS });
        if (!(await announced(caughtUp, `the read model ${name} to catch up with the log`)))
          throw new CliError(`the read model ${name} did not catch up with the log within ${WAIT_MS / 1000} s`);
        const { version } = servedOf(await versionsOf(pool, model))!;
        return { pool, schema: schemaOf(name, version) };
      };
      const context: CliContext = {
        log,
        pool,
        snapshots,
        sources: systemSources,
        manifests,
        projector,
        catalog: () => projected(catalogManifest),
        projected,
        waitForReadModels: (change) =>
          announced(waitForChange(foundation, manifests, change), 'the recorded change to be in effect'),
        applied: (change) => hasApplied(foundation, manifests, change),
        async answering(model) {
          const served = servedOf(await versionsOf(pool, current(model)));
          return served === null ? null : { pool, schema: schemaOf(served.name, served.version) };
        },
        waitForSwitch: () => pause(SWITCH_MS),
        allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
        async openLog(engine) {
          if (engine === log.engine) return log;
          const opened = await openLog(readConfig({ ...env, EVENT_LOG: engine }), foundation, logger);
          lifecycle.started(`log on ${engine}`, () => opened.close());
          return opened;
        },
        signal: stopping.signal,
        async yieldToService() {
          if (!(await isServed(foundation))) return;
          yielding.abort();
          foundation.yieldToService();
          await Promise.all(projecting.values());
          lowerPriority();
        },
        progress,
        standardOutput: process.stdout,
        notice,
        destinations: {
          clickHouseUrl: config.EXPORT_CLICKHOUSE_URL,
          s3: {
            url: config.EXPORT_S3_URL,
            region: config.EXPORT_S3_REGION,
            accessKeyId: config.EXPORT_S3_ACCESS_KEY_ID,
            secretAccessKey: config.EXPORT_S3_SECRET_ACCESS_KEY,
          },
        },
      };
      return await work(context);
    } finally {
      await lifecycle.stop();
    }
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
): Promise<void> {
  if (position === undefined) return;
  const written: Cursor = new Map([[partitionOf(position), position]]);
  const followed: LoadProgress[] = [];
  for (const model of manifests)
    if (model.categories.includes(category) && (await hasProjector(pool, model)))
      followed.push(servedProgress(pool, model, revalues));
  if (!(await waitForReadModels(followed, written, { timeoutMs: WAIT_MS })))
    throw new ReadModelWaitTimeoutError(WAIT_MS / 1000);
  if (replaces) await pause(FRESH_MS);
}

/** A long import asks after each part of its file. */
const APPLIED_POLL_MS = 25;

/** Whether the read models of a service apply the change within WAIT_MS. One that has stopped is not waited for. */
async function hasApplied(
  { pool }: Foundation,
  manifests: readonly Manifest[],
  { category, position }: Change,
): Promise<boolean> {
  if (position === undefined) return true;
  const models = manifests.filter(({ categories }) => categories.includes(category));
  const followed: LoadProgress[] = [];
  for (const model of models) {
    const served = servedOf(await versionsOf(pool, model));
    if (served === null || served.error !== null || !(await isFollowed(pool, served.name, served.version))) continue;
    followed.push(servedProgress(pool, model, false));
  }
  const written: Cursor = new Map([[partitionOf(position), position]]);
  const timing = { timeoutMs: WAIT_MS, pollMs: APPLIED_POLL_MS };
  return (await waitForReadModels(followed, written, timing)) !== null && followed.length === models.length;
}

/** Whether a service runs, that is, another instance projects the catalog. */
async function isServed({ pool, instance }: Foundation): Promise<boolean> {
  const served = servedOf(await versionsOf(pool, catalogManifest));
  return served !== null && isFollowed(pool, served.name, served.version, instance);
}

/** Whether a projector follows the read model. If none does, no service answers from it, so a command need not wait. */
async function hasProjector(pool: Foundation['pool'], model: Manifest): Promise<boolean> {
  if (model.name === catalogManifest.name) return true;
  const served = servedOf(await versionsOf(pool, model));
  return served !== null && isFollowed(pool, served.name, served.version);
}
