import { z } from 'zod';
import { eventType } from '../event-type.ts';
import { sealedSecret } from '../secret.ts';

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
