import type { Tables } from '../../database/tables.ts';
import type { AccountName } from './account-source.ts';

/** A reward rule as it is now. Amounts are decimal text. */
export interface RuleRow {
  readonly rule_id: number;
  readonly name: string;
  readonly trigger_event_id: number;
  /** Name of the event; null: the bot has no such event. */
  readonly trigger_event: string | null;
  readonly reward_type: 'fixed' | 'percent' | 'external';
  readonly amount: string | null;
  readonly percent: string | null;
  readonly unit_id: number | null;
  readonly hold_days: string;
  readonly active: boolean;
}

/** The rules of a bot, inactive ones too, by id. `events`: the schema of that read model. */
export async function programRules(
  { pool, referral, events }: Tables<'referral' | 'events'>,
  botId: number,
): Promise<RuleRow[]> {
  const { rows } = await pool.query<RuleRow>({
    name: `${referral}.${events}.rules`,
    text: `
      SELECT r.rule_id::float8, r.name, r.trigger_event_id, t.name AS trigger_event, r.reward_type,
             trim_scale(r.amount)::text AS amount, trim_scale(r.percent)::text AS percent,
             r.unit_id::float8, trim_scale(r.hold_days)::text AS hold_days, r.active
        FROM (SELECT DISTINCT ON (rule_id) * FROM ${referral}.rules WHERE bot_id = $1
               ORDER BY rules.rule_id, ord DESC) r
        LEFT JOIN ${events}.event_types t ON t.bot_id = $1 AND t.event_id = r.trigger_event_id
       ORDER BY r.rule_id`,
    values: [botId],
  });
  return rows;
}

/** How many users a referral program reached, step by step. A user counts once in a step. */
interface ProgramSteps {
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
interface ProgramAmounts {
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

/** The rate of a rule. Amounts and percents are decimal text. */
interface RateRow {
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
