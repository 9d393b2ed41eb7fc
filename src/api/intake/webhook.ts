import { z } from 'zod';
import type { ReceiveUpdates } from '../../commands/intake/receive-updates.ts';
import { parseUpdate } from '../../platform/update.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import { accepted, webhookUpdate } from './schemas.ts';

/**
 * POST /v1/webhook/<bot_public_key> (decisions.md#platform-updates): the platform calls it directly and shows the bot's
 * secret instead of an API key. Anything with an `update_id` is 200, since the platform repeats what is refused.
 */
export function webhook(receive: ReceiveUpdates): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/webhook/:bot_public_key',
    operationId: 'webhook',
    summary: "The platform's webhook: set this URL with the bot's secret token",
    tag: 'Intake',
    access: { resource: 'webhook', withoutDatabase: true },
    params: z.object({ bot_public_key: z.string() }),
    body: webhookUpdate,
    answer: accepted,
    async handle({ request, body }) {
      const { public_key, username } = botOf(request);
      const item = parseUpdate(body, { username });
      if (item !== null) await receive(public_key, [item], {});
      return { ok: true };
    },
  });
}
