import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { openFoundation } from './compose.ts';
import type { Config } from './config.ts';
import { createLifecycle } from './lifecycle.ts';
import { runProjectors } from './projectors.ts';

/** What `startThread` gives the thread. */
export interface ProjectorThreadData {
  /** With the database's address, also where it is embedded: the thread that listens has started it. */
  readonly config: Config;
}

const PRIORITY = 19;

/** The thread that projects: a batch of thousands of events must not keep requests waiting. Any message stops it. */
const { config } = workerData as ProjectorThreadData;
// On Linux a priority is a thread's own: where processors are scarce, requests go first.
if (process.platform === 'linux') setPriority(PRIORITY);
const logger = pino({ level: config.LOG_LEVEL });
const lifecycle = createLifecycle();
const stopped = new Promise<void>((resolve) => parentPort!.once('message', resolve));
const foundation = await openFoundation(config, 'service', logger, lifecycle);
const projectors = runProjectors(foundation, config, logger);
lifecycle.started('projectors', () => projectors.stop());
await stopped;
await lifecycle.stop();
