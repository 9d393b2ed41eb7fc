import { z } from 'zod';
import { type Decision, decider } from '../decider.ts';
import { type EventOf, eventType } from '../event-type.ts';
import { Rejection } from '../rejection.ts';
import { type SealedSecret, sealedSecret } from '../secret.ts';

/** Stream `webhook-<bot>`: where a bot's payouts are announced, and what the announcements are signed with. */

/** With a secret the first time, which later ones keep. Whatever waits for its next attempt makes it now. */
export const payoutWebhookSet = eventType(
  'payout_webhook_set',
  1,
  z.object({ url: z.string(), secret: sealedSecret.optional() }),
);

/** The secret before it signs, too, until `former_until` (milliseconds UTC), so that the client has time to change over. */
export const payoutWebhookSecretRotated = eventType(
  'payout_webhook_secret_rotated',
  1,
  z.object({ secret: sealedSecret, former_until: z.number().int() }),
);

/** Stream `webhook-<bot>`. */

export interface Webhook {
  readonly url: string;
  /** Number of times the bot set its webhook, from 1. */
  readonly address: number;
  readonly secret: SealedSecret;
  /** The secret before, as long as it signs; `until` in milliseconds UTC. */
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
  /** For a bot that has none. */
  readonly secret: SealedSecret;
}

/** The same address, too: its server may be there again, and what waits is to be tried now. */
export function setWebhook(state: WebhookState, { url: given, secret }: SetWebhook): Decision<WebhookEvent> {
  const url = addressOf(given);
  if (url instanceof Rejection) return url;
  return [{ type: 'payout_webhook_set', data: state === null ? { url, secret } : { url } }];
}

/** How long both secrets sign after a rotation. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;

/** One that still signed from a rotation before no longer does: there are two signatures at most. */
export function rotateSecret(state: WebhookState, secret: SealedSecret, now: number): Decision<WebhookEvent> {
  if (state === null) return new Rejection('not_found', 'bot', 'the bot has no webhook');
  return [{ type: 'payout_webhook_secret_rotated', data: { secret, former_until: now + OVERLAP_MS } }];
}

/** The secrets that sign at `now`, the newest first. */
export function signingSecrets({ secret, former }: Webhook, now: number): SealedSecret[] {
  return former !== null && now < former.until ? [secret, former.secret] : [secret];
}

const MAX_LENGTH = 2000;

/** Where an address leads is checked when it is called: names may point elsewhere by then. */
function addressOf(text: string): string | Rejection {
  const invalid = (must: string): Rejection => new Rejection('invalid', 'url', `the url must ${must}`);
  if (text.length > MAX_LENGTH) return invalid(`have at most ${MAX_LENGTH} characters`);
  if (!URL.canParse(text)) return invalid('be one, such as https://example.com/payouts');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return invalid('begin with https:// or http://');
  if (url.username !== '' || url.password !== '') return invalid('hold no user name or password');
  return url.href;
}
