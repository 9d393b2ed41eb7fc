import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Foundation, Worker } from './compose.ts';

/** The work of a thread. */
export type ThreadKind = 'projectors' | 'processes';

/** Loads only the code that the thread runs. @returns starts the worker */
export async function loadWorker(
  kind: ThreadKind,
): Promise<(foundation: Foundation, config: Config, logger: Logger) => Worker | Promise<Worker>> {
  return kind === 'projectors'
    ? (await import('./projectors.ts')).startProjectors
    : (await import('./processes.ts')).startProcesses;
}
