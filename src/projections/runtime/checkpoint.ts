import type { ClientBase, Pool } from 'pg';
import type { Cursor, Position } from '../../log/port.ts';

/**
 * Checkpoints stand in the version's own schema: whoever drops the schema drops them too, and the next start builds the
 * read model anew.
 */
export const CHECKPOINT_DDL = `
  CREATE TABLE checkpoints (lane integer PRIMARY KEY, position text COLLATE "C" NOT NULL);`;

/** What became of an attempt to move a checkpoint. */
export type Moved = 'moved' | 'already' | 'ahead' | 'elsewhere';

/** The positions up to which a version of a read model holds the log. */
export async function loadCheckpoint(db: Pool | ClientBase, schema: string): Promise<Cursor> {
  const { rows } = await db.query<{ lane: number; position: Position }>(
    `SELECT lane, position FROM ${schema}.checkpoints`,
  );
  return new Map(rows.map(({ lane, position }) => [lane, position]));
}

/** The positions up to which all of the schemas hold the log, by one statement, prepared once a connection. */
export async function loadLeastCheckpoint(pool: Pool, schemas: readonly string[]): Promise<Cursor> {
  const all = schemas.map((schema) => `SELECT lane, position FROM ${schema}.checkpoints`).join(' UNION ALL ');
  const { rows } = await pool.query<{ lane: number; position: Position }>({
    name: `least_checkpoint.${schemas.join('.')}`,
    text: `SELECT lane, min(position) AS position FROM (${all}) AS c GROUP BY lane HAVING count(*) = $1`,
    values: [schemas.length],
  });
  return new Map(rows.map(({ lane, position }) => [lane, position]));
}

/**
 * Compare-and-set, in the transaction that writes the rows: of two projectors one moves the checkpoint, the other learns
 * that it did not and must roll back. Runs with the search path on the version's schema.
 */
export async function moveCheckpoint(
  tx: ClientBase,
  partition: number,
  from: Position | undefined,
  to: Position,
): Promise<Moved> {
  const moved =
    from === undefined
      ? await tx.query('INSERT INTO checkpoints (lane, position) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
          partition,
          to,
        ])
      : await tx.query('UPDATE checkpoints SET position = $3 WHERE lane = $1 AND position = $2', [partition, from, to]);
  if (moved.rowCount === 1) return 'moved';
  const { rows } = await tx.query<{ position: Position }>('SELECT position FROM checkpoints WHERE lane = $1', [
    partition,
  ]);
  const found = rows[0]?.position;
  if (found === to) return 'already';
  return found !== undefined && found > to ? 'ahead' : 'elsewhere';
}
