import type pg from 'pg';

/** An open write transaction of a session. */
export interface OpenTransaction {
  readonly pid: number;
  /** Time since it began. */
  readonly seconds: number;
  /** The name that the session's program gave itself, such as psql. Null if it has none or may not be seen. */
  readonly program: string | null;
}

/**
 * The oldest open write transaction anywhere in the cluster, or null. Readers of a log in this cluster stop before it,
 * so one that hangs stops every projection.
 */
export async function oldestWriter(pool: pg.Pool): Promise<OpenTransaction | null> {
  const { rows } = await pool.query<OpenTransaction>({
    name: 'oldest_writer',
    text: `SELECT pid, extract(epoch FROM clock_timestamp() - xact_start)::float8 AS seconds,
             nullif(application_name, '') AS program
           FROM pg_stat_activity WHERE backend_xid IS NOT NULL ORDER BY age(backend_xid) DESC LIMIT 1`,
  });
  return rows[0] ?? null;
}
