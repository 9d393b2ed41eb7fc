import { pause as realPause } from './pause.ts';

type Pause = (ms: number) => Promise<void>;

/**
 * Lets many callers share one call. A call begins after its callers have asked, so its result is never older than the
 * question. Calls do not overlap, and `gapMs` pass between them.
 */
export function sharedCall<T>(call: () => Promise<T>, gapMs = 0, pause: Pause = realPause): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  const rest = (): unknown => (gapMs === 0 ? null : pause(gapMs));
  return () =>
    (next ??= last.then(() => {
      next = null;
      const begun = call();
      last = begun.then(rest, rest);
      return begun;
    }));
}

/**
 * Looks up together all keys that are asked for in the meantime, as {@link sharedCall}.
 * @param loadMany a key without a value is absent
 */
export function sharedLookUp<Key, Value>(
  loadMany: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  gapMs = 0,
  pause: Pause = realPause,
): (key: Key) => Promise<Value | null> {
  let asked = new Set<Key>();
  const load = sharedCall(
    () => {
      const keys = [...asked];
      asked = new Set();
      return loadMany(keys);
    },
    gapMs,
    pause,
  );
  return async (key) => {
    asked.add(key);
    return (await load()).get(key) ?? null;
  };
}
