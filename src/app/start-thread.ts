import { extname } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Worker } from './compose.ts';
import type { ThreadData } from './service-thread.ts';

const RESTART_AFTER_MS = 1000;

/** Starts a thread that runs projectors or processes. Starts it again whenever it ends without `stop`. */
export function startThread(data: ThreadData, logger: Logger): Worker {
  let stopping = false;
  let restart: NodeJS.Timeout | undefined;
  let ended: Promise<void>;
  let thread: Thread;
  const start = (): void => {
    thread = startProgram(data);
    thread.on('error', (error) => logger.error({ err: error }, `the thread of the ${data.kind} failed`));
    ended = new Promise((resolve) => {
      thread.once('exit', (code) => {
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
    async stop() {
      stopping = true;
      clearTimeout(restart);
      thread.postMessage('stop');
      await ended;
    },
  };
}

function startProgram(workerData: ThreadData): Thread {
  if (extname(import.meta.url) === '.js')
    return new Thread(new URL('./service-thread.js', import.meta.url), { workerData });
  // From source, the thread has to register tsx itself: in Node.js 20 a thread does not take it over.
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const source = JSON.stringify(new URL('./service-thread.ts', import.meta.url));
  const code = `import(${tsx}).then(({ register }) => { register(); return import(${source}); });`;
  return new Thread(code, { eval: true, workerData });
}
