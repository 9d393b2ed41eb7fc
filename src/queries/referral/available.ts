import type { Pool } from 'pg';

/** The users of a bot with something available at `now` (milliseconds UTC), in any unit. */
export async function usersWithAvailable(
  { pool, schema }: { readonly pool: Pool; readonly schema: string },
  bot: string,
  now: number,
): Promise<number[]> {
  const { rows } = await pool.query<{ user_id: number }>(
    `SELECT DISTINCT b.user_id::float8 AS user_id
       FROM ${schema}.balances b
      WHERE b.public_key = $1 AND b.accrued > b.reserved + b.paid
        AND b.accrued - b.reserved - b.paid > coalesce((
              SELECT sum(a.amount) FROM ${schema}.accruals a
               WHERE a.public_key = b.public_key AND a.user_id = b.user_id AND a.unit = b.unit
                 AND NOT a.cancelled AND a.available_at > a.at AND a.available_at > $2), 0)
      ORDER BY 1`,
    [bot, now],
  );
  return rows.map(({ user_id }) => user_id);
}
