import { preparedRows, type Tables } from '../../database/tables.ts';

/**
 * The referrers of these users of a bot. Users without a referrer are left out.
 * @param bot public key
 */
export async function referrersOf(
  { pool, referral }: Tables<'referral'>,
  bot: string,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await preparedRows<{ user_id: number; referrer_id: number }>(
    pool,
    `${referral}.referrers_of`,
    `SELECT r.user_id::float8, r.referrer_id::float8
       FROM ${referral}.referrals r JOIN ${referral}.bots b USING (bot_id)
      WHERE b.public_key = $1 AND r.user_id = ANY ($2::bigint[])`,
    [bot, userIds],
  );
  return new Map(rows.map(({ user_id, referrer_id }) => [user_id, referrer_id]));
}
