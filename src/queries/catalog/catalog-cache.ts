import { LRUCache } from 'lru-cache';
import { freshCache } from '../../database/fresh-cache.ts';
import type { Tables } from '../../database/tables.ts';
import { pause } from '../../util/pause.ts';
import { sharedCall, sharedLookUp } from '../../util/shared-call.ts';

export interface CatalogCacheOptions {
  /** The present tables of the catalog. */
  readonly catalog: () => Promise<Tables<'catalog'>>;
  /**
   * Waits a moment for the tables of a schema of the catalog. Returns whether they have all that the log had at the call.
   * Absent: unknown, and no missing key is kept.
   */
  readonly isCaughtUp?: (schema: string) => Promise<boolean>;
  /** Milliseconds of a clock that never goes back, for the age of cached rows. */
  readonly elapsed: () => number;
  /** The longest wait of one look-up for the database, in milliseconds. */
  readonly maxWaitMs: number;
}

/** Caches rows of the catalog by a key that callers show. Keys that they make up cost few statements. */
export function catalogCache<Value extends object>(
  findMany: (tables: Tables<'catalog'>, keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  max: number,
  { catalog, isCaughtUp = async () => false, elapsed, maxWaitMs }: CatalogCacheOptions,
): (key: string, allowStale: boolean) => Promise<Value | null> {
  const loadUnknown = createUnknownKeys({
    loadMany: async (keys) => findMany(await catalog(), keys),
    async withoutValue(keys) {
      const tables = await catalog();
      if (!(await isCaughtUp(tables.catalog))) return [];
      const found = await findMany(tables, keys);
      return keys.filter((key) => !found.has(key));
    },
    elapsed,
    pause,
  });
  const load = async (key: string) => (await findMany(await catalog(), [key])).get(key) ?? null;
  return freshCache({ load, loadUnknown, elapsed, max, maxWaitMs });
}

interface UnknownKeysOptions<Value> {
  /** Reads values in one statement. A key without a value is absent. */
  readonly loadMany: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
  /** Returns the keys that certainly had no value in the log at the time of the call. */
  readonly withoutValue: (keys: readonly string[]) => Promise<readonly string[]>;
  /** Milliseconds by a clock that never goes back. */
  readonly elapsed: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/** The pause between two statements, for any number of keys. It limits the load of a sender of invented keys. */
const GAP_MS = 20;
const CONFIRM_GAP_MS = 1000;
/** After a key is confirmed as missing, no statement looks it up for this time. */
const MISSING_MS = 10_000;
/** About 200 bytes each. */
const MOST_MISSING = 20_000;

/**
 * Looks up keys that no cache has. One statement looks up all keys requested during the pause. Keys that the log confirms
 * as missing are remembered as missing. This never hides a key that was just issued. Secrets are random, so no client
 * sends a key before the log has it, and a key in the log is never confirmed as missing.
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
