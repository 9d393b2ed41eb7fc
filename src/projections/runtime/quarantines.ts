import type { ClientBase, Pool } from 'pg';
import type { Cursor, Position } from '../../log/port.ts';

/**
 * Bots whose commits a version of a read model does not apply now, since it could not apply one of them. The checkpoint
 * moves for all other bots. The bot's own position says how far the version has its commits (catch-up.ts).
 *
 * Each change of these rows locks or moves the checkpoint of the partition in its transaction, and each batch compares them
 * with what its projector knows. So of two projectors, one with an old view rolls back.
 */
export interface Quarantine {
  readonly partition: number;
  /** The version has the bot's commits up to here; '': none. */
  readonly position: Position;
  /** Id of the commit that could not be applied; null: none is known now. */
  readonly commitId: string | null;
}

/** By public key of the bot. */
export type Quarantines = ReadonlyMap<string, Quarantine>;

export async function loadQuarantines(db: Pool | ClientBase, schema: string): Promise<Quarantines> {
  const { rows } = await db.query<Quarantine & { readonly key: string }>({
    name: 'runtime.quarantines_of',
    text: `SELECT key, lane AS partition, position, commit_id AS "commitId" FROM runtime.quarantines WHERE schema = $1`,
    values: [schema],
  });
  return new Map(rows.map(({ key, ...quarantine }) => [key, quarantine]));
}

/** Whether exactly the known bots of these partitions are quarantined. Needs a lock on the checkpoints. */
export async function areQuarantined(
  tx: ClientBase,
  schema: string,
  partitions: readonly number[],
  known: Quarantines,
): Promise<boolean> {
  const { rows } = await tx.query<{ key: string }>({
    name: 'runtime.quarantined_in',
    text: 'SELECT key FROM runtime.quarantines WHERE schema = $1 AND lane = ANY ($2::int[])',
    values: [schema, partitions],
  });
  const expected = [...known.values()].filter(({ partition }) => partitions.includes(partition));
  return rows.length === expected.length && rows.every(({ key }) => known.has(key));
}

export async function addQuarantine(
  tx: ClientBase,
  schema: string,
  key: string,
  { partition, position, commitId }: Quarantine,
  error: string | null,
): Promise<void> {
  await tx.query(
    `INSERT INTO runtime.quarantines (name, version, key, lane, position, commit_id, error, attempts)
     SELECT name, version, $2, $3, $4, $5, $6, 1 FROM runtime.read_models WHERE name || '_v' || version = $1`,
    [schema, key, partition, position, commitId, error],
  );
}

/** Compare-and-set of a bot's position. @param to null: the quarantine ends */
export async function moveQuarantine(
  tx: ClientBase,
  schema: string,
  key: string,
  from: Position,
  to: Position | null,
): Promise<boolean> {
  const { rowCount } =
    to === null
      ? await tx.query('DELETE FROM runtime.quarantines WHERE schema = $1 AND key = $2 AND position = $3', [
          schema,
          key,
          from,
        ])
      : await tx.query(
          `UPDATE runtime.quarantines SET position = $4, commit_id = NULL, error = NULL, attempts = 0
            WHERE schema = $1 AND key = $2 AND position = $3`,
          [schema, key, from, to],
        );
  return rowCount === 1;
}

/** Records that a commit of the bot could not be applied. Compare-and-set, as {@link moveQuarantine}. */
export async function setQuarantineError(
  tx: ClientBase,
  schema: string,
  key: string,
  { position, commitId }: Quarantine,
  error: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE runtime.quarantines SET commit_id = $4, error = $5, attempts = attempts + 1
      WHERE schema = $1 AND key = $2 AND position = $3`,
    [schema, key, position, commitId, error],
  );
  return rowCount === 1;
}

/** The bots that an operator's decision lets catch up: their letter is gone, or is to be applied again. */
export async function decidedBots(pool: Pool, schema: string): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>(
    `SELECT key FROM runtime.quarantines LEFT JOIN ${schema}.dead_letters USING (commit_id)
      WHERE schema = $1 AND coalesce(retry, true)`,
    [schema],
  );
  return rows.map(({ key }) => key);
}

/** A quarantined bot, for operators. */
export interface ListedQuarantine {
  /** Public key. */
  readonly bot: string;
  readonly since: Date;
  readonly position: Position;
  readonly commitId: string | null;
  readonly error: string | null;
}

/** Oldest first. */
export async function listQuarantines(db: Pool, schema: string): Promise<ListedQuarantine[]> {
  const { rows } = await db.query<ListedQuarantine>(
    `SELECT key AS bot, at AS since, position, commit_id AS "commitId", error FROM runtime.quarantines
      WHERE schema = $1 ORDER BY at, key`,
    [schema],
  );
  return rows;
}

/** How far a version has applied the log for one bot. */
export function passedFor(passed: Cursor, quarantine: Pick<Quarantine, 'partition' | 'position'> | undefined): Cursor {
  if (quarantine === undefined) return passed;
  const { partition, position } = quarantine;
  const own = new Map(passed);
  if (position === '') own.delete(partition);
  else own.set(partition, position);
  return own;
}
