import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../database/transaction.ts';
import type { Position, RecordedCommit } from '../../log/port.ts';
import { schemaOf } from '../read-model.ts';

/** Commits that a version of a read model cannot apply, in the version's own schema. */
export const DEAD_LETTERS_DDL = `
  CREATE TABLE dead_letters (
    commit_id uuid PRIMARY KEY,
    -- JSON text, as the log returned it.
    commit text NOT NULL,
    error text NOT NULL,
    -- Whether the version stopped at the commit; else it skipped it.
    blocking boolean NOT NULL,
    -- An operator asked to apply the commit again.
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

/** Needs the search path on the version's schema. */
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

/** Oldest first. */
export async function listDeadLetters(pool: Pool, schema: string): Promise<DeadLetter[]> {
  const { rows } = await pool.query<Row>(
    `SELECT commit, error, blocking, retry, at FROM ${schema}.dead_letters ORDER BY at, commit_id`,
  );
  return rows.map((row) => ({ ...row, commit: JSON.parse(row.commit) as RecordedCommit }));
}

/** The log positions of the commits that versions have skipped, by `letterId`. */
export async function deadLetteredIn(pool: Pool, schemas: readonly string[]): Promise<Map<string, Position>> {
  const found = await Promise.all(
    schemas.map(async (schema) => {
      const { rows } = await pool.query<{ commit_id: string; position: Position }>(
        `SELECT commit_id, commit::json->>'position' AS position FROM ${schema}.dead_letters WHERE NOT blocking`,
      );
      return rows.map(({ commit_id, position }) => [letterId(schema, commit_id), position] as const);
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

/** Removes the dead letter that the version stopped at. */
export async function removeBlocking(pool: Pool, schema: string): Promise<void> {
  await pool.query(`DELETE FROM ${schema}.dead_letters WHERE blocking`);
}

export async function removeDeadLetter(db: Pool | ClientBase, schema: string, commitId: string): Promise<void> {
  await db.query(`DELETE FROM ${schema}.dead_letters WHERE commit_id = $1`, [commitId]);
}

/** The name of a dead letter for operators: the schema of the version, and the commit. */
export function letterId(schema: string, commitId: string): string {
  return `${schema}.${commitId}`;
}

export interface LetterName {
  readonly name: string;
  readonly version: number;
  readonly commitId: string;
}

/** Null if the text is no such name. */
export function parseLetterId(text: string): LetterName | null {
  const match = /^([a-z]+)_v(\d+)\.([0-9a-f-]{36})$/.exec(text);
  return match === null ? null : { name: match[1]!, version: Number(match[2]), commitId: match[3]! };
}
