import type { ClientBase } from 'pg';
import { isHeld } from '../../database/lease.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Cursor } from '../../log/port.ts';
import { pause } from '../../util/pause.ts';
import { type ReadModel, schemaOf } from '../read-model.ts';
import type { Target } from './apply.ts';
import { loadCheckpoint } from './checkpoint.ts';
import type { OnCommits } from './commits-up-to.ts';
import { catchUpSlice, hasDeferredWork } from './deferred-work.ts';
import type { ProjectorOptions } from './projector.ts';
import { replayInto } from './replay.ts';
import { replaySchemaOf, verifyLeaseOf } from './replay-schema.ts';
import { tablesOf } from './tables.ts';
import { createTables, leaseOf, setVerified, type Version } from './versions.ts';

/** A table whose rows are not those of a replay. */
export interface Difference {
  readonly table: string;
  readonly rows: number;
  readonly rowsOfReplay: number;
}

/** Told how far it is: first the replay, then the checksums of each table, its own and the replay's. */
export interface VerifyWatch {
  readonly onCommits: OnCommits;
  readonly onTables: (done: number, total: number) => void;
}

export interface Verified {
  /** How many were compared. */
  readonly tables: number;
  readonly differences: readonly Difference[];
}

/**
 * Compares a version with a replay of the log up to where the version is: for each table the number of rows and a
 * checksum over all their columns. One at a time; another waits. The version goes on following the log meanwhile; it is looked at through a snapshot.
 * If no table differs, the version is noted as verified.
 * @throws BadCommitError the log cannot be replayed
 */
export async function verify(options: ProjectorOptions, version: Version, watch: VerifyWatch): Promise<Verified> {
  const { model, leases, signal } = options;
  const compared = await leases.hold(verifyLeaseOf(model.name), signal, () =>
    compareWithReplay(options, version, watch),
  );
  signal.throwIfAborted();
  return compared!;
}

async function compareWithReplay(
  options: ProjectorOptions,
  { version }: Version,
  { onCommits, onTables }: VerifyWatch,
): Promise<Verified> {
  const { pool, model, log, signal } = options;
  const schema = schemaOf(model.name, version);
  const scratch = replaySchemaOf(model.name);
  const target: Target = { pool, model, schema: scratch, keys: log.keys };
  await inTransaction(pool, async (tx) => {
    await tx.query(`DROP SCHEMA IF EXISTS ${scratch} CASCADE`); // of one that was killed
    await createTables(tx, model, scratch);
  });
  try {
    // Most of it before the snapshot is taken, which keeps the database from cleaning up behind itself.
    const replay = (until: Cursor): Promise<void> => replayInto(target, log, until, signal, onCommits);
    await replay(await loadCheckpoint(pool, schema));
    let verified: Verified | null = null;
    while (verified === null) {
      signal.throwIfAborted();
      verified = await inTransaction(pool, async (tx) => {
        await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
        if (await hasDeferredWork(tx, model, schema)) return null;
        await replay(await loadCheckpoint(tx, schema));
        const onOwn = (done: number, total: number): void => onTables(done, 2 * total);
        const own = await fingerprints(tx, model, schema, onOwn);
        const onReplayed = (done: number, total: number): void => onTables(total + done, 2 * total);
        const replayed = await inTransaction(pool, (fresh) => fingerprints(fresh, model, scratch, onReplayed));
        return { tables: replayed.size, differences: compare(own, replayed) };
      });
      if (verified === null) await awaitDeferredWork(options, version);
    }
    await setVerified(pool, model.name, version, verified.differences.length === 0);
    return verified;
  } finally {
    await pool.query(`DROP SCHEMA IF EXISTS ${scratch} CASCADE`);
  }
}

/** How soon it is looked at again, while the version has put off work. */
const PUT_OFF_MS = 200;

/** Whoever follows the version does what it has put off; where it has stopped, or no service runs, nobody else would. */
async function awaitDeferredWork(
  { pool, model, log, leases, signal }: ProjectorOptions,
  version: number,
): Promise<void> {
  const lease = leaseOf(model.name, version);
  if (await isHeld(pool, lease)) return pause(PUT_OFF_MS, signal);
  const own: Target = { pool, model, schema: schemaOf(model.name, version), keys: log.keys };
  const turn = AbortSignal.any([signal, AbortSignal.timeout(PUT_OFF_MS)]);
  await leases.hold(lease, turn, async (held) => {
    while (!held.aborted && (await catchUpSlice(own, false)));
  });
}

interface Fingerprint {
  readonly rows: number;
  /** Sum of the hashes of all rows, so that their order does not matter. */
  readonly checksum: string;
}

/** Of every table of the read model but those that are made from others; its runtime's own are left out. */
async function fingerprints(
  tx: ClientBase,
  { derived = [] }: ReadModel,
  schema: string,
  onTable: VerifyWatch['onTables'],
): Promise<Map<string, Fingerprint>> {
  const found = new Map<string, Fingerprint>();
  const tables = (await tablesOf(tx, schema)).filter((table) => !derived.includes(table));
  for (const name of tables) {
    onTable(found.size, tables.length);
    const { rows } = await tx.query<Fingerprint>(
      `SELECT count(*)::float8 AS rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text AS checksum
       FROM ${schema}.${name} AS t`,
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
