import { parentPort } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { createLifecycle } from '../util/lifecycle.ts';
import { type Foundation, type FoundationOptions, openFoundation } from './compose.ts';
import { createLogger } from './logger.ts';
import { createStartWait, StartStoppedError } from './start-wait.ts';

/** What `startThread` gives a thread. */
export interface ThreadData {
  /** With the database's address, also where it is embedded: the thread that listens has started it. */
  readonly config: Config;
}

/** Runs a part of the service on this thread until any message stops it. */
export async function runThread(
  part: string,
  { config }: ThreadData,
  options: Pick<FoundationOptions, 'mayLead'>,
  start: (foundation: Foundation, logger: Logger) => { stop(): Promise<void> },
): Promise<void> {
  const logger: Logger = await createLogger(config.LOG_LEVEL);
  const lifecycle = createLifecycle();
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) => parentPort!.once('message', resolve));
  void stopped.then(() => stopping.abort());
  const wait = createStartWait(logger, stopping.signal);
  try {
    const foundation = await openFoundation(config, 'service', logger, lifecycle, { ...options, wait });
    const running = start(foundation, logger);
    lifecycle.started(part, () => running.stop());
    await stopped;
  } catch (error) {
    if (!(error instanceof StartStoppedError)) throw error;
    await lifecycle.stop();
    process.exit(); // ends the thread: an attempt that was abandoned may hold a connection
  }
  await lifecycle.stop();
}
