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
