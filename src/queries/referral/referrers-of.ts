import { type CatalogSource, rowsOf } from '../catalog/catalog-source.ts';

/**
 * The referrers of these users of a bot. Users without a referrer are left out.
 * @param source the read model `referral`
 * @param bot public key
 */
export async function referrersOf(
  source: CatalogSource,
  bot: string,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const { schema } = source;
  const rows = await rowsOf<{ user_id: number; referrer_id: number }>(
    source,
    'referrers_of',
    `SELECT r.user_id::float8, r.referrer_id::float8
       FROM ${schema}.referrals r JOIN ${schema}.bots b USING (bot_id)
      WHERE b.public_key = $1 AND r.user_id = ANY ($2::bigint[])`,
    [bot, userIds],
  );
  return new Map(rows.map(({ user_id, referrer_id }) => [user_id, referrer_id]));
}
