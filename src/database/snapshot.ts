import type { RawBuilder } from 'kysely';
import pg from 'pg';
import { inTime } from '../util/in-time.ts';
import { copyRows, type OnBinaryRow } from './copy-rows.ts';
import { DatabaseUnavailableError, StatementTimeoutError } from './database-errors.ts';
import type { statement } from './statement.ts';

export type Query = <Row extends pg.QueryResultRow>(fragment: RawBuilder<Row>) => Promise<Row[]>;

/** One state of the database. All queries see it. */
export interface Snapshot {
  readonly query: Query;
  /** Streams the rows of a SELECT without parameters: see `copyRows`. */
  readonly copy: (select: string, columns: number, onRow: OnBinaryRow) => Promise<void>;
  /** The transaction, begun, for statements of `pg`. */
  readonly transaction: () => Promise<pg.ClientBase>;
  /** For work between queries. @throws StatementTimeoutError; the signal's reason */
  readonly checkTime: () => void;
}

export interface SnapshotOptions {
  /** All queries together may take these milliseconds. Absent: as long as they need. */
  readonly timeoutMs?: number;
  /** Cancels the statement under way by a connection of `others`. */
  readonly cancel?: { readonly signal: AbortSignal; readonly others: pg.Pool };
  /** Settings of the transaction, each with its `SET LOCAL`. */
  readonly settings?: string;
}

/** For statements that read most rows of a bot. */
export const MANY_ROWS = "SET LOCAL work_mem = '64MB'; SET LOCAL jit = off";

/**
 * Runs `work` in a read-only transaction whose queries all see one snapshot. The transaction begins with the first query, in
 * the same round trip if that query has no parameters.
 * @throws StatementTimeoutError; the signal's reason
 */
export async function snapshot<T>(
  pool: pg.Pool,
  options: SnapshotOptions,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const opened = await OpenSnapshot.open(pool, options);
  try {
    const run = work(opened);
    if (options.timeoutMs === undefined) return await run;
    // A server that still answers stops the statement itself; this is for one that does not.
    const late = () => new DatabaseUnavailableError('the database did not answer');
    return await inTime(run, options.timeoutMs + SILENT_MS, late);
  } catch (error) {
    throw opened.reasonOf(error);
  } finally {
    void opened.close(); // nothing was written, so the answer does not wait for the ROLLBACK
  }
}

/** As {@link snapshot}. The caller must read the pages to the end, or `return()`: until then a connection is held. */
export async function* snapshotPages<T>(
  pool: pg.Pool,
  options: SnapshotOptions,
  read: (snapshot: Snapshot) => AsyncGenerator<T, void>,
): AsyncGenerator<T, void> {
  const opened = await OpenSnapshot.open(pool, options);
  try {
    yield* read(opened);
  } catch (error) {
    throw opened.reasonOf(error);
  } finally {
    await opened.close();
  }
}

class OpenSnapshot implements Snapshot {
  readonly #tx: pg.PoolClient;
  readonly #options: SnapshotOptions;
  readonly #compile: typeof statement;
  readonly #opened = performance.now();
  #limitedAt = this.#opened;
  #hasBegun = false;
  #cancel = (): void => {};

  private constructor(tx: pg.PoolClient, options: SnapshotOptions, compile: typeof statement) {
    this.#tx = tx;
    this.#compile = compile;
    this.#options = options;
  }

  /** @throws the signal's reason */
  static async open(pool: pg.Pool, options: SnapshotOptions): Promise<OpenSnapshot> {
    options.cancel?.signal.throwIfAborted();
    // Loaded with the first snapshot: most commands of the CLI take none.
    const { statement } = await import('./statement.ts');
    const opened = new OpenSnapshot(await pool.connect(), options, statement);
    try {
      await opened.#cancelOnAbort();
    } catch (error) {
      void opened.close();
      throw opened.reasonOf(error);
    }
    return opened;
  }

