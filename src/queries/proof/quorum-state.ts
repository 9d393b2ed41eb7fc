import type { Db } from './stored-trees.ts';

/** How well the checkpoints are cosigned. */
export interface QuorumState {
  /** When a quorum had cosigned a checkpoint last, in milliseconds since 1970 UTC; null: never. */
  readonly reachedAt: number | null;
  /** The number of checkpoints since then. */
  readonly unwitnessed: number;
}

/** Null: the policy asks for no quorum. */
export async function quorumState(db: Db): Promise<QuorumState | null> {
  const { rows } = await db.query<{ reached_at: string | null; unwitnessed: string }>(
    `SELECT quorum_at AS reached_at, count(*) AS unwitnessed
       FROM proof.state LEFT JOIN proof.checkpoints ON note IS NOT NULL AND n >= coalesce(quorum_size, 0)
      WHERE asks_quorum GROUP BY quorum_at`,
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    reachedAt: row.reached_at === null ? null : Number(row.reached_at),
    unwitnessed: Number(row.unwitnessed),
  };
}
