import type { Tables } from '../../database/tables.ts';

/** The bot's user with the lowest id; null: the bot has no users. `users`: the schema of the read model. */
export async function firstUser({ pool, users }: Tables<'users'>, botId: number): Promise<number | null> {
  const { rows } = await pool.query<{ readonly user_id: number }>({
    name: `${users}.first_user`,
    text: `SELECT user_id::float8 FROM ${users}.users WHERE bot_id = $1 ORDER BY user_id LIMIT 1`,
    values: [botId],
  });
  return rows[0]?.user_id ?? null;
}
