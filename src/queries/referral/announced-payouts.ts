import type { Tables } from '../../database/tables.ts';
import { webhookId } from '../../domain/referral/delivery.ts';

/** A payout by webhook, with the `webhook-id` by which its client knows it. */
export interface AnnouncedPayout {
  readonly webhook_id: string;
  readonly payout_id: number;
  /** Public key. */
  readonly bot: string;
  readonly user_id: number;
  /** Decimal text in normal units. */
  readonly amount: string;
  readonly unit_id: number | null;
  /** 0 created, 1 processing, 2 paid, 3 failed, 4 cancelled. */
  readonly status: number;
  /** Milliseconds UTC. */
  readonly requested_at: number;
}

const COLUMNS = `payout_id::float8, nonce, public_key AS bot, user_id::float8, trim_scale(amount)::text AS amount,
  nullif(unit, 0)::float8 AS unit_id, status, requested_at::float8`;

type Row = Omit<AnnouncedPayout, 'webhook_id'> & { readonly nonce: string | null };

/** The payouts by webhook that are not known to be paid or cancelled: their client may know of them. The oldest first. */
export async function announcedPayouts({ pool, accounts }: Tables<'accounts'>): Promise<AnnouncedPayout[]> {
  const { rows } = await pool.query<Row>(
    `SELECT ${COLUMNS} FROM ${accounts}.payouts WHERE method = 'webhook' AND status IN (0, 1, 3) ORDER BY payouts.payout_id`,
  );
  return rows.map(named);
}

/** Finds the payouts with these ids. Ids of no payout are left out. */
export async function payoutsWithWebhookIds(
  { pool, accounts }: Tables<'accounts'>,
  ids: readonly string[],
): Promise<AnnouncedPayout[]> {
  const asked = new Set(ids);
  const payoutIds = ids.flatMap((id) => /^payout_(\d{1,15})(?:_|$)/.exec(id)?.[1] ?? []);
  const { rows } = await pool.query<Row>(
    `SELECT ${COLUMNS} FROM ${accounts}.payouts WHERE payout_id = ANY ($1::bigint[]) ORDER BY payouts.payout_id`,
    [payoutIds],
  );
  return rows.map(named).filter(({ webhook_id }) => asked.has(webhook_id));
}

function named({ nonce, ...row }: Row): AnnouncedPayout {
  return { webhook_id: webhookId({ payout_id: row.payout_id, nonce }), ...row };
}
