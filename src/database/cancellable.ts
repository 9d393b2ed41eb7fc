import pg from 'pg';
import { StatementTimeoutError } from './database-errors.ts';

export interface CancellableOptions {
  /** Another pool, to cancel the statement by. */
  readonly others: pg.Pool;
  /** Of each statement, milliseconds. */
  readonly timeoutMs: number;
  /** Cancels the statement under way. */
  readonly signal: AbortSignal;
  /** Further settings of the transaction, each with its `SET LOCAL`. */
  readonly settings?: string;
}

/** SQLSTATE of a statement that PostgreSQL stopped: at its timeout, or because it was cancelled. */
const QUERY_CANCELED = '57014';

/**
 * Runs `work` in one read-only transaction. The statement under way ends when the signal aborts.
 * @throws StatementTimeoutError; the signal's reason
 */
export async function cancellable<T>(
  pool: pg.Pool,
  { others, timeoutMs, signal, settings = '' }: CancellableOptions,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let isBroken = true;
  let cancel = (): void => {};
  try {
    signal.throwIfAborted();
    await client.query(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${timeoutMs}; ${settings}`);
    const { rows: backends } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    // If the cancellation fails, the statement ends at its timeout.
    cancel = () => void others.query('SELECT pg_cancel_backend($1::int)', [backends[0]!.pid]).catch(() => {});
    signal.addEventListener('abort', cancel, { once: true });
    const result = await work(client);
    await client.query('COMMIT');
    isBroken = false;
    return result;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof pg.DatabaseError && error.code === QUERY_CANCELED)
      throw new StatementTimeoutError(`it took longer than ${timeoutMs} ms`, { cause: error });
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
    // A cancellation may still be on its way to the connection.
    client.release(isBroken || signal.aborted);
  }
}
