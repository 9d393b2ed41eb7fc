import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { onBadEvent } from '../projections/bad-event-policy.ts';
import { eventsReadModel, withArchive } from '../projections/events/read-model.ts';
import { loadReadModels } from '../projections/load-read-model.ts';
import type { ReadModel } from '../projections/read-model.ts';
import { runProjector, shareAmongProjectors } from '../projections/runtime/projector.ts';
import type { Foundation, Worker } from './compose.ts';

/**
 * Runs the projectors on this thread. They stop at a checkpoint.
 * @param readModels default: all of them; tests pass others
 */
export async function startProjectors(
  { log, pool, instance, metrics }: Foundation,
  config: Pick<Config, 'ON_BAD_EVENT' | 'EVENTS_ROWS_MONTHS'>,
  logger: Logger,
  readModels?: readonly ReadModel[],
): Promise<Worker> {
  const stopping = new AbortController();
  const shared = shareAmongProjectors(pool, instance, logger);
  const months = config.EVENTS_ROWS_MONTHS;
  const running = (readModels ?? (await loadReadModels())).map((model) =>
    runProjector({
      model: months > 0 && model.name === eventsReadModel.name ? withArchive(model, months) : model,
      log,
      ...shared,
      logger,
      onBadEvent: onBadEvent(config.ON_BAD_EVENT, model.name),
      signal: stopping.signal,
      onBatch: metrics?.onBatch,
      onPartitions: metrics?.onPartitions,
    }),
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
