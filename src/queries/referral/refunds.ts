import type { EarningsSource, Stretch } from './earnings.ts';

/** A refunded payment of a referral. */
export interface RefundRow {
  /** Public key. */
  readonly bot: string;
  readonly referrer_id: number;
  /** The payment's event, and its receipt. */
  readonly commit_id: string;
  readonly idx: number;
  readonly received: number;
}

/** Returns the payments of referrals whose refund came to count in a range. */
export async function refundsOf(
  { pool, events, referral }: EarningsSource,
  { partition, after, to }: Stretch,
): Promise<RefundRow[]> {
  const { rows } = await pool.query<RefundRow>({
    name: `${events}.${referral}.refunds`,
    text: `SELECT b.public_key AS bot, f.referrer_id::float8, p.commit_id, p.idx, p.received::float8
             FROM ${events}.refunded_payments p
             JOIN ${events}.bots b ON b.bot_id = p.bot_id
             JOIN ${referral}.referrals f ON f.bot_id = p.bot_id AND f.user_id = p.user_id
            WHERE p.lane = $1 AND p.position > $2 AND p.position <= $3
            ORDER BY p.position, p.bot_id, p.commit_id, p.idx`,
    values: [partition, after, to],
  });
  return rows;
}

/** Returns the ids of the accruals that a payment earned and that are not reversed. Reads the index of the account's feed. */
export async function accrualsOfPayment(
  { pool, accounts }: EarningsSource,
  { bot, referrer_id, commit_id, idx, received }: RefundRow,
): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>({
    name: `${accounts}.accruals_of_payment`,
    text: `SELECT accrual_id::float8 AS id FROM ${accounts}.accruals
            WHERE public_key = $1 AND user_id = $2 AND date = $3 AND reversed_at IS NULL
              AND event_commit = $4 AND event_idx = $5 ORDER BY accrual_id`,
    values: [bot, referrer_id, received, commit_id, idx],
  });
  return rows.map(({ id }) => id);
}
