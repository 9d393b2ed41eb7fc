import type { Tables } from '../../database/tables.ts';

/** How many users a referral program reached, step by step. A user counts once in a step. */
export interface ProgramSteps {
  /** Users who opened a link whose code has an owner. */
  readonly visited: number;
  /** Users who became known to the bot by such a visit. */
  readonly came: number;
  /** Users with a referrer. */
  readonly referred: number;
  /** Referred users who earned their referrer a reward that was not taken back. */
  readonly rewarded: number;
  readonly referrers: number;
}

/** The amounts of all accounts in a unit, as decimal text. */
export interface ProgramAmounts {
  readonly unit_id: number | null;
  readonly earned: string;
  readonly reserved: string;
  readonly paid: string;
}

/** The steps of a bot's program so far. `bot`: its public key. */
export async function programSteps(
  { pool, events, referral, accounts }: Tables<'events' | 'referral' | 'accounts'>,
  { botId, bot }: { readonly botId: number; readonly bot: string },
): Promise<ProgramSteps> {
  const [visits, referrals, rewards] = await Promise.all([
    pool.query<Pick<ProgramSteps, 'visited' | 'came'>>(
      `SELECT count(DISTINCT v.user_id)::float8 AS visited,
              count(DISTINCT v.user_id) FILTER (WHERE v.first_seen)::float8 AS came
         FROM ${events}.visits v JOIN ${referral}.codes c ON c.bot_id = v.bot_id AND c.code = v.code
        WHERE v.bot_id = $1 AND c.owner_id IS NOT NULL`,
      [botId],
    ),
    pool.query<Pick<ProgramSteps, 'referred' | 'referrers'>>(
      `SELECT coalesce(sum(referrals), 0)::float8 AS referred, count(*) FILTER (WHERE referrals > 0)::float8 AS referrers
         FROM ${referral}.referrers WHERE bot_id = $1`,
      [botId],
    ),
    pool.query<Pick<ProgramSteps, 'rewarded'>>(
      `SELECT count(DISTINCT referral_id)::float8 AS rewarded FROM ${accounts}.accruals
        WHERE public_key = $1 AND reversed_at IS NULL AND compensates IS NULL`,
      [bot],
    ),
  ]);
  return { ...visits.rows[0]!, ...referrals.rows[0]!, ...rewards.rows[0]! };
}

/** The amounts of all accounts of a bot, by unit. */
export async function programAmounts({ pool, accounts }: Tables<'accounts'>, bot: string): Promise<ProgramAmounts[]> {
  const { rows } = await pool.query<ProgramAmounts>(
    `SELECT nullif(unit, 0)::float8 AS unit_id, trim_scale(sum(accrued))::text AS earned,
            trim_scale(sum(reserved))::text AS reserved, trim_scale(sum(paid))::text AS paid
       FROM ${accounts}.balances WHERE public_key = $1 GROUP BY unit ORDER BY unit`,
    [bot],
  );
  return rows;
}
