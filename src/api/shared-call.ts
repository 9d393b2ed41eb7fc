/**
 * A call that many may make at once: one runs at a time, and whoever comes while it does shares the next one, which sees
 * all that was there when they came.
 */
export function sharedCall<T>(call: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () =>
    (next ??= running.then(() => {
      next = null;
      const begun = call();
      running = begun.catch(() => undefined);
      return begun;
    }));
}
