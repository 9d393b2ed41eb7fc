import type { RawBuilder } from 'kysely';
import pg from 'pg';
import { copyRows, type OnBinaryRow } from '../../database/copy-rows.ts';
import { DatabaseUnavailableError } from '../../database/errors.ts';
import { inTime } from '../../util/in-time.ts';
import { statement } from './statement.ts';

/** A report did not finish within its time. */
export class ReportTimeoutError extends Error {
  override readonly name = 'ReportTimeoutError';
  constructor(readonly timeoutMs: number) {
    super(`the report took longer than ${timeoutMs} ms`);
  }
}

export type Query = <Row extends pg.QueryResultRow>(fragment: RawBuilder<Row>) => Promise<Row[]>;

/** One view of the data, for as long as the report may take. */
export interface Snapshot {
  readonly query: Query;
  /** Gives the rows of a `select` made of constants and numbers as they come: see `copyRows`. */
  readonly copy: (select: string, columns: number, onRow: OnBinaryRow) => Promise<void>;
  /** @throws ReportTimeoutError when the time is over: for work between queries */
  readonly checkTime: () => void;
}

/**
 * Runs `work`, whose queries all see one snapshot of the data and together may take `timeoutMs`.
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
    const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)}`;
    let begun = false;
    const readAll = async (tx: pg.PoolClient): Promise<T> => {
      const msLeft = () => {
        const left = Math.floor(deadline - performance.now());
        if (left <= 0) throw new ReportTimeoutError(timeoutMs); // 0 would mean no limit to Postgres
        return left;
      };
      let limited = started;
      const limitTime = async () => {
        const left = msLeft();
        if (performance.now() - limited < LIMITED_FOR_MS) return;
        limited = performance.now();
        await tx.query("SELECT set_config('statement_timeout', $1, true)", [String(left)]);
      };
      /** With a first statement that has no parameters, in the same round trip; it has the rows. */
      async function beginWith<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
        begun = true; // before the answer: another query may be asked meanwhile
        // Several statements are answered with as many results, of which the types of pg do not know.
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
    // A server that answers stops the report itself.
    return await inTime(run, timeoutMs + SILENT_MS, () => new DatabaseUnavailableError('the report was not answered'));
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === QUERY_CANCELED) throw new ReportTimeoutError(timeoutMs);
    throw error;
  }
}

/** Ends the transaction that `read` has begun. Nothing was written: the answer does not wait for the end, the next reader does. */
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

const SILENT_MS = 1000;
/** The time that is left need not be told to Postgres before each of many short statements. */
const LIMITED_FOR_MS = 50;
/** SQLSTATE of a statement that was stopped by its timeout. */
const QUERY_CANCELED = '57014';
