import type pg from 'pg';
import { isDatabaseDown } from './database-errors.ts';

/**
 * Runs `work` in one transaction on one connection. Commits when the work resolves, rolls back when it rejects.
 * @param begin the statement that begins the transaction; it may include settings, so that all go in one round trip
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (tx: pg.PoolClient) => Promise<T>,
  begin = 'BEGIN',
): Promise<T> {
  const tx = await pool.connect();
  let broken = true;
  try {
    await tx.query(begin);
    try {
      const result = await work(tx);
      await tx.query('COMMIT');
      broken = false;
      return result;
    } catch (error) {
      // Skips ROLLBACK: no server would answer it. The transaction ends with its connection.
      if (isDatabaseDown(error)) throw error;
      await tx.query('ROLLBACK').then(
        () => (broken = false),
        () => {}, // the connection ended, and with it the transaction; the first error says why
      );
      throw error;
    }
  } finally {
    tx.release(broken);
  }
}
