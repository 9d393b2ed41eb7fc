import { parseAnswer } from './json.ts';

/** The notice of a payout that the service sends to the address of `webhook set`. */
export interface PayoutCreated {
  readonly type: 'payout.created';
  /** When the payout was requested, ISO 8601. */
  readonly timestamp: string;
  readonly data: {
    readonly payout_id: number;
    readonly user_id: number;
    /** A decimal with every digit. */
    readonly amount: string;
    readonly unit_id: number | null;
    readonly unit: string | null;
    readonly bot: string;
  };
}

/** Headers of a request, as any framework has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** By how much the moment of the signature may differ from now. Default 300. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** The request is not one of the service's, is too old, or was changed on its way. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const PREFIX = 'whsec_';

async function verify(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): Promise<PayoutCreated> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = headerOf(headers, name);
    if (!value) throw new WebhookVerificationError(`the header ${name} is missing`);
    return value;
  }) as [string, string, string];
  const differs = Math.abs(now() / 1000 - Number(timestamp));
  if (!(/^\d+$/.test(timestamp) && differs <= toleranceSeconds))
    throw new WebhookVerificationError('webhook-timestamp is not a moment of the last minutes: check the clock');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = concatenated(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  for (const secret of [secrets].flat().map(bytesOf)) {
    const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures.split(' ')) {
      const given = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : null;
      // Compares in constant time.
      if (given !== null && (await crypto.subtle.verify('HMAC', key, given, signed)))
        return parseAnswer('/v1/referral/', new TextDecoder().decode(bytes)) as PayoutCreated;
    }
  }
  throw new WebhookVerificationError('no signature fits: check the secret, and give the body as it came');
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.join(' ');
}

function bytesOf(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : null;
  if (!bytes?.length) throw new TypeError('a secret must begin with whsec_, as `webhook set` shows it');
  return bytes;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null; // no base64
  }
}

function concatenated(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

export interface Webhooks {
  /**
   * Checks the signature of a request and gives its body (Standard Webhooks; decisions.md#webhook-signature). During a rotation a
   * request has two signatures: one that fits is enough.
   * @param body the bytes as they came, or their text, not the parsed JSON
   * @param secrets one secret, or the old and the new one
   * @throws WebhookVerificationError
   */
  verify(
    body: string | Uint8Array,
    headers: WebhookHeaders,
    secrets: string | readonly string[],
    options?: VerifyOptions,
  ): Promise<PayoutCreated>;
}

export const webhooks: Webhooks = { verify };
