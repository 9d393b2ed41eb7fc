import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { openFoundation } from './compose.ts';
import type { Config } from './config.ts';
import { createLifecycle } from './lifecycle.ts';
import { startProcesses } from './processes.ts';

/** What `startThread` gives the thread. */
export interface ProcessThreadData {
  /** With the database's address, also where it is embedded: the thread that listens has started it. */
  readonly config: Config;
}

/** The thread of the processes, so that thousands of accruals or messages keep no request waiting. Any message stops it. */
const { config } = workerData as ProcessThreadData;
const logger = pino({ level: config.LOG_LEVEL });
const lifecycle = createLifecycle();
const stopped = new Promise<void>((resolve) => parentPort!.once('message', resolve));
// The projectors' thread leads the log's index.
const foundation = await openFoundation(config, 'service', logger, lifecycle, { mayLead: false });
const processes = startProcesses(foundation, config, logger);
lifecycle.started('processes', () => processes.stop());
await stopped;
await lifecycle.stop();
