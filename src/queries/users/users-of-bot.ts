import type pg from 'pg';
import { preparedRows, type Tables } from '../../database/tables.ts';
import { inTransaction } from '../../database/transaction.ts';

/** Whether the bot knows, or once knew, the user. */
export async function isKnownUser(
  { pool, users }: Tables<'users'>,
  publicKey: string,
  userId: number,
): Promise<boolean> {
  const rows = await preparedRows(
    pool,
    `${users}.is_known_user`,
    `SELECT FROM ${users}.users JOIN ${users}.bots USING (bot_id) WHERE public_key = $1 AND user_id = $2`,
    [publicKey, userId],
  );
  return rows.length > 0;
}

/** The users that the bot has not met, ascending, each once. */
export async function unknownUsers(
  { pool, events }: Tables<'events'>,
  botId: number,
  userIds: readonly number[],
): Promise<number[]> {
  const rows = await preparedRows<{ user_id: string }>(
    pool,
    `${events}.unknown_users`,
    `SELECT unnest($2::bigint[]) AS user_id EXCEPT SELECT user_id FROM ${events}.known_users
      WHERE bot_id = $1 AND user_id = ANY ($2::bigint[]) ORDER BY user_id`,
    [botId, userIds],
  );
  return rows.map(({ user_id }) => Number(user_id));
}

/** The bot's user with the lowest id; null: the bot has no users. `users`: the schema of the read model. */
export async function firstUser({ pool, users }: Tables<'users'>, botId: number): Promise<number | null> {
  const { rows } = await pool.query<{ readonly user_id: number }>({
    name: `${users}.first_user`,
    text: `SELECT user_id::float8 FROM ${users}.users WHERE bot_id = $1 ORDER BY user_id LIMIT 1`,
    values: [botId],
  });
  return rows[0]?.user_id ?? null;
}

/**
 * Finds the custom fields that no user of the bot has. `users`: the schema of the read model.
 * @param withinMs after which the database gives up
 */
export async function unknownCustomFields(
  { pool, users }: Tables<'users'>,
  botId: number,
  names: readonly string[],
  withinMs: number,
): Promise<Set<string>> {
  const { rows } = await inTransaction(
    pool,
    (tx) =>
      tx.query<{ name: string }>(
        `SELECT name FROM unnest($2::text[]) AS n (name)
          WHERE NOT EXISTS (SELECT FROM ${users}.users AS u WHERE u.bot_id = $1 AND u.custom_fields ? n.name)`,
        [botId, names],
      ),
    `BEGIN READ ONLY; SET LOCAL statement_timeout = ${withinMs}`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** A pool, and the schema of the read model `users`. */
interface NewUsersSource {
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
