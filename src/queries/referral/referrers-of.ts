import type pg from 'pg';

/** The read model `referral`. */
export interface ReferralTables {
  readonly pool: pg.Pool;
  readonly schema: string;
}

/** The referrers of these users of a bot. Users without a referrer are left out. @param bot public key */
export async function referrersOf(
  { pool, schema }: ReferralTables,
  bot: string,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await pool.query<[number, number]>({
    text: `SELECT r.user_id::float8, r.referrer_id::float8
             FROM ${schema}.referrals r JOIN ${schema}.bots b USING (bot_id)
            WHERE b.public_key = $1 AND r.user_id = ANY ($2::bigint[])`,
    values: [bot, userIds],
    rowMode: 'array',
  });
  return new Map(rows);
}
