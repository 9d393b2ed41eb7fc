import type { Pool } from 'pg';
import { removeShares } from '../../database/lease-rows.ts';
import { inTransaction } from '../../database/transaction.ts';
import { schemaOf } from '../read-model.ts';
import { buildShareOf, dropTables, lockVersions, shareOf, VERSIONS } from './versions.ts';

/**
 * Drops a version that does not answer. Programs stop using it at once; `removeDropped` removes its tables when no projector
 * writes to them.
 * @returns whether it is dropped; false if it is live, or if no version is live, so that it may be the one that answers
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

/** A reader of a dropped version, such as a comparison, holds its tables for minutes: a switch must not wait for that. */
const LOCK_MS = 100;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Removes the tables of dropped versions that no projector follows and no transaction reads. This also finishes drops of commands
 * that were killed.
 * @returns the number of dropped versions that still have their tables
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
    if ((await isFollowed(version)) || !(await removeTables(pool, name, version))) left++;
  }
  return left;
}

/** @returns false: a transaction reads the tables */
async function removeTables(pool: Pool, name: string, version: number): Promise<boolean> {
  try {
    await inTransaction(pool, async (tx) => {
      await lockVersions(tx, name);
      await tx.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
      await dropTables(tx, schemaOf(name, version));
      await tx.query(`DELETE FROM runtime.read_models WHERE name = $1 AND version = $2 AND state = 'dropped'`, [
        name,
        version,
      ]);
      await removeShares(tx, [shareOf(name, version), buildShareOf(name, version)]);
    });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}
