import type pg from 'pg';

/** A broadcast that something is to be done about now. */
export interface BroadcastWork {
  /** Public key. */
  readonly bot: string;
  readonly id: number;
}

/** Broadcasts that are due or on their way, the oldest first, as the read model `broadcasts` in `schema` has them. */
export async function broadcastWork(pool: pg.Pool, schema: string, now: number): Promise<BroadcastWork[]> {
  const { rows } = await pool.query<BroadcastWork>({
    name: `${schema}.broadcast_work`,
    text: `SELECT public_key AS bot, id::float8 FROM ${schema}.broadcasts
           WHERE status IN (1, 2, 6, 7, 8) AND (status <> 1 OR due IS NULL OR due <= $1) ORDER BY broadcasts.id`,
    values: [now],
  });
  return rows;
}
