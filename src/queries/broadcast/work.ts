import type pg from 'pg';

/** A broadcast that something is to be done about now. */
export interface BroadcastWork {
  /** Public key. */
  readonly bot: string;
  readonly id: number;
}

/**
 * Broadcasts that are due or on their way, the oldest first, as the read model `broadcasts` in `schema` has them, and when
 * the next of the others is due; null: none is.
 */
export async function broadcastWork(
  pool: pg.Pool,
  schema: string,
  now: number,
): Promise<{ readonly work: BroadcastWork[]; readonly nextDue: number | null }> {
  const { rows } = await pool.query<{ bot: string | null; id: number | null; next_due: number | null }>({
    name: `${schema}.broadcast_work`,
    text: `SELECT public_key AS bot, id::float8, NULL::float8 AS next_due FROM ${schema}.broadcasts
            WHERE status IN (1, 2, 6, 7, 8) AND (status <> 1 OR due IS NULL OR due <= $1)
            UNION ALL SELECT NULL, NULL, min(due)::float8 FROM ${schema}.broadcasts WHERE status = 1 AND due > $1
            ORDER BY id`,
    values: [now],
  });
  const work = rows.flatMap(({ bot, id }) => (bot === null || id === null ? [] : [{ bot, id }]));
  return { work, nextDue: rows.find(({ bot }) => bot === null)!.next_due };
}
