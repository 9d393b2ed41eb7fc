import type pg from 'pg';

/** Migration of the schema `processes`. */
export const TROUBLES_DDL = `
  CREATE TABLE processes.troubles (
    -- Of the process, and what of its work it cannot go on with.
    name text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    error text NOT NULL,
    -- Said anew before then, or whoever said it is gone.
    until timestamptz NOT NULL,
    PRIMARY KEY (name, subject)
  );`;

/** How much later than it said a process may try again, and say so. */
const GRACE_MS = 60_000;

/** What a process cannot go on with, until it tries again after `againMs`; null: it can. */
export async function saveTrouble(
  pool: pg.Pool,
  name: string,
  subject: string,
  trouble: { readonly error: string; readonly againMs: number } | null,
): Promise<void> {
  if (trouble === null) {
    await pool.query('DELETE FROM processes.troubles WHERE name = $1 AND subject = $2', [name, subject]);
    return;
  }
  await pool.query(
    `INSERT INTO processes.troubles (name, subject, error, until)
     VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond')
     ON CONFLICT (name, subject) DO UPDATE SET error = excluded.error, until = excluded.until`,
    [name, subject, trouble.error.replaceAll('\0', '\ufffd'), trouble.againMs + GRACE_MS],
  );
}
