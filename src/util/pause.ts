import { setMaxListeners } from 'node:events';

/** Resolves after `ms` milliseconds or when one of the signals aborts. Leaves no timer and no listener behind. */
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
      setMaxListeners(0, signal); // many waits share one signal, for example all waits for leases
      signal.addEventListener('abort', done, { once: true });
    }
  });
}
