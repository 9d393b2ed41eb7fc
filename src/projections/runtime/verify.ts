import type { ClientBase, Pool } from 'pg';
import { snapshot } from '../../database/snapshot.ts';
import { inTransaction } from '../../database/transaction.ts';
import { typesBeside } from '../../domain/ledger-events.ts';
import { type Batch, type Cursor, type EventLog, hasPassedAll } from '../../log/port.ts';
import { pause } from '../../util/pause.ts';
import { type ReadModel, schemaOf } from '../read-model.ts';
import { createWriter, type Part, type Target, type Writer } from './apply.ts';
import { skippedCommits } from './bad-events.ts';
import { commitsUpTo, loadCheckpoint, type OnCommits } from './checkpoint.ts';
import { takeClusterSnapshot } from './cluster-tables.ts';
import { catchUpSlice, hasDeferredWork } from './deferred-work.ts';
import type { ProjectorOptions } from './projector-options.ts';
import { loadQuarantines } from './quarantines.ts';
import { ahead } from './read-commits.ts';
import { buildLeaseOf, createTables, dropTables, isFollowed, setVerified, tablesOf, type Version } from './versions.ts';

/** The scratch schema into which a read model is replayed to compare a version with it. */
export function replaySchemaOf(name: string): string {
  return `${name}_replay`;
}

/** The lease of a comparison: one at a time. */
export function verifyLeaseOf(name: string): string {
  return `verify ${name}`;
}

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
  await refuseQuarantined(pool, schema);
  await inTransaction(pool, async (tx) => {
    await dropTables(tx, scratch); // left by a comparison that was killed
    await createTables(tx, model, scratch, () => cheapen(tx, scratch));
  });
  try {
    // Replays most of the log before the snapshot, since a long snapshot keeps the database from vacuuming.
    const replay = (until: Cursor): Promise<void> => replayInto(target, log, until, signal, onCommits);
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
      if (verified === null) await awaitDeferredWork(options, version);
    }
    await setVerified(pool, model.name, version, verified.differences.length === 0);
    return verified;
  } finally {
    await inTransaction(pool, (tx) => dropTables(tx, scratch));
  }
}

/**
 * Takes work from the tables of a replay that no comparison needs. They need not survive a crash, so their rows are not
 * written to the database's own log. Triggers fill only derived tables ({@link ReadModel.derived}).
 */
async function cheapen(tx: ClientBase, scratch: string): Promise<void> {
  for (const table of await tablesOf(tx, scratch))
    await tx.query(`ALTER TABLE ${scratch}.${table} SET UNLOGGED, DISABLE TRIGGER USER`);
}

/** The pause between two looks at a version that has deferred work. */
const DEFERRED_MS = 200;

/** Waits for the projector of the version to do the deferred work. Does the work itself if no projector runs. */
async function awaitDeferredWork(
  { pool, model, log, leases, signal }: ProjectorOptions,
  version: number,
): Promise<void> {
  if (await isFollowed(pool, model.name, version)) return pause(DEFERRED_MS, signal);
  const own: Target = { pool, model, schema: schemaOf(model.name, version), keys: log.keys };
  const turn = AbortSignal.any([signal, AbortSignal.timeout(DEFERRED_MS)]);
  await leases.hold(buildLeaseOf(model.name, version), turn, async (held) => {
    while (!held.aborted && (await catchUpSlice(own, false)));
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

/** The least time between two reports of progress: each one reads from the log. */
const REPORT_MS = 500;

/**
 * Applies the log up to exactly `until` to a schema that nothing else writes to. Stops at any bad event.
 * @throws BadCommitError
 */
async function replayInto(
  target: Target,
  log: EventLog,
  until: Cursor,
  signal: AbortSignal,
  onProgress: OnCommits,
): Promise<void> {
  const writer = createWriter({
    target,
    checkpoint: await loadCheckpoint(target.pool, target.schema),
    skipped: await skippedCommits(log, target.model.name),
    quarantined: null,
    onBadCommit: (_commit, error) => Promise.reject(error),
  });
  const done = new AbortController();
  const batches = log.subscribe({
    categories: target.model.categories,
    without: typesBeside(target.model.events),
    after: new Map(writer.written),
    signal: AbortSignal.any([signal, done.signal]),
  });
  let reportedAt = Number.NEGATIVE_INFINITY;
  // Parts are read and opened while the database writes the parts before.
  const parts = ahead(
    partsUpTo(writer, batches, until),
    () => true,
    () => done.abort(),
  );
  if (!hasPassedAll(writer.written, until))
    for await (const part of parts) {
      await writer.write([part]);
      if (hasPassedAll(writer.written, until)) break;
      // A change of a rate, for example, defers work on all earlier events. If it were left to the end, it would
      // concern every event.
      await catchUpSlice(target, true);
      if (performance.now() - reportedAt < REPORT_MS) continue;
      reportedAt = performance.now();
      const { done: commits, total } = await commitsUpTo(log, writer.written);
      onProgress(commits, total);
    }
  do signal.throwIfAborted();
  while (await catchUpSlice(target, false));
}

async function* partsUpTo(writer: Writer, batches: AsyncIterable<Batch>, until: Cursor): AsyncGenerator<Part> {
  for await (const batch of batches) {
    const wanted = upTo(batch, until);
    if (wanted !== null) yield* writer.open(wanted);
  }
}

/** The commits of the batch at or below `until`; null if its partition is not in `until`. */
function upTo({ partition, commits, last }: Batch, until: Cursor): Batch | null {
  const end = until.get(partition);
  if (end === undefined) return null;
  if (last <= end) return { partition, commits, last };
  const before = commits.filter(({ position }) => position <= end);
  return { partition, commits: before, last: end };
}
