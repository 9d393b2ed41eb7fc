import { extname } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { pause } from '../util/pause.ts';
import type { Worker } from './compose.ts';
import type { MetricValues } from './metrics/thread-metrics.ts';
import type { ThreadData, ThreadMessage } from './service-thread.ts';

const RESTART_AFTER_MS = 1000;
/** How long `/metrics` waits for a busy thread; then it shows the thread's previous answer. */
const MEASURE_WITHIN_MS = 500;
/** V8 makes two spaces of a third each, 8 and 32 MB (docs/adr/0013-small-spaces-for-young-objects.md). */
const MAX_YOUNG_MB = { projectors: 24, processes: 96 } as const;

/** Starts a thread that runs projectors or processes. Starts it again whenever it ends without `stop`. */
export function startThread(data: ThreadData, logger: Logger): Worker {
  let stopping = false;
  let restart: NodeJS.Timeout | undefined;
  let ended: Promise<void>;
  let thread: Thread;
  let measured: MetricValues = [];
  /** The counts of the threads that have ended: a sum must not go down. */
  let former: Promise<MetricValues> = Promise.resolve([]);
  const start = (): void => {
    thread = startProgram(data);
    thread.on('message', (values: MetricValues) => (measured = values));
    thread.on('error', (error) => logger.error({ err: error }, `the thread of the ${data.kind} failed`));
    ended = new Promise((resolve) => {
      thread.once('exit', (code) => {
        const counts = measured.filter(({ type }) => String(type) !== 'gauge');
        former = former.then((before) => AggregatorRegistry.aggregate([before, counts]).getMetricsAsJSON());
        measured = [];
        if (!stopping) {
          logger.error({ code }, `the thread of the ${data.kind} ended; starting it again`);
          restart = setTimeout(start, RESTART_AFTER_MS);
        }
        resolve();
      });
    });
  };
  start();
  return {
    async metrics() {
      await Promise.race([answer(thread), pause(MEASURE_WITHIN_MS)]);
      return [measured, await former];
    },
    async stop() {
      stopping = true;
      clearTimeout(restart);
      send(thread, 'stop');
      await ended;
    },
  };
}

function send(thread: Thread, message: ThreadMessage): void {
  thread.postMessage(message);
}

/** Resolves when the thread has sent its metrics. */
function answer(thread: Thread): Promise<void> {
  return new Promise((resolve) => {
    thread.once('message', () => resolve());
    send(thread, 'measure');
  });
}

function startProgram(workerData: ThreadData): Thread {
  const resourceLimits = { maxYoungGenerationSizeMb: MAX_YOUNG_MB[workerData.kind] };
  if (extname(import.meta.url) === '.js')
    return new Thread(new URL('./service-thread.js', import.meta.url), { workerData, resourceLimits });
  // From source, the thread has to register tsx itself: in Node.js 20 a thread does not take it over.
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const source = JSON.stringify(new URL('./service-thread.ts', import.meta.url));
  const code = `import(${tsx}).then(({ register }) => { register(); return import(${source}); });`;
  return new Thread(code, { eval: true, workerData, resourceLimits });
}
