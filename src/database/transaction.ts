import type pg from 'pg';
import { isDatabaseDown } from './errors.ts';

/**
 * Runs `work` in one transaction on one connection: committed when it resolves, rolled back when it rejects.
 * @param begin begins it; with settings for it, all goes in one round trip
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
      // No server would answer; the transaction ends with its connection.
      if (isDatabaseDown(error)) throw error;
      await tx.query('ROLLBACK').then(
        () => (broken = false),
        () => {}, // the connection is gone, and with it the transaction; the first error tells why
      );
      throw error;
    }
  } finally {
    tx.release(broken);
  }
}
