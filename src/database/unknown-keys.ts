import { LRUCache } from 'lru-cache';
import { sharedCall, sharedLookUp } from '../util/shared-call.ts';

export interface UnknownKeysOptions<Value> {
  /** Reads values in one statement. A key without a value is absent. */
  readonly loadMany: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
  /** Returns the keys that certainly had no value in the log at the time of the call. */
  readonly withoutValue: (keys: readonly string[]) => Promise<readonly string[]>;
  /** Milliseconds by a clock that never goes back. */
  readonly elapsed: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/** Between two statements, whatever the number of keys. A stranger can make up any number. */
const GAP_MS = 20;
const CONFIRM_GAP_MS = 1000;
/** How long a confirmed key has no value without a look-up. */
const MISSING_MS = 10_000;
/** About 200 bytes each. */
const MOST_MISSING = 20_000;

/**
 * Looks keys up that no cache has: all that are asked for in the meantime in one statement. A key that is confirmed to have
 * no value is kept as missing. A secret is random, so no client can show a key before it is in the log, and a key in the log
 * is never confirmed: no entry hides a key that was just issued.
 */
export function createUnknownKeys<Value>({
  loadMany,
  withoutValue,
  elapsed,
  pause,
}: UnknownKeysOptions<Value>): (key: string) => Promise<Value | null> {
  const missing = new LRUCache<string, number>({ max: MOST_MISSING });
  let missed = new Set<string>();

  const load = sharedLookUp(loadMany, GAP_MS, pause);
  const confirm = sharedCall(
    async () => {
      const keys = [...missed];
      missed = new Set();
      const at = elapsed();
      for (const key of await withoutValue(keys)) missing.set(key, at);
    },
    CONFIRM_GAP_MS,
    pause,
  );

  return async (key) => {
    const missingAt = missing.get(key);
    if (missingAt !== undefined && elapsed() - missingAt <= MISSING_MS) return null;
    const value = await load(key);
    if (value !== null || missed.size >= MOST_MISSING) return value;
    missed.add(key);
    confirm().catch(() => {}); // the key stays unconfirmed, and its next look-up meets the same error
    return null;
  };
}
