/**
 * Lets many callers share one call. One call runs at a time. Callers that come while it runs share the next one, so
 * that their call begins after they came.
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
