/**
 * Lets many callers share one call. One call runs at a time. A caller that comes while it runs shares the next one, which
 * sees all that happened before the caller came.
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
