import type { Tables } from '../../database/tables.ts';
import { HOUR_MS } from '../../domain/referral/account/spans.ts';
import { type AccountName, accountTime } from './account-source.ts';
import type { Page } from './find-attribution.ts';

export interface AccrualRow {
  readonly id: number;
  /** Receipt of the event that earned the accrual, ms UTC. */
  readonly date: number;
  /** The referred user. */
  readonly referral_id: number;
  /** Decimal text; negative for a compensation. */
  readonly amount: string;
  readonly unit_id: number | null;
  /** 0 on hold, 1 confirmed, 2 paid out. */
  readonly status: 0 | 1 | 2;
  /** Null: it is not on hold. */
  readonly available_at: number | null;
}

/** Accruals that were not reversed, newest first; `now` in ms UTC decides which are on hold. */
export async function accrualsOf(
  { pool, accounts }: Tables<'accounts'>,
  { bot, userId }: AccountName,
  { limit, offset }: Page,
  now: number,
): Promise<AccrualRow[]> {
  const { rows } = await pool.query<AccrualRow>({
    name: `${accounts}.accruals`,
    text: `
      WITH hours AS (
        SELECT hour, sum(accruals) OVER (ORDER BY hour DESC) - accruals AS newer FROM ${accounts}.accrual_hours
         WHERE public_key = $1 AND user_id = $2),
      /* the hour that the page begins in */
      first_hour AS (SELECT hour, newer FROM hours WHERE newer <= $5 ORDER BY hour LIMIT 1)
      SELECT x.accrual_id::float8 AS id, x.date::float8, x.referral_id::float8, trim_scale(x.amount)::text AS amount,
             nullif(x.unit, 0)::float8 AS unit_id,
             CASE WHEN p.status = 2 THEN 2 WHEN x.available_at <= a.t THEN 1 ELSE 0 END AS status,
             CASE WHEN x.available_at > a.t THEN x.available_at::float8 END AS available_at
        FROM (SELECT ${accountTime('$3', 'clock')} AS t FROM ${accounts}.accounts
               WHERE public_key = $1 AND user_id = $2) a
       CROSS JOIN (SELECT accrual_id FROM ${accounts}.accruals
                    WHERE public_key = $1 AND user_id = $2 AND reversed_at IS NULL
                      AND accruals.date < (SELECT hour + 1 FROM first_hour) * ${HOUR_MS}::bigint
                    ORDER BY accruals.date DESC, place DESC LIMIT $4 OFFSET $5 - (SELECT newer FROM first_hour)) page
        JOIN ${accounts}.accruals x ON x.accrual_id = page.accrual_id AND x.public_key = $1
        LEFT JOIN LATERAL (
             SELECT c.claimed_by FROM ${accounts}.payouts c
              WHERE c.public_key = $1 AND c.user_id = $2 AND c.unit = x.unit
                AND c.requested_at >= greatest(x.available_at, x.at) AND c.place > x.place
              ORDER BY c.requested_at, c.place LIMIT 1) first ON true
        LEFT JOIN ${accounts}.payouts p ON p.payout_id = first.claimed_by AND p.public_key = $1
       ORDER BY x.date DESC, x.place DESC`,
    values: [bot, userId, now, limit, offset],
  });
  return rows;
}

/** The user who has an accrual of the bot; null: the bot has no accrual of this id. */
export async function accrualOwner(
  { pool, accounts }: Tables<'accounts'>,
  bot: string,
  accrualId: number,
): Promise<number | null> {
  const { rows } = await pool.query<{ user_id: number }>({
    name: `${accounts}.accrual_owner`,
    text: `SELECT user_id::float8 FROM ${accounts}.accruals WHERE accrual_id = $1 AND public_key = $2`,
    values: [accrualId, bot],
  });
  return rows[0]?.user_id ?? null;
}
