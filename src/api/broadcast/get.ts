import { unknownBroadcast } from '../../domain/broadcast/broadcast.ts';
import { type BroadcastsSource, findBroadcast } from '../../queries/broadcast/broadcasts.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import { broadcastObject } from './object.ts';
import { broadcastAnswer, getQuery } from './schemas.ts';

/** GET /v1/broadcast/get. */
export function get(source: () => Promise<BroadcastsSource>): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/broadcast/get',
    operationId: 'getBroadcast',
    summary: 'A broadcast: its content, status and statistics',
    tag: 'Broadcasts',
    access: { resource: 'required', premium: true },
    query: getQuery,
    answer: broadcastAnswer,
    exact: true,
    async handle({ request, query: { id } }) {
      const { bot_id, timezone } = botOf(request);
      const found = await findBroadcast(await source(), bot_id, id);
      if (found === null) throw unknownBroadcast();
      return { ok: true, data: broadcastObject(found.broadcast, found.statistics, timezone) };
    },
  });
}