  readonly query: Query = async <Row extends pg.QueryResultRow>(fragment: RawBuilder<Row>) => {
    const { text, values } = this.#compile(fragment);
    if (!this.#hasBegun && values.length === 0) return this.#beginWith<Row>(text);
    await this.transaction();
    return (await this.#tx.query<Row>(text, values)).rows;
  };

  readonly copy: Snapshot['copy'] = async (select, columns, onRow) => {
    await this.transaction();
    await copyRows(this.#tx, select, columns, onRow);
  };

  readonly transaction = async (): Promise<pg.ClientBase> => {
    if (!this.#hasBegun) await this.#beginWith('');
    const msLeft = this.#msLeft();
    if (msLeft !== null && performance.now() - this.#limitedAt >= LIMITED_FOR_MS) {
      this.#limitedAt = performance.now();
      await this.#tx.query("SELECT set_config('statement_timeout', $1, true)", [String(msLeft)]);
    }
    return this.#tx;
  };

  readonly checkTime = (): void => {
    this.#options.cancel?.signal.throwIfAborted();
    this.#msLeft();
  };

  /** The error to throw after an error of the work. */
  reasonOf(error: unknown): unknown {
    const { cancel, timeoutMs } = this.#options;
    if (cancel?.signal.aborted) return cancel.signal.reason;
    const isCanceled = error instanceof pg.DatabaseError && error.code === QUERY_CANCELED;
    return isCanceled && timeoutMs !== undefined ? new StatementTimeoutError(timeoutMs, { cause: error }) : error;
  }

  /** Ends the transaction, and returns the connection to the pool. */
  async close(): Promise<void> {
    const signal = this.#options.cancel?.signal;
    signal?.removeEventListener('abort', this.#cancel);
    // A cancellation may still be on its way to the connection.
    if (signal?.aborted) this.#tx.release(true);
    else
      await this.#tx.query('ROLLBACK').then(
        () => this.#tx.release(),
        () => this.#tx.release(true),
      );
  }

  /** @returns null: there is no limit. @throws StatementTimeoutError */
  #msLeft(): number | null {
    const { timeoutMs } = this.#options;
    if (timeoutMs === undefined) return null;
    const left = Math.floor(this.#opened + timeoutMs - performance.now());
    if (left <= 0) throw new StatementTimeoutError(timeoutMs); // PostgreSQL takes 0 as no limit
    return left;
  }

  /** Begins the transaction and runs a first statement without parameters in the same round trip. @returns its rows */
  async #beginWith<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    this.#hasBegun = true; // before the answer, because another query may be sent earlier
    const { timeoutMs, settings = '' } = this.#options;
    const limit = timeoutMs === undefined ? '' : `SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)}`;
    const begin = ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', limit, settings, text];
    // pg answers several statements with an array of results. Its types do not declare that.
    const results = [await this.#tx.query<Row>(begin.filter((part) => part !== '').join('; '))].flat();
    return results.at(-1)!.rows;
  }

  async #cancelOnAbort(): Promise<void> {
    if (this.#options.cancel === undefined) return;
    const { signal, others } = this.#options.cancel;
    signal.throwIfAborted();
    const [backend] = await this.#beginWith<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    signal.throwIfAborted();
    this.#cancel = () => {
      // If the cancellation fails, the server stops at the statement's time limit or once it misses the client.
      void others.query('SELECT pg_cancel_backend($1::int)', [backend!.pid]).catch(() => {});
      void this.#tx.end().catch(() => {}); // the connection is broken already
    };
    signal.addEventListener('abort', this.#cancel, { once: true });
  }
}

/** How long after the time limit the server may stay silent. */
const SILENT_MS = 1000;
/** Updates PostgreSQL's statement timeout at most this often, not before each of many short statements. */
const LIMITED_FOR_MS = 50;
/** SQLSTATE of a statement that PostgreSQL stopped: at its timeout, or because it was cancelled. */
const QUERY_CANCELED = '57014';
