import type pg from 'pg';

/** A pool, and the schema of the read model `users`. */
export interface NewUsersSource {
  readonly pool: pg.Pool;
  readonly users: string;
}

/**
 * Counts the users of a bot by when they were created: for each of `starts` (ms UTC, ascending) the users from it, and
 * from `from`, until the next one; for the last, until `to`.
 */
export async function newUsers(
  { pool, users }: NewUsersSource,
  botId: number,
  { from, to }: { readonly from: number; readonly to: number },
  starts: readonly number[],
): Promise<number[]> {
  const { rows } = await pool.query<{ bucket: number; count: number }>({
    name: `${users}.new_users`,
    text: `SELECT width_bucket(date_create, $4::bigint[]) AS bucket, count(*)::float8 FROM ${users}.users
            WHERE bot_id = $1 AND date_create >= $2 AND date_create < $3 GROUP BY bucket`,
    values: [botId, from, to, [...starts]],
  });
  const counts = new Map(rows.map(({ bucket, count }) => [bucket, count]));
  return starts.map((_, index) => counts.get(index + 1) ?? 0);
}
