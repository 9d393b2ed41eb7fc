/**
 * Makes concurrent callers share calls of `work`. A call begins after its callers have asked, so its result is never
 * older than the question. Calls do not overlap, and `gapMs` pass between them.
 */
export function spacedCall<T>(
  work: () => Promise<T>,
  gapMs: number,
  pause: (ms: number) => Promise<void>,
): () => Promise<T> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<T> | null = null;

  async function call(): Promise<T> {
    await last;
    next = null;
    const running = work();
    last = running.then(
      () => pause(gapMs),
      () => pause(gapMs),
    );
    return running;
  }

  return () => {
    next ??= call();
    return next;
  };
}
