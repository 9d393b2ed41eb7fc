import pg from 'pg';

export interface PoolOptions {
  readonly connectionString: string;
  readonly max: number;
  /** Shown in pg_stat_activity, after `botledger`. */
  readonly name: string;
  /** How long to wait for a connection, in milliseconds. */
  readonly maxWaitMs: number;
  /**
   * How long a statement may take, in milliseconds, before its connection is given up: the last resort against a server
   * that went silent. The server does not learn of it and works on, so it must be longer than any statement that is
   * worth its answer: what is retried sooner than it can end is retried for ever.
   */
  readonly answerWithinMs?: number;
  /** Called with the error of a broken connection. Its user gets the error from the query. */
  readonly onError: (error: Error) => void;
}

/** For statements by key, as those of the log. */
const ANSWER_WITHIN_MS = 60_000;
/** From here on a connection that only waits is probed each second; ten probes without an answer end it (libuv). */
const PROBE_AFTER_MS = 10_000;

/**
 * A pool whose broken connections never end the process: `pg` emits `error` on a client, and one that is checked out
 * and between two queries has no other listener.
 */
export function createPool(options: PoolOptions): pg.Pool {
  const { connectionString, max, name, maxWaitMs, answerWithinMs = ANSWER_WITHIN_MS, onError } = options;
  const pool = new pg.Pool({
    connectionString,
    max,
    application_name: `botledger ${name}`,
    connectionTimeoutMillis: maxWaitMs,
    query_timeout: answerWithinMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: PROBE_AFTER_MS,
  });
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}

/**
 * When the signal aborts, ends the pool's connections, those with a query under way too: a server or a pooler may hold
 * a query back for as long as the pool lets it. Call it before the pool has connections.
 * @returns no longer does so from here on
 */
export function cutOffOnAbort(pool: pg.Pool, signal: AbortSignal): () => void {
  const clients = new Set<unknown>();
  const add = (client: unknown): void => void clients.add(client);
  const remove = (client: unknown): void => void clients.delete(client);
  const cutOff = (): void => {
    for (const client of clients) if (client instanceof pg.Client) client.end().catch(() => {}); // it is lost already
  };
  const stop = (): void => {
    signal.removeEventListener('abort', cutOff);
    pool.off('connect', add).off('remove', remove);
  };
  pool.on('connect', add).on('remove', remove);
  signal.addEventListener('abort', cutOff, { once: true });
  return stop;
}
