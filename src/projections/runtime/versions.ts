import type { ClientBase, Pool } from 'pg';
import { isAnyHeld } from '../../database/lease-rows.ts';
import { namesBots } from '../../database/of-bot.ts';
import { inTransaction } from '../../database/transaction.ts';
import { type Manifest, type ReadModel, schemaOf } from '../read-model.ts';
import { CHECKPOINT_DDL } from './checkpoint.ts';
import { distribute, howToCommit, lockTablesOfCluster } from './cluster-tables.ts';
import { DEAD_LETTERS_DDL } from './dead-letters.ts';
import { removeComparisons } from './remove-comparisons.ts';

/**
 * A version of a read model, in its own schema. It is *building* until it has caught up with the log for the first
 * time, then *ready*. One version of a read model is *live* and answers. All versions follow the log.
 */
export interface Version {
  readonly name: string;
  /** Counts the builds of the read model in this database. */
  readonly version: number;
  /** Only programs of the same `ReadModel.shape` read and write the version. */
  readonly shape: number;
  readonly state: 'building' | 'ready' | 'live';
  /** Whether a comparison found it equal to a replay of the log. */
  readonly verified: boolean;
  /** Whether it was live before. */
  readonly served: boolean;
  /** Why it has stopped; null if it has not. */
  readonly error: string | null;
  /** Whether an operator has paused the build: no projector builds it. */
  readonly paused: boolean;
  /** The most events a second that its builders apply together; null: no limit. */
  readonly maxRate: number | null;
}

/** A row without its schema does not count: the schema was dropped. A version in state `dropped` may still have its schema. */
export const VERSIONS = `
  SELECT name, version, shape, state, verified, served, error, paused, max_rate AS "maxRate" FROM runtime.read_models
  WHERE state <> 'dropped' AND EXISTS (SELECT FROM pg_namespace WHERE nspname = name || '_v' || version)`;

/** All versions of all read models, also of other shapes. */
export async function allVersions(pool: Pool): Promise<Version[]> {
  return (await pool.query<Version>(`${VERSIONS} ORDER BY name, version`)).rows;
}

/** The versions of this program's shape. */
export function versionsOf(db: Pool | ClientBase, { name, shape }: Manifest): Promise<Version[]> {
  return versionsOfShapes(db, name, [shape]);
}

/** The versions whose tables this program reads: of its shape and of the former one. */
export function knownVersions(db: Pool | ClientBase, { name, shape, former }: Manifest): Promise<Version[]> {
  return versionsOfShapes(db, name, former === undefined ? [shape] : [shape, former.shape]);
}

async function versionsOfShapes(db: Pool | ClientBase, name: string, shapes: readonly number[]): Promise<Version[]> {
  const { rows } = await db.query<Version>(`${VERSIONS} AND name = $1 AND shape = ANY ($2) ORDER BY version`, [
    name,
    shapes,
  ]);
  return rows;
}

export async function findVersion(db: Pool | ClientBase, name: string, version: number): Promise<Version | null> {
  const { rows } = await db.query<Version>(`${VERSIONS} AND name = $1 AND version = $2`, [name, version]);
  return rows[0] ?? null;
}

/** The same, and keeps it from being switched or dropped until the transaction ends. */
export async function lockVersion(tx: ClientBase, name: string, version: number): Promise<Version | null> {
  const { rows } = await tx.query<Version>(
    `${VERSIONS} AND name = $1 AND version = $2 FOR NO KEY UPDATE OF read_models`,
    [name, version],
  );
  return rows[0] ?? null;
}

/**
 * Creates the next version, building, with its tables.
 * @param onlyFirst if there are versions of this shape, creates none and returns the newest of them
 */
export async function createVersion(pool: Pool, model: ReadModel, onlyFirst = false): Promise<Version> {
  return inTransaction(pool, async (tx) => {
    await lockVersions(tx, model.name);
    const existing = onlyFirst ? (await versionsOf(tx, model)).at(-1) : undefined;
    if (existing !== undefined) return existing;
    const { rows } = await tx.query<{ version: number }>(
      `SELECT coalesce(max(version), 0) + 1 AS version FROM runtime.read_models
       WHERE name = $1 AND EXISTS (SELECT FROM pg_namespace WHERE nspname = name || '_v' || version)`,
      [model.name],
    );
    const version = rows[0]!.version;
    const schema = schemaOf(model.name, version);
    // A schema without a row is left over if the schema `runtime` was dropped.
    await dropTables(tx, schema);
    await createTables(tx, model, schema);
    const created = { name: model.name, version, shape: model.shape, state: 'building' as const };
    await tx.query('DELETE FROM runtime.read_models WHERE name = $1 AND version = $2', [model.name, version]);
    await removeComparisons(tx, model.name, version);
    await tx.query('INSERT INTO runtime.read_models (name, version, shape, state) VALUES ($1, $2, $3, $4)', [
      created.name,
      created.version,
      created.shape,
      created.state,
    ]);
    return { ...created, verified: false, served: false, error: null, paused: false, maxRate: null };
  });
}

/**
 * Creates a schema with the tables of the read model and of its runtime.
 * @param change changes the tables before they are distributed over the nodes of a cluster
 */
export async function createTables(
  tx: ClientBase,
  model: ReadModel,
  schema: string,
  change: () => Promise<void> = async () => {},
): Promise<void> {
  await lockTablesOfCluster(tx);
  await tx.query(`CREATE SCHEMA ${schema}`);
  await setSearchPath(tx, schema);
  await tx.query(model.ddl);
  await tx.query(CHECKPOINT_DDL);
  await tx.query(DEAD_LETTERS_DDL);
  await change();
  await distribute(tx, model, schema, await tablesOf(tx, schema));
}

