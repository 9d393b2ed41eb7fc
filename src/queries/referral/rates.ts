import type { Tables } from '../../database/tables.ts';
import type { AccountName } from './account-source.ts';

/** The rate of a rule. Amounts and percents are decimal text. */
export interface RateRow {
  readonly rule_id: number;
  readonly rule_name: string;
  readonly trigger_event_id: number;
  readonly reward_type: string;
  readonly reward_amount: string | null;
  readonly reward_percent: string | null;
  readonly unit_id: number | null;
  readonly locked: boolean;
  readonly source: string | null;
}

/** Returns the user's rate for each active rule of the bot: the locked rate, else the rule's present one. */
export async function ratesOf(
  { pool, accounts, referral }: Tables<'accounts' | 'referral'>,
  botId: number,
  { bot, userId }: AccountName,
): Promise<RateRow[]> {
  const { rows } = await pool.query<RateRow>({
    name: `${accounts}.${referral}.rates`,
    text: `
      SELECT r.rule_id::float8, r.name AS rule_name, r.trigger_event_id, r.reward_type,
             trim_scale(CASE WHEN l.rule_id IS NULL THEN r.amount ELSE l.amount END)::text AS reward_amount,
             trim_scale(CASE WHEN l.rule_id IS NULL THEN r.percent ELSE l.percent END)::text AS reward_percent,
             r.unit_id::float8, l.rule_id IS NOT NULL AS locked, l.source
        FROM (SELECT DISTINCT ON (rule_id) * FROM ${referral}.rules WHERE bot_id = $3
               ORDER BY rules.rule_id, ord DESC) r
        LEFT JOIN ${accounts}.locks l ON l.public_key = $1 AND l.user_id = $2 AND l.rule_id = r.rule_id
       WHERE r.active
       ORDER BY r.rule_id`,
    values: [bot, userId, botId],
  });
  return rows;
}
