import { unknownBroadcast } from '../../domain/broadcast/broadcast.ts';
import { localTimeOf } from '../../domain/local-time.ts';
import { type BroadcastsSource, findBroadcast } from '../../queries/broadcast/broadcasts.ts';
import { listRecipients } from '../../queries/broadcast/recipients.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import { recipientsAnswer, recipientsQuery } from './schemas.ts';

/** GET /v1/broadcast/recipients (decisions 6.1): what became of each recipient. */
export function recipients(source: () => Promise<BroadcastsSource>): AnyRoute {
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
      const { bot_id, timezone } = botOf(request);
      const from = await source();
      if ((await findBroadcast(from, bot_id, id)) === null) throw unknownBroadcast();
      const { items, total } = await listRecipients(from, id, { state, limit, offset });
      const shown = items.map(({ date, ...item }) => ({
        ...item,
        date: date === null ? null : localTimeOf(date, timezone),
      }));
      return { ok: true, data: { items: shown, total, limit, offset } };
    },
  });
}