/** Drops a schema with all its tables, if there is one. */
export async function dropTables(tx: ClientBase, schema: string): Promise<void> {
  await lockTablesOfCluster(tx);
  await tx.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
}

/** Until the transaction ends, names without a schema mean the version's tables. */
export async function setSearchPath(tx: ClientBase, schema: string): Promise<void> {
  await tx.query(`SET LOCAL search_path TO ${schema}`);
}

/** Runs `work` in a transaction in which names without a schema mean the version's tables ({@link howToCommit}). */
export async function inVersion<T>(pool: Pool, schema: string, work: (tx: ClientBase) => Promise<T>): Promise<T> {
  // The setting comes last: a cluster would send all of the text, BEGIN included, to the nodes.
  const begin = `BEGIN; SET LOCAL search_path TO ${schema}; SET LOCAL ${await howToCommit(pool)}`;
  return inTransaction(
    pool,
    async (tx) => {
      await namesBots(tx); // for the statements of `work`
      return work(tx);
    },
    begin,
  );
}

/**
 * Records that a version has caught up: it becomes live if there is no live version, else ready. A paused one stays as it is.
 * @param takesOver whether it also becomes live as the first version of its shape, while a version of another shape is live
 */
export async function finishBuilding(pool: Pool, name: string, version: number, takesOver: boolean): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await lockVersions(tx, name);
    const { rows } = await tx.query<Version>(`${VERSIONS} AND name = $1`, [name]);
    const own = rows.find((each) => each.version === version);
    if (own?.state !== 'building' || own.paused) return;
    const isFirst = !rows.some((each) => each.shape === own.shape && each !== own && each.state !== 'building');
    await tx.query('DELETE FROM runtime.builders WHERE name = $1 AND version = $2', [name, version]);
    if ((takesOver && isFirst) || !rows.some(({ state }) => state === 'live')) await replaceLive(tx, name, version);
    else
      await tx.query(`UPDATE runtime.read_models SET state = 'ready' WHERE name = $1 AND version = $2`, [
        name,
        version,
      ]);
  });
}

/**
 * Makes a ready version the live one, in one transaction. The old live version becomes ready and keeps following the
 * log.
 * @returns whether it is live; false if it is not ready: then nothing has changed
 */
export async function makeLive(pool: Pool, name: string, version: number): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    await lockVersions(tx, name);
    const { rowCount } = await tx.query(`${VERSIONS} AND name = $1 AND version = $2 AND state <> 'building'`, [
      name,
      version,
    ]);
    if (rowCount !== 1) return false;
    await replaceLive(tx, name, version);
    return true;
  });
}

async function replaceLive(tx: ClientBase, name: string, version: number): Promise<void> {
  await tx.query(`UPDATE runtime.read_models SET state = 'ready', served = true WHERE name = $1 AND state = 'live'`, [
    name,
  ]);
  await tx.query(`UPDATE runtime.read_models SET state = 'live' WHERE name = $1 AND version = $2`, [name, version]);
}

export async function setVerified(pool: Pool, name: string, version: number, verified: boolean): Promise<void> {
  await pool.query('UPDATE runtime.read_models SET verified = $3 WHERE name = $1 AND version = $2', [
    name,
    version,
    verified,
  ]);
}

/** Notes why a version has stopped. If another projector of it has stopped before at another commit, its error stays. */
export async function noteError(db: Pool | ClientBase, name: string, version: number, error: string): Promise<void> {
  await db.query('UPDATE runtime.read_models SET error = $3 WHERE name = $1 AND version = $2 AND error IS NULL', [
    name,
    version,
    error,
  ]);
}

/** Lets a version that has stopped continue. */
export async function clearError(db: Pool | ClientBase, name: string, version: number): Promise<void> {
  await db.query('UPDATE runtime.read_models SET error = NULL WHERE name = $1 AND version = $2', [name, version]);
}

/** Until the transaction ends, no other creates, switches or drops versions of the read model. */
export async function lockVersions(tx: ClientBase, name: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`read model ${name}`]);
}

/**
 * The share of a version's projectors, whose parts are groups of partitions (follow.ts). Releases that did not share a
 * version had one lease of this name: while one of their instances holds it, no instance takes a group.
 */
export function shareOf(name: string, version: number): string {
  return `projection ${schemaOf(name, version)}`;
}

/** The share of the instances that build a version up to its goal, whose parts are groups of units (build-units.ts). */
export function buildShareOf(name: string, version: number): string {
  return `build ${schemaOf(name, version)}`;
}

/** The lease of the one projector that builds a version from its goal on, all partitions together. */
export function buildLeaseOf(name: string, version: number): string {
  return `${shareOf(name, version)}/build`;
}

/**
 * Whether a projector builds or follows the version.
 * @param except a holder of leases that does not count
 */
export function isFollowed(pool: Pool, name: string, version: number, except?: string): Promise<boolean> {
  return isAnyHeld(pool, [shareOf(name, version), buildShareOf(name, version)], except);
}

/** The tables that each schema has besides those of its read model. */
export const TABLES_OF_RUNTIME = ['checkpoints', 'dead_letters'] as const;

/** The tables of a read model's schema except the runtime's tables, by name. */
export async function tablesOf(db: Pool | ClientBase, schema: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename <> ALL ($2) ORDER BY tablename',
    [schema, TABLES_OF_RUNTIME],
  );
  return rows.map(({ name }) => name);
}
