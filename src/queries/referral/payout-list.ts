import type pg from 'pg';
import type { Tables } from '../../database/tables.ts';
import { webhookId } from '../../domain/referral/delivery.ts';
import { foundAmong, inSearch, type ListSearch } from '../users/search-users.ts';
import type { AccountName } from './account-source.ts';
import type { Page } from './find-attribution.ts';

/** A payout. Times are ms UTC, amounts decimal text. */
export interface PayoutRow {
  readonly payout_id: number;
  readonly user_id: number;
  readonly amount: string;
  readonly unit_id: number | null;
  /** 0 created, 1 processing, 2 paid, 3 failed, 4 cancelled. */
  readonly status: number;
  readonly method: string;
  readonly initiated_by: string;
  readonly requested_at: number;
  readonly processed_at: number | null;
  /** Why the last attempt, or the payout, failed. */
  readonly error: string | null;
}

export interface BotPayout extends PayoutRow {
  /** Public key. */
  readonly bot: string;
}

const COLUMNS = `
  payout_id::float8, user_id::float8, trim_scale(amount)::text AS amount, nullif(unit, 0)::float8 AS unit_id, status, method,
  initiated_by, requested_at::float8, processed_at::float8, error`;

/** A payout with the reason of its administrator. */
export interface ExplainedPayoutRow extends PayoutRow {
  /** Why an administrator last confirmed, retried or cancelled it; null: none was given. */
  readonly reason: string | null;
}

/** The payouts of an account, newest first. */
export async function payoutsOf(
  { pool, accounts }: Tables<'accounts'>,
  { bot, userId }: AccountName,
  { limit, offset }: Page,
): Promise<PayoutRow[]> {
  const { rows } = await pool.query<PayoutRow>({
    name: `${accounts}.payouts`,
    text: `SELECT ${COLUMNS} FROM ${accounts}.payouts WHERE public_key = $1 AND user_id = $2
            ORDER BY place DESC, payouts.payout_id DESC LIMIT $3 OFFSET $4`,
    values: [bot, userId, limit, offset],
  });
  return rows;
}

/** The payouts of a bot, by id; `status` null: of every status. */
export async function payoutsOfBot(
  { pool, accounts }: Tables<'accounts'>,
  bot: string,
  status: number | null,
): Promise<PayoutRow[]> {
  const { rows } = await pool.query<PayoutRow>(
    `SELECT ${COLUMNS} FROM ${accounts}.payouts
      WHERE public_key = $1 AND ($2::int IS NULL OR status = $2) ORDER BY payouts.payout_id`,
    [bot, status],
  );
  return rows;
}

export interface PayoutsQuery extends Page {
  /** Undefined: of every referrer. */
  readonly userId?: number | undefined;
  /** Undefined: of every status. */
  readonly status?: number | undefined;
  /** Undefined: all payouts. */
  readonly payoutId?: number | undefined;
  /** Undefined: of every unit; null: without a unit. */
  readonly unitId?: number | null | undefined;
  /** Undefined: of every user. */
  readonly search?: (ListSearch & { readonly botId: number }) | undefined;
  readonly order: (typeof PAYOUT_ORDERS)[number];
}

export const PAYOUT_ORDERS = ['newest', 'oldest', 'largest'] as const;
const ORDERED: Readonly<Record<PayoutsQuery['order'], string>> = {
  newest: 'payouts.requested_at DESC, payouts.payout_id DESC',
  oldest: 'payouts.requested_at, payouts.payout_id',
  largest: 'payouts.amount DESC, payouts.requested_at DESC, payouts.payout_id DESC',
};

/** A part of the payouts of a bot's referrers. @throws as of a search, if there is one */
export async function latestPayouts(
  { pool, accounts, users }: Tables<'accounts' | 'users'>,
  bot: string,
  { userId, status, payoutId, unitId, search, order, limit, offset }: PayoutsQuery,
): Promise<readonly ExplainedPayoutRow[]> {
  const unit = unitId === undefined ? undefined : (unitId ?? 0);
  const given = Object.entries({ user_id: userId, status, payout_id: payoutId, unit }).filter(
    ([, value]) => value !== undefined,
  );
  const conditions = given.map(([column], index) => ` AND payouts.${column} = $${index + 4}`);
  const from = `FROM ${accounts}.payouts WHERE public_key = $1${conditions.join('')}`;
  const values = [bot, limit, offset, ...given.map(([, value]) => value)];
  const page = `ORDER BY ${ORDERED[order]} LIMIT $2 OFFSET $3`;
  if (search !== undefined) {
    const found = foundAmong(users, search.botId, search.words, values.length + 1);
    return inSearch<ExplainedPayoutRow & pg.QueryResultRow>(
      search,
      `WITH payouts AS MATERIALIZED (SELECT payouts.* ${from}) SELECT ${COLUMNS}, reason FROM payouts ${found.join} ${page}`,
      [...values, ...found.values],
    );
  }
  // Not a prepared statement: the best index depends on which of the conditions there are.
  const { rows } = await pool.query<ExplainedPayoutRow>(`SELECT ${COLUMNS}, reason ${from} ${page}`, values);
  return rows;
}

/** A payout and its bot; null: there is no payout of this id. */
export async function findPayout({ pool, accounts }: Tables<'accounts'>, payoutId: number): Promise<BotPayout | null> {
  const { rows } = await pool.query<BotPayout>(
    `SELECT ${COLUMNS}, public_key AS bot FROM ${accounts}.payouts WHERE payout_id = $1`,
    [payoutId],
  );
  return rows[0] ?? null;
}

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

const ANNOUNCED = `payout_id::float8, nonce, public_key AS bot, user_id::float8, trim_scale(amount)::text AS amount,
  nullif(unit, 0)::float8 AS unit_id, status, requested_at::float8`;

type AnnouncedRow = Omit<AnnouncedPayout, 'webhook_id'> & { readonly nonce: string | null };

/** The payouts by webhook that are not known to be paid or cancelled: their client may know of them. The oldest first. */
export async function announcedPayouts({ pool, accounts }: Tables<'accounts'>): Promise<AnnouncedPayout[]> {
  const { rows } = await pool.query<AnnouncedRow>(
    `SELECT ${ANNOUNCED} FROM ${accounts}.payouts WHERE method = 'webhook' AND status IN (0, 1, 3) ORDER BY payouts.payout_id`,
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
  const { rows } = await pool.query<AnnouncedRow>(
    `SELECT ${ANNOUNCED} FROM ${accounts}.payouts WHERE payout_id = ANY ($1::bigint[]) ORDER BY payouts.payout_id`,
    [payoutIds],
  );
  return rows.map(named).filter(({ webhook_id }) => asked.has(webhook_id));
}

function named({ nonce, ...row }: AnnouncedRow): AnnouncedPayout {
  return { webhook_id: webhookId({ payout_id: row.payout_id, nonce }), ...row };
}
