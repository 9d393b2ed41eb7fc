import type { Tables } from '../../database/tables.ts';

export type EarningsSource = Tables<'events' | 'referral' | 'catalog' | 'accounts'>;

/** A range of a partition: after one position, up to and including another. */
export interface Stretch {
  readonly partition: number;
  /** '': the beginning of the partition. */
  readonly after: string;
  readonly to: string;
}

/** An event of a referral and a rule that rewards it, both as of the event's place in the log. */
export interface EarningRow {
  /** Public key. */
  readonly bot: string;
  readonly referrer_id: number;
  readonly referral_id: number;
  readonly commit_id: string;
  readonly idx: number;
  readonly event_id: number;
  readonly date: number;
  readonly date_received: number;
  /** Decimal text in normal units of `unit`; null: the event has no value, or its unit is unknown. */
  readonly value: string | null;
  /** Code of the event's unit. */
  readonly unit: string | null;
  /** The bot's own unit of that code. */
  readonly event_unit_id: number | null;
  readonly event_scale: number | null;
  readonly rule_id: number;
  readonly reward_type: 'fixed' | 'percent' | 'external';
  readonly amount: string | null;
  readonly percent: string | null;
  readonly hold_days: string;
  readonly rule_unit_id: number | null;
  readonly rule_unit: string | null;
  readonly rule_scale: number | null;
  /** Exchange rate from the event's unit to the rule's, of the latest day not after the event's; null: there is none. */
  readonly rate: string | null;
  /** Of the commit by which the event came to count, if it is traced. */
  readonly trace: string | null;
}

/**
 * The position of the last row of a page of about `limit` events and refunds from the start of a range; null: the range
 * has none. All of one position are on one page.
 */
export async function endOfPage(
  { pool, events }: EarningsSource,
  { partition, after, to }: Stretch,
  limit: number,
): Promise<string | null> {
  const { rows } = await pool.query<{ last: string | null }>({
    name: `${events}.end_of_page`,
    text: `SELECT max(position) AS last
             FROM (SELECT position FROM (
                     (SELECT position FROM ${events}.rewardable_events
                       WHERE lane = $1 AND position > $2 AND position <= $3 ORDER BY position LIMIT $4)
                     UNION ALL
                     (SELECT position FROM ${events}.refunded_payments
                       WHERE lane = $1 AND position > $2 AND position <= $3 ORDER BY position LIMIT $4)) either
                    ORDER BY position LIMIT $4) page`,
    values: [partition, after, to, limit],
  });
  return rows[0]!.last;
}

const DAY_MS = 86_400_000;

/**
 * Returns the events of a range that may earn rewards, each with a rule (decisions.md#reward-rules). Their users were
 * referred before the event, and the rule was active then. Ordered by the positions at which the events began to count.
 */
export async function earningsOf(
  { pool, events, referral, catalog }: EarningsSource,
  { partition, after, to }: Stretch,
): Promise<EarningRow[]> {
  const { rows } = await pool.query<EarningRow>({
    name: `${events}.${referral}.${catalog}.earnings`,
    text: `
SELECT b.public_key AS bot, f.referrer_id::float8, e.user_id::float8 AS referral_id, e.commit_id, e.idx, e.event_id,
       e.date::float8, e.date_received::float8, trim_scale(e.value)::text AS value, e.unit,
       eu.unit_id::float8 AS event_unit_id, eu.scale AS event_scale,
       r.rule_id::float8, r.reward_type, trim_scale(r.amount)::text AS amount, trim_scale(r.percent)::text AS percent,
       trim_scale(r.hold_days)::text AS hold_days, r.unit_id::float8 AS rule_unit_id, ru.code AS rule_unit,
       ru.scale AS rule_scale, x.rate::text AS rate, e.trace
  FROM ${events}.rewardable_events e
  JOIN ${events}.bots b ON b.bot_id = e.bot_id
  JOIN ${referral}.referrals f ON f.bot_id = e.bot_id AND f.user_id = e.user_id
   AND f.ord < e.ord AND floor(f.date / 1000.0) <= floor(e.date / 1000.0)
  JOIN ${referral}.rules r ON r.bot_id = e.bot_id AND r.trigger_event_id = e.event_id AND r.ord < e.ord AND r.active
   AND NOT EXISTS (SELECT FROM ${referral}.rules later
                    WHERE later.bot_id = r.bot_id AND later.rule_id = r.rule_id AND later.ord > r.ord AND later.ord < e.ord)
  LEFT JOIN ${catalog}.units eu ON eu.bot_id = e.bot_id AND eu.code = e.unit
  LEFT JOIN ${catalog}.units ru ON ru.bot_id = e.bot_id AND ru.unit_id = r.unit_id
  LEFT JOIN LATERAL (
    SELECT rate FROM ${catalog}.exchange_rates
     WHERE from_code = e.unit AND to_code = ru.code
       AND date <= (to_timestamp(floor(e.date / ${DAY_MS}.0) * ${DAY_MS / 1000}) AT TIME ZONE 'UTC')::date
     ORDER BY date DESC LIMIT 1) x ON r.reward_type = 'percent'
 WHERE e.lane = $1 AND e.position > $2 AND e.position <= $3
 ORDER BY e.position, e.bot_id, e.ord, r.rule_id`,
    values: [partition, after, to],
  });
  return rows;
}
