import type { Pool } from 'pg';
import type { Tables } from '../../database/tables.ts';
import { type Announced, CUT_OFF_MS, type Notice, webhookId } from '../../domain/referral/delivery.ts';
import { SET_BACK_MS } from '../../domain/set-back.ts';

export interface DueOptions {
  readonly now: number;
  /** Seconds from a payout to its first attempt. */
  readonly firstDelay: number;
  /** Payouts that are under way already. */
  readonly except: readonly number[];
  /** Bots that have enough under way. */
  readonly exceptBots: readonly string[];
  /** Most payouts of one bot, so that no bot crowds out the others. */
  readonly perBot: number;
}

/** SQL of the payouts `p` that wait to be announced, each with the bot's address `w` and its last attempt `a`, if any. */
const waitingPayouts = (accounts: string): string => `
${accounts}.payouts p
   LEFT JOIN ${accounts}.webhooks w ON w.public_key = p.public_key
   LEFT JOIN ${accounts}.attempts a
     ON p.attempt IN ('failed', 'open') AND a.public_key = p.public_key AND a.payout_id = p.payout_id AND a.attempt = p.attempts
   WHERE p.method = 'webhook' AND p.status IN (0, 1)`;

/** SQL of the time when the next attempt of such a payout is due, as `dueAt` in the domain. $1: the first delay; $2: now. */
const DUE_AT = `
CASE WHEN CASE p.status WHEN 0 THEN coalesce(p.next_at, p.requested_at) ELSE a.at END > $2::bigint + ${SET_BACK_MS} THEN $2
     WHEN p.status = 0 THEN coalesce(p.next_at, p.requested_at + $1)
     WHEN p.attempt = 'failed' AND CASE WHEN p.address IS NULL THEN a.at < w.set_at ELSE p.address < w.address END
       THEN a.at
     WHEN p.attempt = 'failed' THEN p.next_at
     WHEN p.attempt = 'open' THEN a.at + ${CUT_OFF_MS} END`;

/** A payout to announce. */
export interface DuePayout extends Notice, Announced {
  /** Of the commit of its request, if it is traced. */
  readonly trace: string | null;
}

/**
 * The payouts to announce now, the longest overdue of each bot first. Payouts whose unit is not in the read model yet are
 * left out.
 */
export async function duePayouts(
  { pool, accounts, catalog }: Tables<'accounts' | 'catalog'>,
  { now, firstDelay, except, exceptBots, perBot }: DueOptions,
): Promise<DuePayout[]> {
  const { rows } = await pool.query<DuePayout>({
    name: `${accounts}.${catalog}.due_payouts`,
    text: `
WITH waiting AS (
  SELECT p.*, ${DUE_AT} AS due_at FROM ${waitingPayouts(accounts)} AND p.payout_id <> ALL ($3::bigint[])
     AND p.public_key <> ALL ($4::text[])),
due AS (
  SELECT w.*, row_number() OVER (PARTITION BY public_key ORDER BY due_at, payout_id) AS turn
    FROM waiting w WHERE due_at <= $2)
SELECT d.payout_id::float8, d.user_id::float8, trim_scale(d.amount)::text AS amount, nullif(d.unit, 0)::float8 AS unit_id,
       u.code AS unit, d.public_key AS bot, d.requested_at::float8, d.nonce, d.trace
  FROM due d
  JOIN ${catalog}.bots b ON b.public_key = d.public_key
  LEFT JOIN ${catalog}.units u ON u.bot_id = b.bot_id AND u.unit_id = d.unit
 WHERE d.turn <= $5 AND (d.unit = 0 OR u.code IS NOT NULL)
 ORDER BY d.due_at, d.payout_id`,
    values: [firstDelay * 1000, now, [...except], [...exceptBots], perBot],
  });
  return rows;
}

/** Bots with payouts to announce, now or later. */
export async function waitingBots({ pool, accounts }: Tables<'accounts'>): Promise<string[]> {
  const { rows } = await pool.query<{ public_key: string }>({
    name: `${accounts}.waiting_bots`,
    text: `SELECT DISTINCT public_key FROM ${accounts}.payouts WHERE method = 'webhook' AND status IN (0, 1)`,
  });
  return rows.map(({ public_key }) => public_key);
}

