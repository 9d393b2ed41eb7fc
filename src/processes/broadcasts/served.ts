import { freshCache } from '../../database/fresh-cache.ts';
import type { ReadModel } from '../../projections/read-model.ts';
import { pause } from '../../util/pause.ts';
import type { ProcessContext, Served } from '../process.ts';

const POLL_MS = 100;
/** More than are ever asked for. */
const MODELS = 100;

/** The schema of the version of a read model that answers, waited for while it is built. @throws the signal's reason */
export type SchemaOf = (model: ReadModel, signal: AbortSignal) => Promise<string>;

/** It is looked up once a second for all broadcasts together: each claim needs it, and most are for a few recipients. */
export function servedSchemas({ served, config }: Pick<ProcessContext, 'served' | 'config'>): SchemaOf {
  const models = new Map<string, ReadModel>();
  const schemas = freshCache<Served>({
    load: (name) => served(models.get(name)!),
    elapsed: () => performance.now(),
    max: MODELS,
    maxWaitMs: config.MAX_WAIT_MS,
  });
  return async (model, signal) => {
    models.set(model.name, model);
    for (;;) {
      const found = await schemas(model.name, false);
      if (found !== null) return found.schema;
      await pause(POLL_MS, signal);
      signal.throwIfAborted();
    }
  };
}
