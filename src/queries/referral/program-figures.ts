import type { Tables } from '../../database/tables.ts';

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
