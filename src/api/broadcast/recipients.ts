import { existingBroadcast } from '../../commands/broadcast/change.ts';
import { localTimeOf } from '../../domain/local-time.ts';
import { listRecipients } from '../../queries/broadcast/recipients.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import type { BroadcastChanges } from './context.ts';
import { recipientsAnswer, recipientsQuery } from './schemas.ts';

/** GET /v1/broadcast/recipients (decisions.md#broadcast-recipients): what became of each recipient. */
export function recipients({ context, source }: Pick<BroadcastChanges, 'context' | 'source'>): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/broadcast/recipients',
    operationId: 'listRecipients',
    summary: 'The recipients of a broadcast by chat id, and what became of each',
    tag: 'Broadcasts',
    access: { resource: 'required', premium: true },
    query: recipientsQuery,
    answer: recipientsAnswer,
    async handle({ request, query: { id, state = null, limit, offset } }) {
      const { public_key: bot, timezone } = botOf(request);
      await existingBroadcast(context.log, { bot, id });
      const { items, total } = await listRecipients(await source(), id, { state, limit, offset });
      const shown = items.map(({ date, ...item }) => ({
        ...item,
        date: date === null ? null : localTimeOf(date, timezone),
      }));
      return { ok: true, data: { items: shown, total, limit, offset } };
    },
  });
}
