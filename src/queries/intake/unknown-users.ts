import { type CatalogSource, rowsOf } from '../catalog/catalog-source.ts';

/**
 * The users that the bot has not met, ascending, each once.
 * @param source the read model `events`
 */
export async function unknownUsers(
  source: CatalogSource,
  botId: number,
  userIds: readonly number[],
): Promise<number[]> {
  const rows = await rowsOf<{ user_id: string }>(
    source,
    'unknown_users',
    `SELECT unnest($2::bigint[]) AS user_id EXCEPT SELECT user_id FROM ${source.schema}.known_users
      WHERE bot_id = $1 AND user_id = ANY ($2::bigint[]) ORDER BY user_id`,
    [botId, userIds],
  );
  return rows.map(({ user_id }) => Number(user_id));
}
