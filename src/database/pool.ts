import pg from 'pg';

export interface PoolOptions {
  readonly connectionString: string;
  readonly max: number;
  /** The pool's name. pg_stat_activity shows it after `botledger`. */
  readonly name: string;
  /** The longest wait for a connection, in milliseconds. */
  readonly maxWaitMs: number;
  /**
   * How long a statement may take, in milliseconds, before its connection is closed: the last resort against a server that
   * stopped answering. The server does not notice, and continues with the statement. So it must be longer than any statement
   * takes: a statement that is retried before it can end is retried forever.
   */
  readonly answerWithinMs?: number;
  /** Settings of each connection, as statements. Absent: the server's limits. */
  readonly settings?: string;
  /** Called with the error of a broken connection. The query on it also rejects. */
  readonly onError: (error: Error) => void;
}

/** The default of `answerWithinMs`. It fits statements by key, as the log has. */
const ANSWER_WITHIN_MS = 60_000;
/** After this time an idle connection is probed each second. Ten probes without an answer end it (libuv). */
const PROBE_AFTER_MS = 10_000;

/**
 * Creates a pool whose broken connections never end the OS process. `pg` emits `error` on a broken client. A client that is
 * checked out and between two queries has no other listener, and an `error` without a listener would end the OS process.
 */
export function createPool(options: PoolOptions): pg.Pool {
  const { connectionString, max, name, maxWaitMs, answerWithinMs = ANSWER_WITHIN_MS, settings, onError } = options;
  const pool = new pg.Pool({
    connectionString,
    max,
    application_name: `botledger ${name}`,
    connectionTimeoutMillis: maxWaitMs,
    query_timeout: answerWithinMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: PROBE_AFTER_MS,
    ...(settings !== undefined && { onConnect: async (client) => void (await client.query(settings)) }),
  });
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}

/**
 * Ends the pool's connections when the signal aborts, also connections that run a query: a server or a connection
 * pooler may delay a query for as long as the pool allows. Call it before the pool has connections.
 * @returns a function that undoes the call
 */
export function cutOffOnAbort(pool: pg.Pool, signal: AbortSignal): () => void {
  const clients = new Set<unknown>();
  const add = (client: unknown): void => void clients.add(client);
  const remove = (client: unknown): void => void clients.delete(client);
  const cutOff = (): void => {
    for (const client of clients) if (client instanceof pg.Client) client.end().catch(() => {}); // the connection is broken already
  };
  const stop = (): void => {
    signal.removeEventListener('abort', cutOff);
    pool.off('connect', add).off('remove', remove);
  };
  pool.on('connect', add).on('remove', remove);
  signal.addEventListener('abort', cutOff, { once: true });
  return stop;
}
