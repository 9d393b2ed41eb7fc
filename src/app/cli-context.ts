import type { Change, CliContext, ContextRunner } from '../cli/command.ts';
import { CliError, ReadModelWaitTimeoutError } from '../cli/command.ts';
import { readConfig } from '../config.ts';
import { FRESH_MS } from '../database/fresh-cache.ts';
import { isHeld, isHeldByOther } from '../database/lease.ts';
import { type Cursor, partitionOf } from '../log/port.ts';
import { catalogReadModel } from '../projections/catalog/read-model.ts';
import { type ReadModel, schemaOf } from '../projections/read-model.ts';
import { type ProjectorOptions, runProjector, shareAmongProjectors } from '../projections/runtime/projector.ts';
import { leaseOf, servedOf, versionsOf } from '../projections/runtime/versions.ts';
import { type LoadProgress, servedProgress, waitForReadModels } from '../projections/runtime/wait-for-read-models.ts';
import { createLifecycle } from '../util/lifecycle.ts';
import { pause } from '../util/pause.ts';
import { systemSources } from '../util/system-sources.ts';
import { type Foundation, openFoundation, openLog } from './compose.ts';
import { createLogger } from './logger.ts';

/** All that is projected is much code; most commands only ask the catalog. */
async function registered(): Promise<readonly ReadModel[]> {
  return (await import('../projections/registry.ts')).readModels;
}

/**
 * A command returns when every running instance answers accordingly, at the latest after this time
 * (decisions.md#command-returns).
 */
const WAIT_MS = 10_000;

/**
 * Opens what a command works with from the same environment as the service: it joins a running embedded database, or
 * starts it for its own duration. While no service projects the catalog, the command does, so that it sees what is there.
 * @param options.lowerPriority lowers the priority of this process
 */
export function cliContext(
  env: NodeJS.ProcessEnv,
  {
    progress = () => {},
    lowerPriority = () => {},
  }: Partial<Pick<CliContext, 'progress'>> & { lowerPriority?: () => void } = {},
  /** For tests: instead of those of the same name, and of all there are. */
  changed?: readonly ReadModel[],
): ContextRunner {
  const readModels = changed === undefined ? registered : async () => changed;
  const current = (model: ReadModel): ReadModel => changed?.find(({ name }) => name === model.name) ?? model;
  return async (work) => {
    const config = readConfig(env);
    // A person reads the command's own words; the log's only when they say that something is wrong.
    const logger = await createLogger(env['LOG_LEVEL'] ? config.LOG_LEVEL : 'fatal', { fd: 2 });
    const lifecycle = createLifecycle();
    try {
      const foundation = await openFoundation(config, 'command', logger, lifecycle);
      const { pool, log, instance } = foundation;
      const stopping = new AbortController();
      const shared = shareAmongProjectors(pool, instance, logger);
      const projector = (model: ReadModel): ProjectorOptions => ({
        model,
        log,
        ...shared,
        logger,
        onBadEvent: 'stop',
        signal: stopping.signal,
      });
      const standingBack = new AbortController();
      const standsBy = AbortSignal.any([stopping.signal, standingBack.signal]);
      const standBy = (model: ReadModel): Promise<void> =>
        runProjector({ ...projector(model), signal: standsBy }, true);
      const projecting = new Map([[catalogReadModel.name, standBy(current(catalogReadModel))]]);
      lifecycle.started('projectors', async () => {
        stopping.abort();
        await Promise.all(projecting.values());
      });
      const head = await log.endCursor();
      const projected: CliContext['projected'] = async (asked) => {
        const model = current(asked);
        const { name } = model;
        if (!standsBy.aborted && !projecting.has(name)) projecting.set(name, standBy(model));
        if (!(await waitForReadModels([servedProgress(pool, model)], head, { timeoutMs: WAIT_MS })))
          throw new CliError(`the read model ${name} did not catch up with the log within ${WAIT_MS / 1000} s`);
        const { version } = servedOf(await versionsOf(pool, model))!;
        return { pool, schema: schemaOf(name, version) };
      };
      const context: CliContext = {
        log,
        pool,
        sources: systemSources,
        readModels,
        projector,
        catalog: () => projected(catalogReadModel),
        projected,
        waitForReadModels: (change) => waitForChange(foundation, readModels, change),
        settleVersions: () => pause(SWITCHED_MS),
        async openLog(engine) {
          if (engine === log.engine) return log;
          const opened = await openLog(readConfig({ ...env, EVENT_LOG: engine }), foundation, logger);
          lifecycle.started(`log on ${engine}`, () => opened.close());
          return opened;
        },
        signal: stopping.signal,
        async giveWay() {
          if (!(await isServed(foundation))) return;
          standingBack.abort();
          foundation.yieldToService();
          await Promise.all(projecting.values());
          lowerPriority();
        },
        progress,
      };
      return await work(context);
    } finally {
      await lifecycle.stop();
    }
  };
}

/** Instances look once in FRESH_MS which version answers; the rest is for what they have begun to ask by then. */
const SWITCHED_MS = 2 * FRESH_MS;

/** Waits until the read models that a service keeps up have the change. @throws ReadModelWaitTimeoutError */
async function waitForChange(
  { pool }: Foundation,
  readModels: () => Promise<readonly ReadModel[]>,
  { category, position, replaces = false, revalues = false }: Change,
): Promise<void> {
  if (position === undefined) return;
  const written: Cursor = new Map([[partitionOf(position), position]]);
  const followed: LoadProgress[] = [];
  for (const model of await readModels())
    if (model.categories.includes(category) && (await isFollowed(pool, model)))
      followed.push(servedProgress(pool, model, revalues));
  if (!(await waitForReadModels(followed, written, { timeoutMs: WAIT_MS })))
    throw new ReadModelWaitTimeoutError(WAIT_MS / 1000);
  if (replaces) await pause(FRESH_MS);
}

/** Whether a service runs: another process projects the catalog. */
async function isServed({ pool, instance }: Foundation): Promise<boolean> {
  const served = servedOf(await versionsOf(pool, catalogReadModel));
  return served !== null && isHeldByOther(pool, leaseOf(served.name, served.version), instance);
}

/** Whether a projector keeps the read model up. If none does, no service answers from it, and there is nothing to wait for. */
async function isFollowed(pool: Foundation['pool'], model: ReadModel): Promise<boolean> {
  if (model.name === catalogReadModel.name) return true;
  const served = servedOf(await versionsOf(pool, model));
  return served !== null && isHeld(pool, leaseOf(served.name, served.version));
}
