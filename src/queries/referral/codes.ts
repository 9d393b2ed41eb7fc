import type { ReferralSource } from './source.ts';

export interface CodeRow {
  readonly code: string;
  /** ms UTC */
  readonly date_create: number;
}

export interface CodesRow {
  /** Of all codes of the user, and of marks without a code. */
  readonly total_referrals: number;
  /** Those made by create-code, newest first. */
  readonly codes: readonly CodeRow[];
}

export async function codesOf({ pool, referral }: ReferralSource, botId: number, userId: number): Promise<CodesRow> {
  const { rows } = await pool.query<CodesRow>(
    `SELECT (SELECT count(*)::float8 FROM ${referral}.referrals WHERE bot_id = $1 AND referrer_id = $2) AS total_referrals,
            (SELECT coalesce(json_agg(json_build_object('code', code, 'date_create', date_create)
                                      ORDER BY date_create DESC, ord DESC), '[]')
               FROM ${referral}.codes WHERE bot_id = $1 AND owner_id = $2 AND listed) AS codes`,
    [botId, userId],
  );
  return rows[0]!;
}
