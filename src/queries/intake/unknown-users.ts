import { preparedRows, type Tables } from '../../database/tables.ts';

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
