import { createHmac } from 'node:crypto';
import { LosslessNumber, stringify } from 'lossless-json';
import { SET_BACK_MS } from '../set-back.ts';

/**
 * The announcement of a payout to the bot's client, by Standard Webhooks (github.com/standard-webhooks, spec of 2023). The
 * signature is over the bytes that are sent.
 */

/** The content of an announcement. All of it is fixed with the payout, so each attempt sends the same bytes. */
export interface Notice {
  readonly payout_id: number;
  /** The user to pay. */
  readonly user_id: number;
  /** Decimal text in normal units. */
  readonly amount: string;
  readonly unit_id: number | null;
  /** The code of the unit. */
  readonly unit: string | null;
  /** Public key. */
  readonly bot: string;
  /** Time of the request, milliseconds UTC. */
  readonly requested_at: number;
}

export function noticeBody({ requested_at, amount, payout_id, user_id, unit_id, unit, bot }: Notice): string {
  const data = { payout_id, user_id, amount: new LosslessNumber(amount), unit_id, unit, bot };
  return stringify({ type: 'payout.created', timestamp: new Date(requested_at).toISOString(), data })!;
}

/** The part of a payout that its `webhook-id` is made of. */
export interface Announced {
  readonly payout_id: number;
  /** Random text of the payout's request; null: an earlier program made the request without it. */
  readonly nonce: string | null;
}

/**
 * The same for every attempt, so that a client recognises a repeat. No other payout has this id, also after a restore.
 */
export function webhookId({ payout_id, nonce }: Announced): string {
  return nonce === null ? `payout_${payout_id}` : `payout_${payout_id}_${nonce}`;
}

const PREFIX = 'whsec_';

/** The secret as its owner sees it. @param bytes 24 to 64 from a secure source */
export function secretText(bytes: Uint8Array): string {
  return PREFIX + Buffer.from(bytes).toString('base64');
}

/**
 * The headers of an attempt, with the time of the attempt: clients refuse signatures that are old.
 * @param now milliseconds UTC
 * @param secrets as their owner sees them; each gives a signature
 */
export function signedHeaders(
  payout: Announced,
  body: string,
  secrets: readonly string[],
  now: number,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const id = webhookId(payout);
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** The meaning of an answer: the client has paid; it pays later; it wants no further announcement; try again. */
export function resultOfStatus(status: number): 'paid' | 'accepted' | 'gone' | 'again' {
  if (status === 202) return 'accepted';
  if (status >= 200 && status < 300) return 'paid';
  return status === 410 ? 'gone' : 'again';
}

/**
 * When payouts are announced, and when a failed announcement is repeated (decisions.md#delivery-delays). Times are
 * milliseconds UTC.
 */

/** Seconds to the first attempt since the payout, and to each later one since the attempt before. */
export type RetryDelays = readonly number[];

/** The state of a payout that is announced by webhook. */
export interface Announcing {
  /** Status of the payout: 0 created, 1 processing. Other states need no announcement. */
  readonly status: number;
  /** Time of the request or of the last retry. */
  readonly asked_at: number;
  /** State of the last attempt; null: there was none since `asked_at`. */
  readonly attempt: 'open' | 'failed' | 'accepted' | null;
  readonly attempted_at: number | null;
  /** Number of the bot's address that the last attempt called; null: it was not recorded. */
  readonly address: number | null;
  /** Time of the next attempt after a failed one or a retry. */
  readonly next_at: number | null;
}

/**
 * Longer than any attempt takes (20 s for the answer, and the time of the log). An attempt that began longer ago and has no
 * end was cut off.
 */
export const CUT_OFF_MS = 45_000;

/** The bot's present address. */
export interface PresentAddress {
  /** Number of times the bot set its webhook, from 1. */
  readonly address: number;
  /** When it was last set, milliseconds UTC. */
  readonly setAt: number;
}

/** Time of the next attempt; null: none is due. A payout whose last attempt failed at an earlier address is due at once. */
export function dueAt(
  payout: Announcing,
  delays: RetryDelays,
  { address, setAt }: PresentAddress,
  now: number,
): number | null {
  const { status, asked_at, attempt, attempted_at, next_at } = payout;
  const endOf = (began: number, end: number | null): number | null => (began > now + SET_BACK_MS ? now : end);
  if (status === 0) return endOf(asked_at, next_at ?? asked_at + delays[0]! * 1000);
  if (status !== 1) return null;
  if (attempt === 'open') return endOf(attempted_at!, attempted_at! + CUT_OFF_MS);
  if (attempt !== 'failed') return null;
  // Earlier versions did not record the address of an attempt.
  const wasBefore = payout.address === null ? attempted_at! < setAt : payout.address < address;
  return endOf(attempted_at!, wasBefore ? attempted_at : next_at);
}

/** Random share by which delays vary, so that attempts that failed together are not repeated together. */
const SPREAD = 0.2;
/** Longest Retry-After that is followed. With a longer wait the payout would look forgotten. */
const LONGEST_ASKED_MS = 7 * 24 * 60 * 60 * 1000;

export interface Failure {
  /** Number of attempts that have failed since the payout was requested or retried, this one included. */
  readonly failures: number;
  readonly now: number;
  /** The client's Retry-After, milliseconds UTC; null: it sent none. */
  readonly retryAfter: number | null;
  /** Random, evenly distributed from 0 to 1. */
  readonly chance: number;
}

/** Time of the next attempt; null: there is none. */
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
  // HTTP dates have names of days and months. Date.parse also accepts other texts.
  const date = /^[A-Z][a-z]{2,8},? .*\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : date;
}
