import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Process } from '../processes/process.ts';
import { processes as registered } from '../processes/registry.ts';
import { runProcesses } from '../processes/run-processes.ts';
import { systemSources } from '../util/system-sources.ts';
import type { Foundation } from './compose.ts';

/** Processes that run until they are stopped: each ends what it is about, or gives it back. */
export interface Processes {
  stop(): Promise<void>;
}

/** Runs the processes, all there are but for tests, on this thread. */
export function startProcesses(
  { log, pool, instance }: Foundation,
  config: Config,
  logger: Logger,
  processes: readonly Process[] = registered,
): Processes {
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
