import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../database/transaction.ts';
import { type ReadModel, schemaOf } from '../read-model.ts';
import { CHECKPOINT_DDL } from './checkpoint.ts';
import { DEAD_LETTERS_DDL } from './dead-letters.ts';

/**
 * A version of a read model, in a schema of its own. It is *building* until it has caught up with the log for the first
 * time, then *ready*; of all versions of a read model one is *live*, the one that answers. All of them follow the log.
 */
export interface Version {
  readonly name: string;
  /** Counts the times that the read model was built in this database. */
  readonly version: number;
  /** What it was built by: only code of the same `ReadModel.shape` reads and writes it. */
  readonly shape: number;
  readonly state: 'building' | 'ready' | 'live';
  /** Whether it was found the same as a replay of the log. */
  readonly verified: boolean;
  /** Why it has stopped; null: it has not. */
  readonly error: string | null;
}

/** A row without its schema is nothing: somebody has dropped it. One that is dropped may still have its schema. */
const VERSIONS = `
  SELECT name, version, shape, state, verified, error FROM runtime.read_models
  WHERE state <> 'dropped' AND EXISTS (SELECT FROM pg_namespace WHERE nspname = name || '_v' || version)`;

/** A version as those see it who follow or remove it. */
export interface SeenVersion extends Omit<Version, 'state'> {
  /** *dropped*: it is neither listed nor queried, and its tables are yet to be removed. */
  readonly state: Version['state'] | 'dropped';
  /** Grows when somebody asks to apply what the version has set aside. */
  readonly retries: number;
}

/** All versions of all read models, other code's and those that are dropped too. */
export async function seenVersions(pool: Pool): Promise<SeenVersion[]> {
  const { rows } = await pool.query<SeenVersion>({
    name: 'runtime.seen_versions',
    text: `SELECT name, version, shape, state, verified, error, retries FROM runtime.read_models
           WHERE state = 'dropped' OR EXISTS (SELECT FROM pg_namespace WHERE nspname = name || '_v' || version)
           ORDER BY name, version`,
  });
  return rows;
}

/** All versions of all read models, other code's too. */
export async function allVersions(pool: Pool): Promise<Version[]> {
  return (await pool.query<Version>(`${VERSIONS} ORDER BY name, version`)).rows;
}

/** The versions that this code can work with. */
export async function versionsOf(db: Pool | ClientBase, { name, shape }: ReadModel): Promise<Version[]> {
  const { rows } = await db.query<Version>(`${VERSIONS} AND name = $1 AND shape = $2 ORDER BY version`, [name, shape]);
  return rows;
}

export async function findVersion(db: Pool | ClientBase, name: string, version: number): Promise<Version | null> {
  const { rows } = await db.query<Version>(`${VERSIONS} AND name = $1 AND version = $2`, [name, version]);
  return rows[0] ?? null;
}

/**
 * The version to answer from: the live one, or where that is of another shape, since an upgrade is under way, the newest
 * that is ready. Null while there is none.
 */
export function servedOf(versions: readonly Version[]): Version | null {
  const built = versions.filter(({ state }) => state !== 'building');
  return built.find(({ state }) => state === 'live') ?? built.at(-1) ?? null;
}

/**
 * Creates the next version, with its tables; it is building.
 * @param onlyFirst not if there is one that this code can work with: then the newest of these is answered
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
    // A schema that nobody knows of is left of a database whose schema `runtime` was dropped.
    await tx.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await createTables(tx, model, schema);
    const created = { name: model.name, version, shape: model.shape, state: 'building' as const };
    await tx.query('DELETE FROM runtime.read_models WHERE name = $1 AND version = $2', [model.name, version]);
    await tx.query('INSERT INTO runtime.read_models (name, version, shape, state) VALUES ($1, $2, $3, $4)', [
      created.name,
      created.version,
      created.shape,
      created.state,
    ]);
    return { ...created, verified: false, error: null };
  });
}

/** Creates a schema with the read model's tables and those of its runtime. */
export async function createTables(tx: ClientBase, model: ReadModel, schema: string): Promise<void> {
  await tx.query(`CREATE SCHEMA ${schema}`);
  await setSearchPath(tx, schema);
  await tx.query(model.ddl);
  await tx.query(CHECKPOINT_DDL);
  await tx.query(DEAD_LETTERS_DDL);
}

