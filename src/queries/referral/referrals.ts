import type { ReferralSource } from './source.ts';

export interface ReferralRow {
  /** The referred user. */
  readonly referral_id: number;
  /** Of the visit, else of the mark; ms UTC. */
  readonly date: number;
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Whom a user has referred, newest first. */
export async function referralsOf(
  { pool, referral }: ReferralSource,
  botId: number,
  userId: number,
  { limit, offset }: Page,
): Promise<ReferralRow[]> {
  const { rows } = await pool.query<ReferralRow>(
    `SELECT user_id::float8 AS referral_id, date::float8 FROM ${referral}.referrals
      WHERE bot_id = $1 AND referrer_id = $2
      ORDER BY referrals.date DESC, ord DESC, user_id DESC LIMIT $3 OFFSET $4`,
    [botId, userId, limit, offset],
  );
  return rows;
}
