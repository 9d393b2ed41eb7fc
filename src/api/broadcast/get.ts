import { existingBroadcast } from '../../commands/broadcast/change.ts';
import { findStatistics } from '../../queries/broadcast/broadcasts.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import type { BroadcastChanges } from './context.ts';
import { broadcastObject } from './object.ts';
import { broadcastAnswer, getQuery } from './schemas.ts';

/** GET /v1/broadcast/get: what the log has of it, with counts as far as the read model has followed. */
export function get({ context, source }: Pick<BroadcastChanges, 'context' | 'source'>): AnyRoute {
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
      const { public_key: bot, timezone } = botOf(request);
      const broadcast = await existingBroadcast(context.log, { bot, id });
      const statistics = await findStatistics(await source(), id);
      return { ok: true, data: broadcastObject(broadcast, statistics, timezone) };
    },
  });
}
