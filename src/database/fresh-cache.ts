import { LRUCache } from 'lru-cache';
import { inTime } from '../util/in-time.ts';
import { DatabaseUnavailableError, isDatabaseDown } from './errors.ts';

export interface FreshCacheOptions<Value> {
  /** Asks the database. */
  readonly load: (key: string) => Promise<Value | null>;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
  readonly max: number;
  /** How long to wait for the database, in milliseconds; {@link STALE_WAIT_MS} where what was seen before may serve. */
  readonly maxWaitMs: number;
}

/** decisions.md#key-scope: a revocation is effective within 2 s; the projector has the other second. */
export const FRESH_MS = 1000;
/** decisions.md#database-down: how long what was seen before may serve while the database is down. */
const STALE_MS = 60_000;
/** While the database is known to be down, what is cached is served without waiting for it to time out again. */
const RETRY_MS = 1000;
/** How long a database that does not answer keeps back what was seen before. */
const STALE_WAIT_MS = 500;

interface Entry<Value> {
  readonly value: Value;
  readonly loadedAt: number;
}

/**
 * A cache of look-ups that is never more than {@link FRESH_MS} behind the database while there is one. What was not found
 * is not remembered: it is seen as soon as it is there, and guesses do not drive out what is used.
 * @returns a look-up; null: not found. `seenBefore`: while the database is down, what was seen within {@link STALE_MS} will
 * do. @throws DatabaseUnavailableError the database is down and nothing usable is cached
 */
export function freshCache<Value extends object>({
  load,
  elapsed,
  max,
  maxWaitMs,
}: FreshCacheOptions<Value>): (key: string, seenBefore: boolean) => Promise<Value | null> {
  const entries = new LRUCache<string, Entry<Value>>({ max });
  const loading = new Map<string, Promise<Value | null>>();
  let downAt = Number.NEGATIVE_INFINITY;

  async function reload(key: string): Promise<Value | null> {
    // Before the query: the answer may be as old as that.
    const loadedAt = elapsed();
    const value = await load(key);
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

  return async (key, seenBefore) => {
    const entry = entries.get(key);
    const age = entry === undefined ? Number.POSITIVE_INFINITY : elapsed() - entry.loadedAt;
    if (entry !== undefined && age <= FRESH_MS) return entry.value;
    const usable = seenBefore && age <= STALE_MS ? entry?.value : undefined;
    if (usable !== undefined && elapsed() - downAt < RETRY_MS) return usable;
    try {
      const patience = usable === undefined ? maxWaitMs : Math.min(STALE_WAIT_MS, maxWaitMs);
      return await inTime(reloadOnce(key), patience, late);
    } catch (error) {
      if (!isDatabaseDown(error)) throw error;
      downAt = elapsed();
      if (usable !== undefined) return usable;
      throw new DatabaseUnavailableError('the database cannot be asked', { cause: error });
    }
  };
}

const late = (): Error => new DatabaseUnavailableError('the database did not answer in time');
