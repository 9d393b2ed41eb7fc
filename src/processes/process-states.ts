import type pg from 'pg';
import { type Migrations, migrate } from '../database/migrate.ts';
import type { Cursor, Position } from '../log/port.ts';
import type { FailureReport } from './process.ts';

const migrations: Migrations = {
  '0001_states': `
    CREATE TABLE processes.states (
      name text COLLATE "C" PRIMARY KEY,
      -- Partition: position.
      positions jsonb NOT NULL DEFAULT '{}',
      -- Why it ended last; it is tried again.
      error text,
      -- When an instance that runs it was last heard of.
      seen_at timestamptz NOT NULL DEFAULT '-infinity'
    );`,
  '0002_troubles': `
  CREATE TABLE processes.troubles (
    -- The process, and the part of its work that fails.
    name text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    error text NOT NULL,
    -- Shown until then, unless the process reports it again.
    until timestamptz NOT NULL,
    PRIMARY KEY (name, subject)
  );`,
  // The view is for instances of the release before: they continue while the first instance of this release starts.
  '0003_failures': `
  ALTER TABLE processes.troubles RENAME TO failures;
  ALTER INDEX processes.troubles_pkey RENAME TO failures_pkey;
  CREATE VIEW processes.troubles AS SELECT name, subject, error, until FROM processes.failures;`,
};

export const PROCESSES_SCHEMA = { schema: 'processes', migrations } as const;

/** The schema `processes`: the position of each process. If it is dropped, the processes look through everything once more. */
export function migrateProcessesSchema(pool: pg.Pool): Promise<void> {
  return migrate(pool, PROCESSES_SCHEMA.schema, PROCESSES_SCHEMA.migrations);
}

/** Lists a process that has never run. */
export async function addState(pool: pg.Pool, name: string): Promise<void> {
  await pool.query('INSERT INTO processes.states (name) VALUES ($1) ON CONFLICT DO NOTHING', [name]);
}

export async function loadPositions(pool: pg.Pool, name: string): Promise<Cursor> {
  const { rows } = await pool.query<{ partition: string; position: Position }>(
    `SELECT p.key AS partition, p.value AS position FROM processes.states, jsonb_each_text(positions) p WHERE name = $1`,
    [name],
  );
  return new Map(rows.map(({ partition, position }) => [Number(partition), position]));
}

/** Saves that a process runs, and its positions in these partitions; null: it has not moved. New positions end an error. */
export async function saveState(
  pool: pg.Pool,
  name: string,
  partitions: ReadonlySet<number>,
  reached: Cursor | null,
): Promise<void> {
  await pool.query(
    `INSERT INTO processes.states AS s (name, positions, seen_at) VALUES ($1, coalesce($2::jsonb, '{}'), clock_timestamp())
     ON CONFLICT (name) DO UPDATE SET positions = coalesce((s.positions - $3::text[]) || $2, s.positions),
       seen_at = excluded.seen_at, error = CASE WHEN $2::jsonb IS NULL THEN s.error END`,
    [name, reached === null ? null : JSON.stringify(Object.fromEntries(reached)), [...partitions].map(String)],
  );
}

/** Saves that these processes run. */
export async function saveRunning(pool: pg.Pool, names: readonly string[]): Promise<void> {
  await pool.query('UPDATE processes.states SET seen_at = clock_timestamp() WHERE name = ANY ($1)', [names]);
}

export async function saveError(pool: pg.Pool, name: string, error: string): Promise<void> {
  await pool.query('UPDATE processes.states SET error = $2 WHERE name = $1', [name, error]);
}

/** How much later than announced a process may try again and report again; afterwards the failure is not shown. */
const GRACE_MS = 60_000;

/** Saves a part of a process's work that fails; null: it works again. */
export async function saveFailure(
  pool: pg.Pool,
  name: string,
  subject: string,
  failure: FailureReport | null,
): Promise<void> {
  if (failure === null) {
    await pool.query('DELETE FROM processes.failures WHERE name = $1 AND subject = $2', [name, subject]);
    return;
  }
  await pool.query(
    `INSERT INTO processes.failures (name, subject, error, until)
     VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond')
     ON CONFLICT (name, subject) DO UPDATE SET error = excluded.error, until = excluded.until`,
    [name, subject, failure.error.replaceAll('\0', '\ufffd'), failure.againMs + GRACE_MS],
  );
}
