import { z } from 'zod';
import { type Decision, decider } from '../decider.ts';
import { type EventOf, eventType } from '../event-type.ts';
import { Rejection } from '../rejection.ts';
import { type SealedSecret, sealedSecret } from '../sealing.ts';

/** Stream `webhook-<bot>`: the URL that a bot's payouts are announced to, and the secrets that sign the announcements. */

/** Has a secret the first time; later events keep that one. Payouts that wait for their next attempt are tried at once. */
export const payoutWebhookSet = eventType(
  'payout_webhook_set',
  1,
  z.object({ url: z.string(), secret: sealedSecret.optional() }),
);

/** The old secret also signs until `former_until` (milliseconds UTC), so that the client has time to change over. */
export const payoutWebhookSecretRotated = eventType(
  'payout_webhook_secret_rotated',
  1,
  z.object({ secret: sealedSecret, former_until: z.number().int() }),
);

export interface Webhook {
  readonly url: string;
  /** Number of times the bot set its webhook, from 1. */
  readonly address: number;
  readonly secret: SealedSecret;
  /** The old secret. It signs until `until`, milliseconds UTC. */
  readonly former: { readonly secret: SealedSecret; readonly until: number } | null;
}

export type WebhookState = Webhook | null;
export type WebhookEvent = EventOf<typeof payoutWebhookSet | typeof payoutWebhookSecretRotated>;

export const webhook = decider([payoutWebhookSet, payoutWebhookSecretRotated], (): WebhookState => null, evolve);

function evolve(state: WebhookState, { type, data }: WebhookEvent): WebhookState {
  if (type === 'payout_webhook_set')
    return {
      url: data.url,
      address: (state?.address ?? 0) + 1,
      secret: data.secret ?? state!.secret,
      former: state?.former ?? null,
    };
  return { ...state!, secret: data.secret, former: { secret: state!.secret, until: data.former_until } };
}

export interface SetWebhook {
  readonly url: string;
  /** Used if the bot has no secret yet. */
  readonly secret: SealedSecret;
}

/** Also records an unchanged address: its server may be back, and payouts that wait are then tried at once. */
export function setWebhook(state: WebhookState, { url: given, secret }: SetWebhook): Decision<WebhookEvent> {
  const url = addressOf(given);
  if (url instanceof Rejection) return url;
  return [{ type: 'payout_webhook_set', data: state === null ? { url, secret } : { url } }];
}

/** How long both secrets sign after a rotation. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;

/** Replaces the secret. A secret that still signed since an earlier rotation ends: there are at most two signatures. */
export function rotateSecret(state: WebhookState, secret: SealedSecret, now: number): Decision<WebhookEvent> {
  if (state === null) return new Rejection('not_found', 'bot', 'the bot has no webhook');
  return [{ type: 'payout_webhook_secret_rotated', data: { secret, former_until: now + OVERLAP_MS } }];
}

/** The secrets that sign at `now`, the newest first. */
export function signingSecrets({ secret, former }: Webhook, now: number): SealedSecret[] {
  return former !== null && now < former.until ? [secret, former.secret] : [secret];
}

const MAX_LENGTH = 2000;

/** Checks only the text. The network that the address leads to is checked at each call, since names may change. */
function addressOf(text: string): string | Rejection {
  const invalid = (must: string): Rejection => new Rejection('invalid', 'url', `the url must ${must}`);
  if (text.length > MAX_LENGTH) return invalid(`have at most ${MAX_LENGTH} characters`);
  if (!URL.canParse(text)) return invalid('be one, such as https://example.com/payouts');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return invalid('begin with https:// or http://');
  if (url.username !== '' || url.password !== '') return invalid('hold no user name or password');
  return url.href;
}
