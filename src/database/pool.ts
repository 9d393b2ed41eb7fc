import pg from 'pg';

export interface PoolOptions {
  readonly connectionString: string;
  readonly max: number;
  /** Shown in pg_stat_activity, after `botledger`. */
  readonly name: string;
  /** How long to wait for a connection, in milliseconds. */
  readonly maxWaitMs: number;
  /** Told of a connection that broke; whoever was using it learns it from the query. */
  readonly onTrouble: (error: Error) => void;
}

/**
 * A pool whose broken connections never end the process: `pg` emits `error` on a client, and one that is checked out
 * and between two queries has nobody else to listen.
 */
export function createPool({ connectionString, max, name, maxWaitMs, onTrouble }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    application_name: `botledger ${name}`,
    connectionTimeoutMillis: maxWaitMs,
    keepAlive: true,
  });
  pool.on('error', onTrouble);
  pool.on('connect', (client) => client.on('error', onTrouble));
  return pool;
}
