import { freshCache } from '../../database/fresh-cache.ts';
import type { Tables } from '../../database/tables.ts';
import { createUnknownKeys } from '../../database/unknown-keys.ts';
import { pause } from '../../util/pause.ts';

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
