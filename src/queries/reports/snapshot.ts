import type { RawBuilder } from 'kysely';
import pg from 'pg';
import { copyRows, type OnBinaryRow } from '../../database/copy-rows.ts';
import { DatabaseUnavailableError } from '../../database/database-errors.ts';
import { inTime } from '../../util/in-time.ts';
import { statement } from './statement.ts';

/** A report did not finish within its time limit. */
export class ReportTimeoutError extends Error {
  override readonly name = 'ReportTimeoutError';
  constructor(readonly timeoutMs: number) {
    super(`the report took longer than ${timeoutMs} ms`);
  }
}

export type Query = <Row extends pg.QueryResultRow>(fragment: RawBuilder<Row>) => Promise<Row[]>;

/** Reads one snapshot of the data, within the time limit of a report. */
export interface Snapshot {
  readonly query: Query;
  /** Streams the rows of a SELECT without parameters: see `copyRows`. */
  readonly copy: (select: string, columns: number, onRow: OnBinaryRow) => Promise<void>;
  /** For work between queries. @throws ReportTimeoutError when the time limit is exceeded */
  readonly checkTime: () => void;
}

/**
 * Runs `work`. All its queries see one snapshot of the data, and together they may take `timeoutMs`.
 * @throws ReportTimeoutError
 */
export async function inSnapshot<T>(
  pool: pg.Pool,
  timeoutMs: number,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  try {
    const started = performance.now();
    const limit = `SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)}`;
    const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${limit}`;
    let begun = false;
    const readAll = async (tx: pg.PoolClient): Promise<T> => {
      const msLeft = () => {
        const left = Math.floor(deadline - performance.now());
        if (left <= 0) throw new ReportTimeoutError(timeoutMs); // PostgreSQL takes 0 as no limit
        return left;
      };
      let limited = started;
      const limitTime = async () => {
        const left = msLeft();
        if (performance.now() - limited < LIMITED_FOR_MS) return;
        limited = performance.now();
        await tx.query("SELECT set_config('statement_timeout', $1, true)", [String(left)]);
      };
      /** Begins the transaction and runs a first statement without parameters in the same round trip. @returns its rows */
      async function beginWith<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
        begun = true; // before the answer, because another query may be sent earlier
        // pg answers several statements with an array of results. Its types do not declare that.
        const results = [await tx.query<Row>(`${begin}; ${text}`)].flat();
        return results.at(-1)!.rows;
      }
      async function ready() {
        if (!begun) await beginWith('');
        await limitTime();
      }
      return work({
        async query(fragment) {
          const { text, values } = statement(fragment);
          if (!begun && values.length === 0) return beginWith(text);
          await ready();
          return (await tx.query(text, values)).rows;
        },
        async copy(select, columns, onRow) {
          await ready();
          await copyRows(tx, select, columns, onRow);
        },
        checkTime: () => void msLeft(),
      });
    };
    const run = readOnly(pool, readAll);
    // A server that still answers stops the statement itself; this is for one that does not.
    return await inTime(run, timeoutMs + SILENT_MS, () => new DatabaseUnavailableError('the report was not answered'));
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === QUERY_CANCELED) throw new ReportTimeoutError(timeoutMs);
    throw error;
  }
}

/**
 * The snapshot of a transaction that the caller has begun, of the isolation level REPEATABLE READ.
 * @param checkTime throws when the work is to end
 */
export function snapshotOf(tx: pg.ClientBase, checkTime: () => void): Snapshot {
  return {
    async query(fragment) {
      const { text, values } = statement(fragment);
      return (await tx.query(text, values)).rows;
    },
    copy: (select, columns, onRow) => copyRows(tx, select, columns, onRow),
    checkTime,
  };
}

/**
 * Ends the transaction that `read` has begun. Nothing was written, so the answer does not wait for the ROLLBACK; the
 * connection returns to the pool after it.
 */
async function readOnly<T>(pool: pg.Pool, read: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
  const tx = await pool.connect();
  try {
    return await read(tx);
  } finally {
    void tx.query('ROLLBACK').then(
      () => tx.release(),
      () => tx.release(true),
    );
  }
}

/** How long after the time limit the server may stay silent. */
const SILENT_MS = 1000;
/** Updates PostgreSQL's statement timeout at most this often, not before each of many short statements. */
const LIMITED_FOR_MS = 50;
/** SQLSTATE of a statement that PostgreSQL stopped at its timeout. */
const QUERY_CANCELED = '57014';