/** Names without a schema mean the version's tables, until the transaction ends. */
export async function setSearchPath(tx: ClientBase, schema: string): Promise<void> {
  await tx.query(`SET LOCAL search_path TO ${schema}`);
}

/**
 * Begins a transaction in which names without a schema mean the version's tables. Rows and checkpoint are lost together or
 * not at all, and what is lost is projected again: no need to wait for the disk.
 */
export function beginIn(schema: string): string {
  return `BEGIN; SET LOCAL synchronous_commit TO off; SET LOCAL search_path TO ${schema}`;
}

/** It has caught up: it answers if nothing does yet, else it waits to be switched to. */
export async function finishBuilding(pool: Pool, name: string, version: number): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await lockVersions(tx, name);
    await tx.query(
      `UPDATE runtime.read_models SET state =
         CASE WHEN EXISTS (SELECT FROM (${VERSIONS}) AS v WHERE name = $1 AND state = 'live') THEN 'ready' ELSE 'live' END
       WHERE name = $1 AND version = $2 AND state = 'building'`,
      [name, version],
    );
  });
}

/**
 * Makes a version that is ready the live one, in one transaction; the one before it stays ready, and goes on following.
 * @returns whether it is live; else it is not ready (any more), and nothing has changed
 */
export async function makeLive(pool: Pool, name: string, version: number): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    await lockVersions(tx, name);
    const { rowCount } = await tx.query(`${VERSIONS} AND name = $1 AND version = $2 AND state <> 'building'`, [
      name,
      version,
    ]);
    if (rowCount !== 1) return false;
    await tx.query(`UPDATE runtime.read_models SET state = 'ready' WHERE name = $1 AND state = 'live'`, [name]);
    await tx.query(`UPDATE runtime.read_models SET state = 'live' WHERE name = $1 AND version = $2`, [name, version]);
    return true;
  });
}

/**
 * Drops a version that does not answer: from here on nobody sees it, and its tables go when nobody writes to them any
 * more (`removeDropped`).
 * @returns whether it is dropped; else it is the live one, or nothing is live and it may be what answers
 */
export async function dropVersion(pool: Pool, name: string, version: number): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    await lockVersions(tx, name);
    const { rowCount } = await tx.query(
      `UPDATE runtime.read_models SET state = 'dropped' WHERE name = $1 AND version = $2 AND state <> 'live'
       AND EXISTS (SELECT FROM (${VERSIONS}) AS v WHERE name = $1 AND state = 'live')`,
      [name, version],
    );
    return rowCount === 1;
  });
}

/**
 * Removes the tables of dropped versions that no projector holds any more, whoever dropped them and was killed since.
 * @returns how many dropped versions still have theirs
 */
export async function removeDropped(
  pool: Pool,
  name: string,
  isFollowed: (version: number) => Promise<boolean>,
): Promise<number> {
  const { rows } = await pool.query<{ version: number }>(
    `SELECT version FROM runtime.read_models WHERE name = $1 AND state = 'dropped'`,
    [name],
  );
  let left = 0;
  for (const { version } of rows) {
    if (await isFollowed(version)) left++;
    else
      await inTransaction(pool, async (tx) => {
        await lockVersions(tx, name);
        await tx.query(`DROP SCHEMA IF EXISTS ${schemaOf(name, version)} CASCADE`);
        await tx.query(`DELETE FROM runtime.read_models WHERE name = $1 AND version = $2 AND state = 'dropped'`, [
          name,
          version,
        ]);
      });
  }
  return left;
}

export async function setVerified(pool: Pool, name: string, version: number, verified: boolean): Promise<void> {
  await pool.query('UPDATE runtime.read_models SET verified = $3 WHERE name = $1 AND version = $2', [
    name,
    version,
    verified,
  ]);
}

/** Why the version has stopped; null lets it go on. */
export async function setError(
  db: Pool | ClientBase,
  name: string,
  version: number,
  error: string | null,
): Promise<void> {
  await db.query('UPDATE runtime.read_models SET error = $3 WHERE name = $1 AND version = $2', [name, version, error]);
}

async function lockVersions(tx: ClientBase, name: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`read model ${name}`]);
}

/** The lease of whoever projects a version. */
export function leaseOf(name: string, version: number): string {
  return `projection ${schemaOf(name, version)}`;
}
