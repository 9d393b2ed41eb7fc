import { createHmac } from 'node:crypto';
import { LosslessNumber, stringify } from 'lossless-json';

/**
 * How a client is told of a payout: by Standard Webhooks (github.com/standard-webhooks, spec of 2023), whose signature is
 * over the very bytes that are sent.
 */

/** What the client is told: all of it facts of the payout, so that each attempt sends the same bytes. */
export interface Notice {
  readonly payout_id: number;
  /** Whom to pay. */
  readonly user_id: number;
  /** Decimal text in normal units. */
  readonly amount: string;
  readonly unit_id: number | null;
  /** The code of the unit. */
  readonly unit: string | null;
  /** Public key. */
  readonly bot: string;
  /** When it was requested, milliseconds UTC. */
  readonly requested_at: number;
}

export function noticeBody({ requested_at, amount, payout_id, user_id, unit_id, unit, bot }: Notice): string {
  const data = { payout_id, user_id, amount: new LosslessNumber(amount), unit_id, unit, bot };
  return stringify({ type: 'payout.created', timestamp: new Date(requested_at).toISOString(), data })!;
}

/** The same for every attempt: a client that has seen it knows that it is told again. */
export function webhookId(payoutId: number): string {
  return `payout_${payoutId}`;
}

const PREFIX = 'whsec_';

/** As its owner sees it. @param bytes 24 to 64 from a secure source */
export function secretText(bytes: Uint8Array): string {
  return PREFIX + Buffer.from(bytes).toString('base64');
}

/**
 * The headers of an attempt. Its time is the attempt's own: clients refuse what was signed long ago.
 * @param now milliseconds UTC
 * @param secrets as their owner sees them; each gives a signature
 */
export function signedHeaders(
  payoutId: number,
  body: string,
  secrets: readonly string[],
  now: number,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const id = webhookId(payoutId);
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** What an answer says: the payout is done; the client does it later; never ask again; ask again. */
export function resultOfStatus(status: number): 'paid' | 'accepted' | 'gone' | 'again' {
  if (status === 202) return 'accepted';
  if (status >= 200 && status < 300) return 'paid';
  return status === 410 ? 'gone' : 'again';
}

/**
 * When payouts are announced, and again when that has failed (decisions.md#delivery-delays). Times are milliseconds
 * UTC.
 */

/** Seconds after what came before: the payout for the first attempt, the previous attempt for the others. */
export type RetryDelays = readonly number[];

/** Of a payout that goes by webhook. */
export interface Announcing {
  /** Of the payout: 0 created, 1 processing; in others there is nothing to do. */
  readonly status: number;
  /** When it was requested, or retried since. */
  readonly asked_at: number;
  /** What the last attempt came to; null: there was none since then. */
  readonly attempt: 'open' | 'failed' | 'accepted' | null;
  readonly attempted_at: number | null;
  /** Which of the bot's addresses the last attempt called; null: it was not noted. */
  readonly address: number | null;
  /** When the next attempt follows one that failed, or a retry. */
  readonly next_at: number | null;
}

/**
 * Longer than any attempt takes (20 s for the answer, some for the log). One that was begun longer ago and has no end was
 * cut off.
 */
export const CUT_OFF_MS = 45_000;

/** The bot's present address. */
export interface PresentAddress {
  /** Number of times the bot set its webhook, from 1. */
  readonly address: number;
  /** When it was last set, milliseconds UTC. */
  readonly setAt: number;
}

/** When the next attempt is due; null: none is. A payout whose last attempt failed before the address was set does not wait. */
export function dueAt(payout: Announcing, delays: RetryDelays, { address, setAt }: PresentAddress): number | null {
  const { status, asked_at, attempt, attempted_at, next_at } = payout;
  if (status === 0) return next_at ?? asked_at + delays[0]! * 1000;
  if (status !== 1) return null;
  if (attempt === 'open') return attempted_at! + CUT_OFF_MS;
  if (attempt !== 'failed') return null;
  // Attempts of earlier programs did not note their address.
  const wasBefore = payout.address === null ? attempted_at! < setAt : payout.address < address;
  return wasBefore ? attempted_at : next_at;
}

/** How far delays are spread, so that what failed together is not tried again together. */
const SPREAD = 0.2;
/** A client that asks for more than a week means never; the payout would look forgotten. */
const LONGEST_ASKED_MS = 7 * 24 * 60 * 60 * 1000;

export interface Failure {
  /** How many attempts have failed since the payout was requested or retried, this one included. */
  readonly failures: number;
  readonly now: number;
  /** Not before, says the client. */
  readonly retryAfter: number | null;
  /** Evenly from 0 to 1. */
  readonly chance: number;
}

/** When to try again; null: that was the last attempt. */
export function nextAttempt(delays: RetryDelays, { failures, now, retryAfter, chance }: Failure): number | null {
  const delay = delays[failures];
  if (delay === undefined) return null;
  const planned = now + Math.round(delay * 1000 * (1 + SPREAD * (2 * chance - 1)));
  return Math.max(planned, Math.min(retryAfter ?? 0, now + LONGEST_ASKED_MS));
}

/** `Retry-After` (RFC 9110, 10.2.3): seconds, or a date. @returns milliseconds UTC; null: absent or neither */
export function retryAfter(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return now + Number(text) * 1000;
  // Names of days and months make it a date of HTTP; other texts that Date.parse takes are none.
  const date = /^[A-Z][a-z]{2,8},? .*\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : date;
}
