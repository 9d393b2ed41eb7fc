import pg from 'pg';

export interface PoolOptions {
  readonly connectionString: string;
  readonly max: number;
  /** Shown in pg_stat_activity, after `botledger`. */
  readonly name: string;
  /** How long to wait for a connection, in milliseconds. */
  readonly maxWaitMs: number;
  /**
   * A server that has vanished without a word (a lost host, a cut network) is noticed by the system's own timers after
   * some 15 minutes. A statement that takes longer than this, in milliseconds, gives its connection up instead.
   */
  readonly answerWithinMs?: number;
  /** Told of a connection that broke; whoever was using it learns it from the query. */
  readonly onTrouble: (error: Error) => void;
}

/** No statement of the read models' batches or of the log takes nearly as long. */
const ANSWER_WITHIN_MS = 60_000;

/**
 * A pool whose broken connections never end the process: `pg` emits `error` on a client, and one that is checked out
 * and between two queries has nobody else to listen.
 */
export function createPool(options: PoolOptions): pg.Pool {
  const { connectionString, max, name, maxWaitMs, answerWithinMs = ANSWER_WITHIN_MS, onTrouble } = options;
  const pool = new pg.Pool({
    connectionString,
    max,
    application_name: `botledger ${name}`,
    connectionTimeoutMillis: maxWaitMs,
    query_timeout: answerWithinMs,
    keepAlive: true,
  });
  pool.on('error', onTrouble);
  pool.on('connect', (client) => client.on('error', onTrouble));
  return pool;
}
