import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { instantsOf, parseLocalTime } from '../../domain/local-time.ts';
import {
  BROADCAST_ORDERS,
  type BroadcastList,
  type BroadcastsSource,
  listBroadcasts,
} from '../../queries/broadcast/broadcasts.ts';
import { botOf } from '../access.ts';
import { invalid } from '../errors.ts';
import { type AnyRoute, route } from '../route.ts';
import { broadcastObject } from './object.ts';
import { broadcastsAnswer, listQuery } from './schemas.ts';

/** GET /v1/broadcast/list: the broadcasts of a bot. */
export function list(source: () => Promise<BroadcastsSource>): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/broadcast/list',
    operationId: 'listBroadcasts',
    summary: 'Broadcasts of the bot, filtered, ordered and paged; the latest first',
    tag: 'Broadcasts',
    access: { resource: 'required', premium: true },
    query: listQuery,
    answer: broadcastsAnswer,
    exact: true,
    async handle({ request, query }) {
      const { bot_id, timezone } = botOf(request);
      const { limit, offset } = query;
      const { items, total } = await listBroadcasts(await source(), bot_id, {
        status: query['filters[status]'],
        // Every name has the empty one in it, and so has who has none.
        name: query['filters[name]'] || undefined,
        created: createdOf(query['filters[date_create]'], timezone),
        orders: ordersOf(request, query),
        limit,
        offset,
      });
      const shown = items.map(({ broadcast, statistics }) => broadcastObject(broadcast, statistics, timezone));
      return { ok: true, data: { items: shown, total, limit, offset } };
    },
  });
}

/** In the order in which the caller named them. */
function ordersOf(request: FastifyRequest, query: z.output<typeof listQuery>): BroadcastList['orders'] {
  return Object.keys(request.query as object).flatMap((key) => {
    const field = BROADCAST_ORDERS.find((one) => key === `orders[${one}]`);
    return field === undefined ? [] : [{ field, descending: query[`orders[${field}]`] === 'desc' }];
  });
}

/** Whole days of the bot's zone, the last one included. @throws ApiError 400 */
function createdOf(given: string | undefined, timezone: string): BroadcastList['created'] {
  if (given === undefined) return undefined;
  const [first, last = first, ...more] = given.split(',');
  const [from, to] = [first, last].map((day) => parseLocalTime(`${day} 00:00:00`));
  const path = 'filters[date_create]';
  if (from === undefined || to === undefined || more.length > 0)
    throw invalid([{ path, message: 'must be YYYY-MM-DD, or two of them joined by a comma' }]);
  if (from.toPlainDate().toString() > to.toPlainDate().toString())
    throw invalid([{ path, message: 'the first day must not be after the last' }]);
  return { from: instantsOf(from, timezone).first, until: instantsOf(to.add({ days: 1 }), timezone).first };
}
