import { isoWithOffset } from '../../domain/local-time.ts';
import type { Reader } from '../../projections/reader.ts';
import { receivedBroadcasts } from '../../queries/users/received-broadcasts.ts';
import { botOf } from '../access.ts';
import type { DataAsOf } from '../data-as-of.ts';
import { type AnyRoute, route } from '../route.ts';
import { broadcastsAnswer, broadcastsQuery } from './schemas.ts';

/** GET /v1/users/broadcasts (decisions.md#users-of-bot). */
export function broadcasts(db: Reader, asOf: DataAsOf): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/users/broadcasts',
    operationId: 'listUserBroadcasts',
    summary: 'The broadcasts whose audience had a user, the latest first, with the outcome of each for the user',
    tag: 'Reports',
    access: { resource: 'required', premium: true },
    query: broadcastsQuery,
    answer: broadcastsAnswer,
    async handle({ request, query: { user_id: userId, ...page } }) {
      const { bot_id: botId, timezone } = botOf(request);
      const tables = await db.at('broadcasts', 'recipients', 'clicks');
      const data_as_of = await asOf([tables.broadcasts, tables.recipients, tables.clicks], botOf(request));
      const shown = (date: number | null) => (date === null ? null : isoWithOffset(date, timezone));
      const items = (await receivedBroadcasts(tables, { botId, userId }, page)).map((item) => ({
        ...item,
        date: shown(item.date),
        first_click: shown(item.first_click),
      }));
      return { ok: true, data: { items, data_as_of } };
    },
  });
}
