import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { ThreadData } from './run-thread.ts';

/** A kind of thread; its program is `<kind>-thread.ts`. */
type Kind = 'projector' | 'process';

/** A thread that runs until it is stopped. */
export interface Thread {
  stop(): Promise<void>;
}

const AGAIN_MS = 1000;

/** Starts a thread, again whenever it ends by itself. */
export function startThread(kind: Kind, data: ThreadData, logger: Logger): Thread {
  let stopping = false;
  let again: NodeJS.Timeout | undefined;
  let ended: Promise<void>;
  let worker: Worker;
  const start = (): void => {
    worker = startWorker(`${kind}-thread`, data);
    worker.on('error', (error) => logger.error({ err: error }, `the ${kind} thread failed`));
    ended = new Promise((resolve) => {
      worker.once('exit', (code) => {
        if (!stopping) {
          logger.error({ code }, `the ${kind} thread ended; starting it again`);
          again = setTimeout(start, AGAIN_MS);
        }
        resolve();
      });
    });
  };
  start();
  return {
    async stop() {
      stopping = true;
      clearTimeout(again);
      worker.postMessage('stop');
      await ended;
    },
  };
}

function startWorker(program: string, workerData: unknown): Worker {
  if (extname(import.meta.url) === '.js')
    return new Worker(new URL(`./${program}.js`, import.meta.url), { workerData });
  // Run from its source, by tsx, which does not get into threads by itself (Node.js 20).
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const source = JSON.stringify(new URL(`./${program}.ts`, import.meta.url));
  const code = `import(${tsx}).then(({ register }) => { register(); return import(${source}); });`;
  return new Worker(code, { eval: true, workerData });
}
