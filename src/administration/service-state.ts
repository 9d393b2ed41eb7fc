import type pg from 'pg';
import type { EventLog } from '../log/port.ts';
import { schemaOf } from '../projections/read-model.ts';
import { summarizeDeadLetters } from '../projections/runtime/dead-letters.ts';
import { loadQuarantines } from '../projections/runtime/quarantines.ts';
import { allVersions, type Version } from '../projections/runtime/versions.ts';
import { type BroadcastsNow, broadcastsNow } from '../queries/broadcast/broadcasts.ts';
import { type LastAudit, lastAudit } from '../queries/operations/job-list.ts';
import { type QuorumState, quorumState } from '../queries/proof/last-checkpoint.ts';

/** The values that `/metrics` reads from the database besides the lag of read models (decisions.md#metrics). */
export interface ServiceState {
  readonly versions: readonly {
    readonly name: string;
    readonly version: number;
    readonly isBuilding: boolean;
    /** Commits that it skipped, or that it has stopped at. */
    readonly deadLetters: number;
    readonly quarantinedBots: number;
  }[];
  /** All commits of the log, about. */
  readonly logCommits: number;
  /** Disk space of the tables and indexes, by schema. */
  readonly schemaBytes: ReadonlyMap<string, number>;
  /** Failures of parts of the work of processes that last now, by process; 0 where a process works. */
  readonly processFailures: ReadonlyMap<string, number>;
  /** The last audit of the whole ledger; null: there was none. */
  readonly audit: LastAudit | null;
  readonly broadcasts: BroadcastsNow;
  /** Null: no quorum of witnesses is asked for. */
  readonly quorum: QuorumState | null;
}

export interface ServiceStateOptions {
  readonly pool: pg.Pool;
  readonly log: EventLog;
  /** The schemas of the read models that answer now; null: the first version is being built. */
  readonly catalog: () => Promise<string | null>;
  readonly broadcasts: () => Promise<string | null>;
  /** Whether the service asks witnesses for cosignatures. */
  readonly hasWitnesses: boolean;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
}

/** Sizes are measured so seldom, since the database looks at each file for them. */
const SIZES_EVERY_MS = 60_000;

/** Returns a function that reads the state. */
export function serviceStateReader(options: ServiceStateOptions): () => Promise<ServiceState> {
  const { pool, log, elapsed } = options;
  let sizes: { readonly at: number; readonly bytes: ReadonlyMap<string, number> } | null = null;

  async function schemaBytes(): Promise<ReadonlyMap<string, number>> {
    if (sizes === null || elapsed() - sizes.at >= SIZES_EVERY_MS)
      sizes = { at: elapsed(), bytes: await sizesOfSchemas(pool) };
    return sizes.bytes;
  }

  return async () => {
    const [versions, whole, bytes, processFailures, catalog, broadcasts, quorum] = await Promise.all([
      allVersions(pool).then((found) => Promise.all(found.map((version) => versionState(pool, version)))),
      log.lag(new Map()),
      schemaBytes(),
      failuresOfProcesses(pool),
      options.catalog(),
      options.broadcasts(),
      options.hasWitnesses ? quorumState(pool) : null,
    ]);
    return {
      versions: versions.filter((version) => version !== null),
      logCommits: whole.commits,
      schemaBytes: bytes,
      processFailures,
      audit: catalog === null ? null : await lastAudit({ pool, catalog }),
      quorum,
      broadcasts: broadcasts === null ? { sending: 0, cap: 0 } : await broadcastsNow(pool, broadcasts),
    };
  };
}

/** Null: the version was dropped after it was listed. */
async function versionState(
  pool: pg.Pool,
  { name, version, state }: Version,
): Promise<ServiceState['versions'][number] | null> {
  try {
    const { count } = await summarizeDeadLetters(pool, schemaOf(name, version));
    const { size } = await loadQuarantines(pool, schemaOf(name, version));
    return { name, version, isBuilding: state === 'building', deadLetters: count, quarantinedBots: size };
  } catch (error) {
    if (isUndefinedTable(error)) return null;
    throw error;
  }
}

async function sizesOfSchemas(pool: pg.Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ schema: string; bytes: number }>(
    `SELECT n.nspname AS schema, sum(pg_total_relation_size(c.oid))::float8 AS bytes
       FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'm') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
      GROUP BY n.nspname`,
  );
  return new Map(rows.map(({ schema, bytes }) => [schema, bytes]));
}

async function failuresOfProcesses(pool: pg.Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool
    .query<{ name: string; failures: number }>(
      `SELECT s.name, (s.error IS NOT NULL)::int + count(f.name)::int AS failures
         FROM processes.states AS s
         LEFT JOIN processes.failures AS f ON f.name = s.name AND f.until > clock_timestamp()
        GROUP BY s.name, s.error`,
    )
    .catch((error: unknown) => {
      // No service has started since the schema was dropped.
      if (isUndefinedTable(error)) return { rows: [] };
      throw error;
    });
  return new Map(rows.map(({ name, failures }) => [name, failures]));
}

/** SQLSTATE 42P01. */
function isUndefinedTable(error: unknown): boolean {
  return (error as { code?: unknown }).code === '42P01';
}
