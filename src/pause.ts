/** Resolves after `ms`, when `signal` aborts or when `woken` resolves, and leaves nothing behind. */
export function pause(ms: number, signal?: AbortSignal, woken?: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
    void woken?.then(done);
  });
}