/** Time when the next payout that is not under way is due; null: none is. */
export async function nextDue(
  { pool, accounts }: Tables<'accounts' | 'catalog'>,
  { now, firstDelay, except, exceptBots }: Omit<DueOptions, 'perBot'>,
): Promise<number | null> {
  const { rows } = await pool.query<{ due_at: number | null }>({
    name: `${accounts}.next_due`,
    text: `SELECT min(${DUE_AT})::float8 AS due_at FROM ${waitingPayouts(accounts)} AND p.payout_id <> ALL ($3::bigint[])
              AND p.public_key <> ALL ($4::text[])`,
    values: [firstDelay * 1000, now, [...except], [...exceptBots]],
  });
  return rows[0]!.due_at;
}

/** An attempt to announce a payout to its client. */
export interface Delivery {
  readonly payout_id: number;
  readonly webhook_id: string;
  readonly attempt: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** HTTP status of the answer; null: there is none, or none yet. */
  readonly status: number | null;
  readonly error: string | null;
}

/** An attempt as it is stored; `at` in ms UTC. */
export interface AttemptRow extends Omit<Delivery, 'webhook_id' | 'at'> {
  readonly at: number;
}

const ATTEMPT = `
  a.payout_id::float8, a.attempt, a.at::float8, a.status,
  coalesce(a.error, CASE WHEN a.status IS NULL AND a.attempt < p.attempts THEN 'cut off' END) AS error`;

/** The attempts of some of a bot's payouts, the first of each payout first. */
export async function attemptsOf(
  { pool, accounts }: Tables<'accounts'>,
  bot: string,
  payoutIds: readonly number[],
): Promise<AttemptRow[]> {
  const { rows } = await pool.query<AttemptRow>({
    name: `${accounts}.attempts`,
    text: `SELECT ${ATTEMPT} FROM ${accounts}.attempts a JOIN ${accounts}.payouts p USING (payout_id, public_key)
            WHERE p.public_key = $1 AND a.public_key = $1 AND a.payout_id = ANY ($2::bigint[]) ORDER BY a.payout_id, a.attempt`,
    values: [bot, [...payoutIds]],
  });
  return rows;
}

/** The attempts of a bot's payouts, the latest first. Default: all of them. */
export async function listDeliveries(
  { pool, accounts }: Tables<'accounts'>,
  bot: string,
  payoutId?: number,
  { limit, offset }: { readonly limit: number | null; readonly offset: number } = { limit: null, offset: 0 },
): Promise<Delivery[]> {
  // The part of the list comes first, by an index: a bot may have many attempts.
  const { rows } = await pool.query<AttemptRow & Announced>(
    `SELECT ${ATTEMPT}, p.nonce
       FROM (SELECT * FROM ${accounts}.attempts
              WHERE public_key = $1 ${payoutId === undefined ? '' : 'AND payout_id = $4'}
              ORDER BY at DESC, payout_id DESC, attempt DESC LIMIT $2 OFFSET $3) a
       JOIN ${accounts}.payouts p ON p.payout_id = a.payout_id AND p.public_key = $1
      ORDER BY a.at DESC, a.payout_id DESC, a.attempt DESC`,
    [bot, limit, offset, ...(payoutId === undefined ? [] : [payoutId])],
  );
  return rows.map(({ payout_id, nonce, attempt, at, status, error }) => ({
    payout_id,
    webhook_id: webhookId({ payout_id, nonce }),
    attempt,
    at: new Date(at).toISOString(),
    status,
    error,
  }));
}

/** The payouts of a bot that wait after a failed call of its webhook. */
interface FailingWebhook {
  /** Public key. */
  readonly bot: string;
  readonly payouts: number;
  /** Of one of the last calls. */
  readonly error: string;
}

const MOST_BOTS = 10;

/** The bots with the most such payouts. @param schema the schema of the read model `accounts` */
export async function failingWebhooks(pool: Pool, schema: string): Promise<FailingWebhook[]> {
  const { rows } = await pool.query<FailingWebhook>(
    `SELECT public_key AS bot, count(*)::int AS payouts, coalesce(max(error), '') AS error
       FROM ${schema}.payouts WHERE method = 'webhook' AND status IN (0, 1) AND attempt = 'failed'
      GROUP BY public_key ORDER BY count(*) DESC, public_key LIMIT ${MOST_BOTS}`,
  );
  return rows;
}
