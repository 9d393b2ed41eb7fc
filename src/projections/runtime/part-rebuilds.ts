import type { ClientBase, Pool } from 'pg';
import { schemaOf } from '../read-model.ts';

/** Counts that rows of some bots were built again in a version: rows may be there that were not when a process looked. */
export async function countPartRebuild(tx: ClientBase, name: string, version: number): Promise<void> {
  await tx.query('UPDATE runtime.read_models SET part_rebuilds = part_rebuilds + 1 WHERE name = $1 AND version = $2', [
    name,
    version,
  ]);
}

/** How often rows of some bots were built again in these versions, together. */
export async function partRebuilds(pool: Pool, schemas: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ name: string; version: number; times: number }>(
    'SELECT name, version, part_rebuilds AS times FROM runtime.read_models WHERE part_rebuilds > 0',
  );
  const own = rows.filter(({ name, version }) => schemas.includes(schemaOf(name, version)));
  return own.reduce((sum, { times }) => sum + times, 0);
}
