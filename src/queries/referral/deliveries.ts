import type { Pool } from 'pg';
import { webhookId } from '../../domain/referral/delivery.ts';

/** An attempt to tell a client of a payout. */
export interface Delivery {
  readonly payout_id: number;
  readonly webhook_id: string;
  readonly attempt: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Of the answer; null: there was none, or not yet. */
  readonly status: number | null;
  readonly error: string | null;
}

/** The attempts of a bot's payouts, the latest first. */
export async function listDeliveries(
  { pool, schema }: { readonly pool: Pool; readonly schema: string },
  bot: string,
  payoutId?: number,
): Promise<Delivery[]> {
  const { rows } = await pool.query<Omit<Delivery, 'webhook_id' | 'at'> & { at: number }>(
    `SELECT a.payout_id::float8, a.attempt, a.at::float8, a.status,
            coalesce(a.error, CASE WHEN a.status IS NULL AND a.attempt < p.attempts THEN 'cut off' END) AS error
       FROM ${schema}.attempts a JOIN ${schema}.payouts p USING (payout_id)
      WHERE p.public_key = $1 AND ($2::bigint IS NULL OR a.payout_id = $2)
      ORDER BY a.at DESC, a.payout_id DESC, a.attempt DESC`,
    [bot, payoutId ?? null],
  );
  return rows.map(({ payout_id, attempt, at, status, error }) => ({
    payout_id,
    webhook_id: webhookId(payout_id),
    attempt,
    at: new Date(at).toISOString(),
    status,
    error,
  }));
}
