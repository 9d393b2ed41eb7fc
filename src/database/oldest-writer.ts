import type pg from 'pg';

export interface OpenTransaction {
  readonly pid: number;
  /** Since it began. */
  readonly seconds: number;
}

/**
 * The oldest open write transaction anywhere in the cluster, or null. Readers of the Postgres log stop below it, so one
 * that hangs stops every projection: this tells which.
 */
export async function oldestWriter(pool: pg.Pool): Promise<OpenTransaction | null> {
  const { rows } = await pool.query<OpenTransaction>({
    name: 'oldest_writer',
    text: `SELECT pid, extract(epoch FROM clock_timestamp() - xact_start)::float8 AS seconds
           FROM pg_stat_activity WHERE backend_xid IS NOT NULL ORDER BY age(backend_xid) DESC LIMIT 1`,
  });
  return rows[0] ?? null;
}
