import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { SharedReader } from '../log/shared-reader.ts';
import { onBadEvent } from '../projections/bad-event-policy.ts';
import { eventsReadModel, withArchive } from '../projections/events/read-model.ts';
import { loadReadModels } from '../projections/load-read-model.ts';
import type { ReadModel } from '../projections/read-model.ts';
import { runProjector, shareAmongProjectors } from '../projections/runtime/projector.ts';
import { itemsOf } from '../projections/runtime/read-commits.ts';
import type { Foundation, Worker } from './compose.ts';

/**
 * Runs the projectors on this thread. They stop at a checkpoint.
 * @param readModels default: all of them; tests pass others
 */
export async function startProjectors(
  { log, pool, instance, metrics }: Foundation,
  config: Pick<Config, 'ON_BAD_EVENT' | 'EVENTS_ROWS_MONTHS' | 'KEEP_FORMER'>,
  logger: Logger,
  readModels?: readonly ReadModel[],
): Promise<Worker> {
  const stopping = new AbortController();
  const shared = shareAmongProjectors(pool, instance, logger);
  const months = config.EVENTS_ROWS_MONTHS;
  const models = readModels ?? (await loadReadModels());
  const reader = new SharedReader(log, new Set(models.flatMap(({ categories }) => categories)), {
    itemsOf,
    onError: (err) => logger.warn({ err }, 'failed to read the log for all read models; each reads by itself'),
  });
  const running = models.map((model) =>
    runProjector({
      model: months > 0 && model.name === eventsReadModel.name ? archived(model, months) : model,
      log,
      reader,
      ...shared,
      logger,
      onBadEvent: onBadEvent(config.ON_BAD_EVENT, model.name),
      former: config.KEEP_FORMER > 0 ? 'keep' : 'drop',
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

function archived(model: ReadModel, months: number): ReadModel {
  const { former, ...own } = model;
  return { ...withArchive(own, months), ...(former && { former: withArchive(former, months) }) };
}
