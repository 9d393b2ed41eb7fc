import type { Logger } from 'pino';
import type { Foundation } from './compose.ts';
import { readModels } from './projections/registry.ts';
import { runProjector } from './projections/runtime/projector.ts';

/** Projectors that run until they are stopped, at a checkpoint. */
export interface Projectors {
  stop(): Promise<void>;
}

/** Runs the projector of every read model on this thread. */
export function runProjectors({ log, pool, instance }: Foundation, logger: Logger): Projectors {
  const stopping = new AbortController();
  const running = readModels.map((model) =>
    runProjector({ model, log, pool, holder: instance, logger, signal: stopping.signal }),
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
