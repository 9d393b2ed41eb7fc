import { setMaxListeners } from 'node:events';

/** Resolves after `ms` or when one of the signals aborts, and leaves nothing behind. */
export function pause(ms: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    if (signals.some((signal) => signal?.aborted)) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    for (const signal of signals) {
      if (signal === undefined) continue;
      setMaxListeners(0, signal); // whoever stands by for a lease waits on the same one
      signal.addEventListener('abort', done, { once: true });
    }
  });
}
