import type pg from 'pg';
import { migrate } from '../../database/migrate.ts';
import { createPool, type PoolOptions } from '../../database/pool.ts';
import { decodeCommit, readDigest } from '../commit-codec.ts';
import { COMMAND_MEMORY_MS, type EventLog } from '../port.ts';
import { openGrowthNotifier } from './growth-notifier.ts';
import { migrations, SCHEMA } from './migrations.ts';
import { Appender } from './postgres-appender.ts';
import { postgresKeyring } from './postgres-keyring.ts';
import { postgresReads } from './postgres-reads.ts';
import { indexedStreamHeads, readStoredRecords } from './postgres-records.ts';
import { readPages } from './read-pages.ts';

export interface PostgresLogOptions {
  readonly connectionString: string;
  /** Categories of *any* streams. A reader of other categories reads by the index of exact streams. */
  readonly anyCategories: readonly string[];
  /** The longest wait of an append, in milliseconds. Default 5,000. */
  readonly maxWaitMs?: number;
  readonly maxQueuedBytes?: number;
  /** Called with errors after which the log recovers by itself (a lost connection), for the operator's log. */
  readonly onError?: (error: Error) => void;
  /** Called with the number of commits of each group of appends that is sent at once. */
  readonly onGroup?: ((commits: number) => void) | undefined;
}

const FORGET_EVERY_MS = 60 * 60 * 1000;
/**
 * All statements of readers go by keys, so one plan fits every value. By itself PostgreSQL would plan a page each time, for
 * 0.4 ms: it expects less work after a late position than after an unknown one.
 */
const PLAN_ONCE = 'SET plan_cache_mode TO force_generic_plan';

/** Opens the log in the schema `log` of a database, creating or migrating it first. */
export async function openPostgresLog(options: PostgresLogOptions): Promise<EventLog> {
  const onError = options.onError ?? (() => {});
  const maxWaitMs = options.maxWaitMs ?? 5000;
  const { connectionString } = options;
  const poolOf = (max: number, name: string, more: Pick<PoolOptions, 'answerWithinMs' | 'settings'>): pg.Pool =>
    createPool({ connectionString, max, name, maxWaitMs, onError, ...more });
  const readers = poolOf(6, 'log readers', { settings: PLAN_ONCE });
  try {
    await migrate(readers, SCHEMA, migrations);
    await refuseForeignLog(readers);
  } catch (error) {
    await readers.end();
    throw error;
  }
  const forgetting = setInterval(() => void forgetCommands(readers).catch(onError), FORGET_EVERY_MS);
  // Twice the wait, since the appender may send a statement again. No caller waits longer for its answer.
  const writers = poolOf(1, 'log writer', { answerWithinMs: 2 * maxWaitMs });
  const notifier = openGrowthNotifier({ connectionString, pool: readers, onError });
  const appender = new Appender({
    pool: writers,
    maxWaitMs,
    maxQueuedBytes: options.maxQueuedBytes ?? 32 << 20,
    onAppended: () => notifier.notify(),
    onGroup: options.onGroup,
  });
  const anyCategories = new Set(options.anyCategories);

  return {
    engine: 'postgres',
    partitions: 1,
    partitionOf: () => 0,
    keys: postgresKeyring({ pool: readers, maxWaitMs }),
    ...postgresReads(readers, maxWaitMs),
    append: (commit, options) => appender.append(commit, options?.deadline),

    subscribe(options) {
      const exactOnly = !options.categories.some((category) => anyCategories.has(category));
      return readPages(readers, notifier, decodeCommit, { ...options, exactOnly });
    },
    digests: (options) => readPages(readers, notifier, readDigest, { ...options, exactOnly: false }),

    grown: () => notifier.next(),
    storedRecords: (signal) => readStoredRecords(readers, signal),
    indexedStreamHeads: () => indexedStreamHeads(readers),

    async close() {
      clearInterval(forgetting);
      await appender.close();
      await notifier.close();
      await Promise.all([writers.end(), readers.end()]);
    },
  };
}

/**
 * Refuses a log of another PostgreSQL cluster. Readers read by transaction ids, and each cluster counts its own. The ids of a
 * log that was moved to another cluster may lie ahead of that cluster's, and readers would never reach those commits.
 * @throws Error
 */
async function refuseForeignLog(db: pg.Pool): Promise<void> {
  const { rows } = await db.query<{ ahead: boolean }>(
    `SELECT txid >= pg_snapshot_xmax(pg_current_snapshot()) AS ahead FROM log.commits ORDER BY txid DESC LIMIT 1`,
  );
  if (rows[0]?.ahead)
    throw new Error('the log comes from another PostgreSQL cluster: its transaction ids lie ahead of this one’s');
}

/** Deletes old command ids of *any* streams. Keeps them for twice COMMAND_MEMORY_MS, since writers' clocks differ. */
async function forgetCommands(db: pg.Pool): Promise<void> {
  await db.query(
    'DELETE FROM log.commands WHERE NOT exact AND at < extract(epoch FROM clock_timestamp()) * 1000 - $1',
    [2 * COMMAND_MEMORY_MS],
  );
}
