import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../database/transaction.ts';
import type { Position, RecordedCommit } from '../../log/port.ts';
import { schemaOf } from '../read-model.ts';

/** Commits that a version of a read model could not take, in the version's own schema. */
export const DEAD_LETTERS_DDL = `
  CREATE TABLE dead_letters (
    commit_id uuid PRIMARY KEY,
    -- As the log gave it: JSON text.
    commit text NOT NULL,
    error text NOT NULL,
    -- Whether the version waits at it; else it was set aside and the version went on.
    blocking boolean NOT NULL,
    -- Somebody has asked to apply it once more.
    retry boolean NOT NULL DEFAULT false,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
  );`;

export interface DeadLetter {
  readonly commit: RecordedCommit;
  readonly error: string;
  readonly blocking: boolean;
  readonly retry: boolean;
  readonly at: Date;
}

interface Row extends Omit<DeadLetter, 'commit'> {
  readonly commit: string;
}

/** Runs with the search path on the version's schema. */
export async function addDeadLetter(
  tx: ClientBase,
  commit: RecordedCommit,
  error: string,
  blocking: boolean,
): Promise<void> {
  await tx.query(
    `INSERT INTO dead_letters (commit_id, commit, error, blocking) VALUES ($1, $2, $3, $4)
     ON CONFLICT (commit_id) DO UPDATE SET error = excluded.error, blocking = excluded.blocking, retry = false`,
    [commit.id, JSON.stringify(commit), error, blocking],
  );
}

/** In the order in which they came. */
export async function listDeadLetters(pool: Pool, schema: string): Promise<DeadLetter[]> {
  const { rows } = await pool.query<Row>(
    `SELECT commit, error, blocking, retry, at FROM ${schema}.dead_letters ORDER BY at, commit_id`,
  );
  return rows.map((row) => ({ ...row, commit: JSON.parse(row.commit) as RecordedCommit }));
}

/** Where in the log that is which versions have set aside, by a name that no other has. */
export async function deadLetteredIn(pool: Pool, schemas: readonly string[]): Promise<Map<string, Position>> {
  const found = await Promise.all(
    schemas.map(async (schema) => {
      const { rows } = await pool.query<{ commit_id: string; position: Position }>(
        `SELECT commit_id, commit::json->>'position' AS position FROM ${schema}.dead_letters WHERE NOT blocking`,
      );
      return rows.map(({ commit_id, position }) => [`${schema}.${commit_id}`, position] as const);
    }),
  );
  return new Map(found.flat());
}

/** Asks the version's projector to apply the commit again. */
export async function askRetry(pool: Pool, name: string, version: number, commitId: string): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query(`UPDATE ${schemaOf(name, version)}.dead_letters SET retry = true WHERE commit_id = $1`, [commitId]);
    await tx.query('UPDATE runtime.read_models SET retries = retries + 1 WHERE name = $1 AND version = $2', [
      name,
      version,
    ]);
  });
}

/** The one that the version has stopped at. */
export async function removeBlocking(pool: Pool, schema: string): Promise<void> {
  await pool.query(`DELETE FROM ${schema}.dead_letters WHERE blocking`);
}

export async function removeDeadLetter(db: Pool | ClientBase, schema: string, commitId: string): Promise<void> {
  await db.query(`DELETE FROM ${schema}.dead_letters WHERE commit_id = $1`, [commitId]);
}
