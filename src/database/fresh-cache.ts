import { LRUCache } from 'lru-cache';
import { inTime } from '../util/in-time.ts';
import { DatabaseUnavailableError, isDatabaseDown } from './database-errors.ts';

export interface FreshCacheOptions<Value> {
  /** Reads a value from the database; null: not found. */
  readonly load: (key: string) => Promise<Value | null>;
  /** As `load`, for a key that the cache does not have; default: `load`. */
  readonly loadUnknown?: (key: string) => Promise<Value | null>;
  /** Milliseconds by a clock that never goes back. */
  readonly elapsed: () => number;
  /** The most values in the cache. */
  readonly max: number;
  /** The longest wait for the database, in milliseconds. {@link STALE_WAIT_MS} if a stale value may be served instead. */
  readonly maxWaitMs: number;
}

/** How old a value may be. A revocation takes effect within 2 s (decisions.md#key-scope); the projector has the other second. */
export const FRESH_MS = 1000;
/** How old a value may be while the database is down (decisions.md#database-down). */
const STALE_MS = 60_000;
/** After a failed query the cache serves stale values for this long without another query. */
const RETRY_MS = 1000;
/** The longest wait for the database before a stale value is served. */
const STALE_WAIT_MS = 500;

interface Entry<Value> {
  readonly value: Value;
  readonly loadedAt: number;
}

/**
 * Caches look-ups. While the database answers, a value is at most {@link FRESH_MS} old. A missing value is not cached here: it
 * is found as soon as it exists, and guessed keys displace no value in use. `loadUnknown` may keep missing keys.
 * @returns a look-up; null: not found. With `allowStale` it returns a value of at most {@link STALE_MS} while the database is
 * down. It throws a DatabaseUnavailableError if the database is down and the cache has no such value.
 */
export function freshCache<Value extends object>({
  load,
  loadUnknown = load,
  elapsed,
  max,
  maxWaitMs,
}: FreshCacheOptions<Value>): (key: string, allowStale: boolean) => Promise<Value | null> {
  const entries = new LRUCache<string, Entry<Value>>({ max });
  const loading = new Map<string, Promise<Value | null>>();
  let downAt = Number.NEGATIVE_INFINITY;

  async function reload(key: string): Promise<Value | null> {
    // The time before the query: the answer may be as old as that.
    const loadedAt = elapsed();
    const value = await (entries.has(key) ? load(key) : loadUnknown(key));
    if (value === null) entries.delete(key);
    else entries.set(key, { value, loadedAt });
    return value;
  }

  function reloadOnce(key: string): Promise<Value | null> {
    const running = loading.get(key);
    if (running !== undefined) return running;
    const started = reload(key).finally(() => loading.delete(key));
    loading.set(key, started);
    return started;
  }

  return async (key, allowStale) => {
    const entry = entries.get(key);
    const age = entry === undefined ? Number.POSITIVE_INFINITY : elapsed() - entry.loadedAt;
    if (entry !== undefined && age <= FRESH_MS) return entry.value;
    const stale = allowStale && age <= STALE_MS ? entry?.value : undefined;
    if (stale !== undefined && elapsed() - downAt < RETRY_MS) return stale;
    try {
      const waitMs = stale === undefined ? maxWaitMs : Math.min(STALE_WAIT_MS, maxWaitMs);
      return await inTime(reloadOnce(key), waitMs, late);
    } catch (error) {
      if (!isDatabaseDown(error)) throw error;
      downAt = elapsed();
      if (stale !== undefined) return stale;
      throw new DatabaseUnavailableError('the database is not available', { cause: error });
    }
  };
}

const late = (): Error => new DatabaseUnavailableError('the database did not answer in time');
