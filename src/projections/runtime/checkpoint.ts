import type { ClientBase, Pool } from 'pg';
import type { Cursor, EventLog, Position } from '../../log/port.ts';
import { holdPositions, settle } from './cluster-tables.ts';

/**
 * The checkpoints of a version are in the version's own schema: dropping the schema drops them too, and the next start
 * builds the read model again.
 */
export const CHECKPOINT_DDL = `
  CREATE TABLE checkpoints (lane integer PRIMARY KEY, position text COLLATE "C" NOT NULL);`;

/** The key of a checkpoint is the number of its partition. The key of a section's checkpoint is larger than this. */
export const MOST_PARTITIONS = 65_536;

/** The result of an attempt to move a checkpoint. */
export type Moved = 'moved' | 'already' | 'ahead' | 'elsewhere';

/** PostgreSQL cuts longer names of prepared statements, and two might become one. */
const MAX_STATEMENT_NAME = 63;

/**
 * The position per partition up to which a version has applied the log; of a divided partition the position of the section
 * that is furthest back (sections.ts).
 */
export async function loadCheckpoint(db: Pool | ClientBase, schema: string): Promise<Cursor> {
  const { rows } = await db.query<{ lane: number; position: Position }>(
    `SELECT lane % ${MOST_PARTITIONS} AS lane, min(position) AS position FROM ${schema}.checkpoints GROUP BY 1`,
  );
  await settle(db, [schema]);
  return new Map(rows.filter(({ position }) => position !== '').map(({ lane, position }) => [lane, position]));
}

/**
 * The position per partition up to which all of the schemas have applied the log. One statement, prepared once per connection.
 * @param bots public keys of the bots whose rows are asked for: where one is quarantined, its own position counts
 */
export async function loadLeastCheckpoint(
  pool: Pool,
  schemas: readonly string[],
  bots: readonly string[],
): Promise<Cursor> {
  const all = schemas.map((schema) => `SELECT lane, position FROM ${schema}.checkpoints`).join(' UNION ALL ');
  const name = `least_checkpoint.${schemas.join('.')}`;
  const { rows } = await pool.query<{ lane: number; position: Position }>({
    ...(name.length <= MAX_STATEMENT_NAME ? { name } : {}),
    text: `SELECT lane, least(min(position), (SELECT min(q.position) FROM runtime.quarantines q
                                               WHERE q.lane = c.lane AND q.schema = ANY ($2) AND q.key = ANY ($3))) AS position
             FROM (${all}) AS c GROUP BY lane HAVING count(*) = $1`,
    values: [schemas.length, schemas, bots],
  });
  await settle(pool, schemas);
  return new Map(rows.filter(({ position }) => position !== '').map(({ lane, position }) => [lane, position]));
}

/** A move of the checkpoint of one partition, or of a section of it. */
export interface Move {
  /** The key of the checkpoint. */
  readonly key: number;
  /** Undefined: there is no such checkpoint yet. */
  readonly from: Position | undefined;
  readonly to: Position;
}

/**
 * Compare-and-set of the checkpoints of partitions, in the transaction that writes the rows: if two projectors run, one moves
 * the checkpoint; the other gets another result and must roll back. Every batch does this, so the statement is prepared once
 * per connection and schema.
 * @returns `moved`: all of them; else the state of the first that was not
 */
export async function moveCheckpoints(tx: ClientBase, schema: string, moves: readonly Move[]): Promise<Moved> {
  const first = moves.filter(({ from }) => from === undefined);
  const begun = first.length === 0 ? 0 : await beginCheckpoints(tx, schema, first);
  const later = moves.filter(({ from }) => from !== undefined);
  const { isOne, locked, once } = lockedInOrder(schema, later);
  const moved =
    later.length === 0
      ? null
      : await tx.query({
          name: `move_checkpoints.${schema}${isOne ? '' : '.several'}`,
          text: `${locked}
                 UPDATE ${schema}.checkpoints AS c SET position = m.next
                   FROM unnest($1::int[], $2::text[], $3::text[]) AS m (lane, place, next)
                  WHERE c.lane = m.lane AND c.position = m.place ${once}`,
          values: [later.map(({ key }) => key), later.map(({ from }) => from), later.map(({ to }) => to)],
        });
  if (begun + (moved?.rowCount ?? 0) === moves.length) {
    await holdPositions(
      tx,
      schema,
      moves.map(({ to }) => to),
    );
    return 'moved';
  }
  const { rows } = await tx.query<{ lane: number; position: Position }>(
    `SELECT lane, position FROM ${schema}.checkpoints`,
  );
  const found = new Map(rows.map(({ lane, position }) => [lane, position]));
  const states = moves.map(({ key, to }): Moved => {
    const position = found.get(key);
    if (position === to) return 'already';
    return position !== undefined && position > to ? 'ahead' : 'elsewhere';
  });
  return states.find((state) => state !== 'already') ?? 'already';
}

/**
 * SQL that locks the checkpoints $1 in the one order in which transactions lock several of them: before the
 * statement, and in its condition. PostgreSQL evaluates such a condition before it reads a row.
 */
export function lockedInOrder(
  schema: string,
  { length }: readonly Move[],
): { readonly isOne: boolean; readonly locked: string; readonly once: string } {
  if (length <= 1) return { isOne: true, locked: '', once: '' };
  return {
    isOne: false,
    locked: `WITH locked AS (SELECT FROM ${schema}.checkpoints WHERE lane = ANY ($1) ORDER BY lane FOR UPDATE)`,
    once: 'AND (SELECT count(*) FROM locked) > 0',
  };
}

/** @returns the number of checkpoints that did not exist before */
async function beginCheckpoints(tx: ClientBase, schema: string, moves: readonly Move[]): Promise<number> {
  const { rowCount } = await tx.query(
    `INSERT INTO ${schema}.checkpoints (lane, position) SELECT * FROM unnest($1::int[], $2::text[]) ON CONFLICT DO NOTHING`,
    [moves.map(({ key }) => key), moves.map(({ to }) => to)],
  );
  return rowCount ?? 0;
}

/**
 * Keeps batches of the partition, or of the section of it, from being applied until the transaction ends, the first batch too.
 * @returns the checkpoint; undefined: there is none yet
 */
export async function lockCheckpoint(tx: ClientBase, schema: string, key: number): Promise<Position | undefined> {
  for (;;) {
    const { rows } = await tx.query<{ position: Position }>(
      `SELECT position FROM ${schema}.checkpoints WHERE lane = $1 FOR UPDATE`,
      [key],
    );
    if (rows[0] !== undefined) return rows[0].position;
    // There is no row to lock. Another insert of the same key waits for this transaction, though the row is deleted again.
    const { rowCount } = await tx.query(
      `INSERT INTO ${schema}.checkpoints (lane, position) VALUES ($1, '') ON CONFLICT DO NOTHING`,
      [key],
    );
    if (rowCount === 1) {
      await tx.query(`DELETE FROM ${schema}.checkpoints WHERE lane = $1`, [key]);
      return undefined;
    }
  }
}

/** Called with the number of applied commits and of all commits; both are upper bounds. */
export type OnCommits = (done: number, total: number) => void;

/** The number of commits up to `cursor`, and of all commits of the log. */
export async function commitsUpTo(log: EventLog, cursor: Cursor): Promise<{ done: number; total: number }> {
  const left = (await log.lag(cursor)).commits;
  const total = Math.max(left, (await log.lag(new Map())).commits); // both are estimates
  return { done: total - left, total };
}
