import type { RawBuilder } from 'kysely';
import pg from 'pg';
import { DatabaseUnavailableError } from '../../database/errors.ts';
import { inTransaction } from '../../database/transaction.ts';
import { inTime } from '../../in-time.ts';
import { statement } from './statement.ts';

/** A report did not finish within its time. */
export class ReportTimeoutError extends Error {
  override readonly name = 'ReportTimeoutError';
  constructor(readonly timeoutMs: number) {
    super(`the report took longer than ${timeoutMs} ms`);
  }
}

export type Query = <Row extends pg.QueryResultRow>(fragment: RawBuilder<Row>) => Promise<Row[]>;

/** Gives the rows of a query, each an array of its columns, a batch at a time: only one of them is in memory. */
export type Stream = (fragment: RawBuilder<unknown>, onBatch: (rows: readonly unknown[][]) => void) => Promise<void>;

/**
 * Runs `work`, whose queries all see one snapshot of the data and together may take `timeoutMs`.
 * @throws ReportTimeoutError
 */
export async function inSnapshot<T>(
  pool: pg.Pool,
  timeoutMs: number,
  work: (query: Query, stream: Stream) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  try {
    const run = inTransaction(pool, async (tx) => {
      await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const limitTime = async () => {
        const left = Math.floor(deadline - performance.now());
        if (left <= 0) throw new ReportTimeoutError(timeoutMs); // 0 would mean no limit to Postgres
        await tx.query("SELECT set_config('statement_timeout', $1, true)", [String(left)]);
      };
      const query: Query = async (fragment) => {
        await limitTime();
        const { text, values } = statement(fragment);
        return (await tx.query(text, values)).rows;
      };
      const stream: Stream = async (fragment, onBatch) => {
        // All rows will be read: the plan that is fast for the first of them is not wanted.
        await tx.query('SET LOCAL cursor_tuple_fraction = 1');
        const { text, values } = statement(fragment);
        await limitTime();
        await tx.query(`DECLARE report NO SCROLL CURSOR FOR ${text}`, values);
        for (;;) {
          await limitTime();
          const { rows } = await tx.query<unknown[]>({ text: `FETCH ${BATCH_ROWS} FROM report`, rowMode: 'array' });
          onBatch(rows);
          if (rows.length < BATCH_ROWS) break;
        }
        await tx.query('CLOSE report');
      };
      return work(query, stream);
    });
    // A server that answers stops the report itself.
    return await inTime(run, timeoutMs + SILENT_MS, () => new DatabaseUnavailableError('the report was not answered'));
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === QUERY_CANCELED) throw new ReportTimeoutError(timeoutMs);
    throw error;
  }
}

/** Work on one batch holds up everything else in the process for some 10 ms. */
const BATCH_ROWS = 5000;
const SILENT_MS = 1000;
/** SQLSTATE of a statement that was stopped by its timeout. */
const QUERY_CANCELED = '57014';
