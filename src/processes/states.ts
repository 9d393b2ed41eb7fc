import type pg from 'pg';
import { type Migrations, migrate } from '../database/migrate.ts';
import type { Cursor, Position } from '../log/port.ts';
import { TROUBLES_DDL } from './troubles.ts';

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
  '0002_troubles': TROUBLES_DDL,
};

/** The schema `processes`: how far each process is. Whoever drops it has them look through everything once more. */
export function migrateProcessesSchema(pool: pg.Pool): Promise<void> {
  return migrate(pool, 'processes', migrations);
}

/** Lists the process where it has never run. */
export async function addState(pool: pg.Pool, name: string): Promise<void> {
  await pool.query('INSERT INTO processes.states (name) VALUES ($1) ON CONFLICT DO NOTHING', [name]);
}

export async function loadPositions(pool: pg.Pool, name: string): Promise<Cursor> {
  const { rows } = await pool.query<{ lane: string; position: Position }>(
    `SELECT p.key AS lane, p.value AS position FROM processes.states, jsonb_each_text(positions) p WHERE name = $1`,
    [name],
  );
  return new Map(rows.map(({ lane, position }) => [Number(lane), position]));
}

/** Notes how far it is, null: nothing new; and that it runs. What went wrong is over once there is something new. */
export async function saveState(pool: pg.Pool, name: string, reached: Cursor | null): Promise<void> {
  await pool.query(
    `INSERT INTO processes.states AS s (name, positions, seen_at) VALUES ($1, coalesce($2::jsonb, '{}'), clock_timestamp())
     ON CONFLICT (name) DO UPDATE SET positions = coalesce($2, s.positions), seen_at = excluded.seen_at,
       error = CASE WHEN $2::jsonb IS NULL THEN s.error END`,
    [name, reached === null ? null : JSON.stringify(Object.fromEntries(reached))],
  );
}

/** Notes that these processes run. */
export async function saveRunning(pool: pg.Pool, names: readonly string[]): Promise<void> {
  await pool.query('UPDATE processes.states SET seen_at = clock_timestamp() WHERE name = ANY ($1)', [names]);
}

export async function saveError(pool: pg.Pool, name: string, error: string): Promise<void> {
  await pool.query('UPDATE processes.states SET error = $2 WHERE name = $1', [name, error]);
}
