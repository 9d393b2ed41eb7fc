import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { existingBroadcast } from '../../commands/broadcast/change-broadcast.ts';
import { instantsOf, localTimeOf, parseLocalTime } from '../../domain/local-time.ts';
import type { Reader } from '../../projections/reader.ts';
import {
  BROADCAST_ORDERS,
  type BroadcastList,
  findStatistics,
  listBroadcasts,
} from '../../queries/broadcast/broadcasts.ts';
import { allRecipients, listRecipients } from '../../queries/broadcast/recipients.ts';
import { botOf } from '../access.ts';
import { invalid } from '../api-errors.ts';
import type { DataAsOf } from '../data-as-of.ts';
import { type AnyRoute, route } from '../route.ts';
import { type BroadcastChanges, broadcastObject } from './broadcast-context.ts';
import { recipientsCsv } from './recipients-csv.ts';
import {
  broadcastAnswer,
  broadcastsAnswer,
  getQuery,
  listQuery,
  recipientsAnswer,
  recipientsQuery,
} from './schemas.ts';

/** GET /v1/broadcast/list: the broadcasts of a bot. */
export function list(db: Reader, asOf: DataAsOf): AnyRoute {
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
      const tables = await db.at('broadcasts', 'recipients');
      const data_as_of = await asOf([tables.broadcasts, tables.recipients], botOf(request));
      const { items, total } = await listBroadcasts(tables, bot_id, {
        status: query['filters[status]'],
        archived: query['filters[archived]'],
        // Every name contains the empty text, also if there is no name.
        name: query['filters[name]'] || undefined,
        created: createdOf(query['filters[date_create]'], timezone),
        orders: ordersOf(request, query),
        limit,
        offset,
      });
      const shown = items.map(({ broadcast, statistics }) => broadcastObject(broadcast, statistics, timezone));
      return { ok: true, data: { items: shown, total, limit, offset, data_as_of } };
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

/** GET /v1/broadcast/get: the broadcast from the log, with the counts that the read model has so far. */
export function get({ context, db }: Pick<BroadcastChanges, 'context' | 'db'>): AnyRoute {
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
      const statistics = await findStatistics(await db.at('recipients'), id);
      return { ok: true, data: broadcastObject(broadcast, statistics, timezone) };
    },
  });
}

/** GET /v1/broadcast/recipients (decisions.md#broadcast-recipients): the state of each recipient. */
export function recipients({ context, db }: Pick<BroadcastChanges, 'context' | 'db'>): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/broadcast/recipients',
    operationId: 'listRecipients',
    summary: 'The recipients of a broadcast by chat id, and what became of each, as JSON or CSV',
    tag: 'Broadcasts',
    access: { resource: 'required', premium: true },
    query: recipientsQuery,
    answer: recipientsAnswer,
    otherMedia: ['text/csv'],
    async handle({ request, reply, query: { id, state = null, format, raw, limit, offset } }) {
      const { public_key: bot, timezone } = botOf(request);
      await existingBroadcast(context.log, { bot, id });
      if (format === 'csv') {
        const disposition = `attachment; filename="recipients-${id}.csv"`;
        void reply.type('text/csv; charset=utf-8').header('content-disposition', disposition);
        return recipientsCsv(allRecipients(await db.at('recipients'), id, state), timezone, { raw });
      }
      const { items, total } = await listRecipients(await db.at('recipients'), id, { state, limit, offset });
      const shown = items.map(({ date, ...item }) => ({
        ...item,
        date: date === null ? null : localTimeOf(date, timezone),
      }));
      return { ok: true, data: { items: shown, total, limit, offset } };
    },
  });
}
