import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../config.ts';
import { createLifecycle } from '../util/stop-in-order.ts';
import { isTracing, SEND_SPANS_MS, sendSpans } from '../util/tracing.ts';
import { openFoundation } from './compose.ts';
import { loadWorker, type ThreadKind } from './load-worker.ts';
import { createLogger } from './logger.ts';
import { threadMetrics } from './metrics/thread-metrics.ts';
import { createStartWait, StartStoppedError } from './start-wait.ts';

/** A message to the thread. It answers `measure` with its metrics. */
export type ThreadMessage = 'stop' | 'measure';

/** The data that `startThread` passes to a thread. */
export interface ThreadData {
  readonly kind: ThreadKind;
  /** Has the database's address, also if it is embedded: the main thread has started that database. */
  readonly config: Config;
}

/**
 * The program of the threads that run projectors or processes, until the message `stop`. They have separate threads, so
 * that batches of thousands of events, accruals or messages do not make requests wait. All threads have the same
 * priority, since requests wait for read models (docs/adr/0014-all-threads-have-the-same-priority.md).
 */
const { kind, config } = workerData as ThreadData;
const start = await loadWorker(kind);
const logger = await createLogger(config.LOG_LEVEL);
const lifecycle = createLifecycle();
if (isTracing()) lifecycle.started('traces', () => sendSpans(SEND_SPANS_MS));
const stopping = new AbortController();
const metrics = threadMetrics(kind);
const stopped = new Promise<void>((resolve) => {
  parentPort!.on('message', async function onMessage(message: ThreadMessage): Promise<void> {
    if (message === 'measure') return parentPort!.postMessage(await metrics.registry.getMetricsAsJSON());
    parentPort!.off('message', onMessage);
    resolve();
  });
});
void stopped.then(() => stopping.abort());
const wait = createStartWait(logger, stopping.signal);
try {
  // The projectors' thread may lead the log's index.
  const options = { mayLead: kind === 'projectors', wait, metrics };
  const foundation = await openFoundation(config, 'service', logger, lifecycle, options);
  const worker = await start(foundation, config, logger);
  lifecycle.started(kind, () => worker.stop());
  await stopped;
} catch (error) {
  if (!(error instanceof StartStoppedError)) throw error;
  await lifecycle.stop();
  process.exit(); // ends the thread: an attempt that was abandoned may hold a connection
}
await lifecycle.stop();
