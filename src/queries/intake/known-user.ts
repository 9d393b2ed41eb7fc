import { preparedRows, type Tables } from '../../database/tables.ts';

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
