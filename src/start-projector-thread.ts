import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { ProjectorThreadData } from './projector-thread.ts';
import type { Projectors } from './projectors.ts';

const AGAIN_MS = 1000;

/** Starts the projectors in a thread of their own, again whenever it ends by itself. */
export function startProjectorThread(data: ProjectorThreadData, logger: Logger): Projectors {
  let stopping = false;
  let again: NodeJS.Timeout | undefined;
  let ended: Promise<void>;
  let worker: Worker;
  const start = (): void => {
    worker = startWorker(data);
    worker.on('error', (error) => logger.error({ err: error }, 'the projectors failed'));
    ended = new Promise((resolve) => {
      worker.once('exit', (code) => {
        if (!stopping) {
          logger.error({ code }, 'the projectors ended; starting them again');
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

function startWorker(workerData: ProjectorThreadData): Worker {
  if (extname(import.meta.url) === '.js')
    return new Worker(new URL('./projector-thread.js', import.meta.url), { workerData });
  // Run from its source, by tsx, which does not get into threads by itself (Node.js 20).
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const source = JSON.stringify(new URL('./projector-thread.ts', import.meta.url));
  const code = `import(${tsx}).then(({ register }) => { register(); return import(${source}); });`;
  return new Worker(code, { eval: true, workerData });
}
