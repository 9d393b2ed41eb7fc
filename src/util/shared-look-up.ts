import { spacedCall } from './spaced-call.ts';

/**
 * Looks up together all keys that are asked for in the meantime. A look-up begins after its callers have asked, and `gapMs` pass
 * between two of them, whatever the number of keys.
 * @param loadMany a key without a value is absent
 */
export function sharedLookUp<Key, Value>(
  loadMany: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  gapMs: number,
  pause: (ms: number) => Promise<void>,
): (key: Key) => Promise<Value | null> {
  let asked = new Set<Key>();
  const load = spacedCall(
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
