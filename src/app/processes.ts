import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Process } from '../processes/process.ts';
import { processesOf } from '../processes/process-registry.ts';
import { runProcesses } from '../processes/run-processes.ts';
import { systemSources } from '../util/system-sources.ts';
import type { Foundation, Worker } from './compose.ts';

/**
 * Runs the processes on this thread.
 * @param processes default: those that the configuration asks for; tests pass others
 */
export function startProcesses(
  { log, pool, instance, metrics }: Foundation,
  config: Config,
  logger: Logger,
  processes: readonly Process[] = processesOf(config),
): Worker {
  const stopping = new AbortController();
  const onPartitions = metrics?.onPartitions;
  const context = { log, pool, instance, config, logger, sources: systemSources, onPartitions };
  const running = runProcesses(context, processes, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
