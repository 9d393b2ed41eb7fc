import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Process } from '../processes/process.ts';
import { processes as registeredProcesses } from '../processes/registry.ts';
import { runProcesses } from '../processes/run-processes.ts';
import { onBadEvent } from '../projections/bad-event-policy.ts';
import type { ReadModel } from '../projections/read-model.ts';
import { readModels as registeredReadModels } from '../projections/registry.ts';
import { runProjector, shareAmongProjectors } from '../projections/runtime/projector.ts';
import { systemSources } from '../util/system-sources.ts';
import type { Foundation } from './compose.ts';

/** Work in the background that runs until it is stopped. */
export interface Worker {
  /** Resolves when the work under way is done or given back. */
  stop(): Promise<void>;
}

/**
 * Runs the projectors on this thread. They stop at a checkpoint.
 * @param readModels default: all of them; tests pass others
 */
export function startProjectors(
  { log, pool, instance }: Foundation,
  config: Pick<Config, 'ON_BAD_EVENT'>,
  logger: Logger,
  readModels: readonly ReadModel[] = registeredReadModels,
): Worker {
  const stopping = new AbortController();
  const shared = shareAmongProjectors(pool, instance, logger);
  const running = readModels.map((model) =>
    runProjector({
      model,
      log,
      ...shared,
      logger,
      onBadEvent: onBadEvent(config.ON_BAD_EVENT, model.name),
      signal: stopping.signal,
    }),
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

/**
 * Runs the processes on this thread.
 * @param processes default: all of them; tests pass others
 */
export function startProcesses(
  { log, pool, instance }: Foundation,
  config: Config,
  logger: Logger,
  processes: readonly Process[] = registeredProcesses,
): Worker {
  const stopping = new AbortController();
  const context = { log, pool, instance, config, logger, sources: systemSources };
  const running = runProcesses(context, processes, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
