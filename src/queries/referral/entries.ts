import type { AccountName, AccountSource } from './account-source.ts';
import type { Page, ReferralSource } from './attribution.ts';
import { PER_COMMIT } from './history.ts';

/** An accrual of an account, reversed or not. Times are ms UTC, amounts decimal text. */
export interface EntryRow {
  readonly accrual_id: number;
  /** The commit of the account that recorded it. */
  readonly position: number;
  /** Receipt of the event that earned it. */
  readonly date: number;
  readonly recorded_at: number;
  readonly available_at: number;
  readonly referral_id: number;
  readonly rule_id: number;
  /** Null: the rule is not in the read model yet. */
  readonly rule_name: string | null;
  readonly amount: string;
  readonly unit_id: number | null;
  /** The payout that has it now; null: none has. */
  readonly payout_id: number | null;
  /** The accrual that this one makes good. */
  readonly compensates: number | null;
  /** The accrual that makes this one good. */
  readonly compensated_by: number | null;
  readonly reversed_at: number | null;
  readonly reason: string | null;
}

export interface EntriesQuery extends Page {
  /** Only accruals that this payout has; undefined: all. */
  readonly payoutId?: number | undefined;
  /** Only these accruals; undefined: all. */
  readonly accrualIds?: readonly number[] | undefined;
}

/**
 * Every accrual of an account, in the order of the account's stream. The first payout after an accrual was recorded and not
 * on hold claims it; what was cancelled before a payout took it belongs to none (projections/accounts/tables.ts).
 */
export async function entriesOf(
  { pool, accounts, referral }: AccountSource & ReferralSource,
  botId: number,
  { bot, userId }: AccountName,
  { payoutId, accrualIds, limit, offset }: EntriesQuery,
): Promise<EntryRow[]> {
  const { rows } = await pool.query<EntryRow>({
    name: `${accounts}.${referral}.entries`,
    text: `
      SELECT x.accrual_id::float8, (x.place / ${PER_COMMIT})::float8 AS position, x.date::float8,
             x.at::float8 AS recorded_at, x.available_at::float8, x.referral_id::float8, x.rule_id::float8,
             (SELECT r.name FROM ${referral}.rules r WHERE r.bot_id = $6 AND r.rule_id = x.rule_id
               ORDER BY r.ord DESC LIMIT 1) AS rule_name,
             trim_scale(x.amount)::text AS amount, nullif(x.unit, 0)::float8 AS unit_id, p.payout_id::float8,
             x.compensates::float8,
             CASE WHEN x.reversed_at IS NOT NULL AND NOT x.cancelled THEN (
               SELECT c.accrual_id::float8 FROM ${accounts}.accruals c
                WHERE c.public_key = $1 AND c.user_id = $2 AND c.place = x.reversed_place AND c.compensates = x.accrual_id
             ) END AS compensated_by,
             x.reversed_at::float8, coalesce(x.reason, o.reason) AS reason
        FROM ${accounts}.accruals x
        LEFT JOIN ${accounts}.accruals o ON o.accrual_id = x.compensates AND o.public_key = $1
        LEFT JOIN LATERAL (
             SELECT c.claimed_by FROM ${accounts}.payouts c
              WHERE c.public_key = $1 AND c.user_id = $2 AND c.unit = x.unit
                AND c.requested_at >= greatest(x.available_at, x.at) AND c.place > x.place
              ORDER BY c.requested_at, c.place LIMIT 1) first ON true
        LEFT JOIN ${accounts}.payouts p ON p.payout_id = first.claimed_by AND p.public_key = $1
                                       AND NOT (x.cancelled AND x.reversed_place < p.place)
       WHERE x.public_key = $1 AND x.user_id = $2 AND ($3::bigint IS NULL OR p.payout_id = $3)
         AND ($7::bigint[] IS NULL OR x.accrual_id = ANY ($7))
       ORDER BY x.place LIMIT $4 OFFSET $5`,
    values: [bot, userId, payoutId ?? null, limit, offset, botId, accrualIds ?? null],
  });
  return rows;
}
