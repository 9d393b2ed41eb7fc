import type { ClientBase, Pool } from 'pg';
import { snapshot } from '../../database/snapshot.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Cursor } from '../../log/port.ts';
import { type ReadModel, schemaOf } from '../read-model.ts';
import type { Target } from './apply.ts';
import { loadCheckpoint, type OnCommits } from './checkpoint.ts';
import { takeClusterSnapshot } from './cluster-tables.ts';
import { hasDeferredWork } from './deferred-work.ts';
import type { ProjectorOptions } from './projector-options.ts';
import { loadQuarantines } from './quarantines.ts';
import { awaitDeferredWork, inScratch, replayInto } from './replay.ts';
import { setVerified, tablesOf, type Version } from './versions.ts';

/** Some bots of the version wait at a commit, so its rows cannot equal a replay. */
export class QuarantinedError extends Error {
  override readonly name = 'QuarantinedError';
}

async function refuseQuarantined(db: Pool | ClientBase, schema: string): Promise<void> {
  const [bot] = (await loadQuarantines(db, schema)).keys();
  if (bot !== undefined)
    throw new QuarantinedError(`bot ${bot} is quarantined in ${schema}: compare it once the bot has caught up`);
}

/** A table whose rows differ from the rows of a replay. */
interface Difference {
  readonly table: string;
  readonly rows: number;
  readonly rowsOfReplay: number;
}

/**
 * Called with the progress: first of the replay, then of the checksums of all tables, of the version and of the replay.
 */
export interface VerifyWatch {
  readonly onCommits: OnCommits;
  readonly onTables: (done: number, total: number) => void;
}

export interface Verified {
  /** The number of compared tables. */
  readonly tables: number;
  readonly differences: readonly Difference[];
}

/**
 * Compares a version with a replay of the log up to the version's checkpoint: for each table the number of rows and a
 * checksum over all their columns. One comparison runs at a time; another waits. The version keeps following the log; the
 * comparison reads a snapshot of it. If no table differs, the version is recorded as verified.
 * @throws BadCommitError the log cannot be replayed; Rejection another replay has taken over
 */
export async function verify(
  options: ProjectorOptions,
  { version }: Version,
  { onCommits, onTables }: VerifyWatch,
): Promise<Verified> {
  const { pool, model, log } = options;
  const schema = schemaOf(model.name, version);
  await refuseQuarantined(pool, schema);
  return inScratch(options, async (scratch, signal) => {
    const target: Target = { pool, model, schema: scratch, keys: log.keys };
    // Replays most of the log before the snapshot, since a long snapshot keeps the database from vacuuming.
    const replay = (until: Cursor): Promise<void> => replayInto(target, log, { until, signal, onCommits });
    await replay(await loadCheckpoint(pool, schema));
    const tables = await tablesOf(pool, schema);
    let verified: Verified | null = null;
    while (verified === null) {
      signal.throwIfAborted();
      verified = await snapshot(pool, {}, async ({ transaction }) => {
        const tx = await transaction();
        await takeClusterSnapshot(pool, tx, model, { schema, tables });
        await refuseQuarantined(tx, schema);
        if (await hasDeferredWork(tx, model, schema)) return null;
        await replay(await loadCheckpoint(tx, schema));
        let begun = 0;
        const onTable = (tables: number): void => onTables(begun++, 2 * tables);
        const [own, replayed] = await Promise.all([
          fingerprints(tx, model, schema, onTable),
          inTransaction(pool, (fresh) => fingerprints(fresh, model, scratch, onTable)),
        ]);
        return { tables: replayed.size, differences: compare(own, replayed) };
      });
      if (verified === null) await awaitDeferredWork({ ...options, signal }, version);
    }
    await setVerified(pool, model.name, version, verified.differences.length === 0);
    return verified;
  });
}

interface Fingerprint {
  readonly rows: number;
  /** Sum of the hashes of all rows, so that their order does not matter. */
  readonly checksum: string;
}

/**
 * Of every table of the read model except derived tables and the runtime's tables.
 * @param onTable is called before each table, with the number of all tables
 */
async function fingerprints(
  tx: ClientBase,
  { derived = [], whole = {} }: ReadModel,
  schema: string,
  onTable: (tables: number) => void,
): Promise<Map<string, Fingerprint>> {
  const found = new Map<string, Fingerprint>();
  const tables = (await tablesOf(tx, schema)).filter((table) => !derived.includes(table));
  for (const name of tables) {
    onTable(tables.length);
    const { rows } = await tx.query<Fingerprint>(
      `SELECT count(*)::float8 AS rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text AS checksum
       FROM ${whole[name]?.(schema) ?? `${schema}.${name}`} AS t`,
    );
    found.set(name, rows[0]!);
  }
  return found;
}

function compare(own: ReadonlyMap<string, Fingerprint>, replayed: ReadonlyMap<string, Fingerprint>): Difference[] {
  return [...replayed].flatMap(([table, { rows: rowsOfReplay, checksum }]) => {
    const found = own.get(table);
    if (found?.checksum === checksum && found.rows === rowsOfReplay) return [];
    return [{ table, rows: found?.rows ?? 0, rowsOfReplay }];
  });
}
