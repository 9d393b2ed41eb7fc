import { z } from 'zod';
import type { Reader } from '../../projections/reader.ts';
import { latestEvents as findLatest } from '../../queries/intake/latest-events.ts';
import { findUsers, type ReportUser } from '../../queries/reports/user-tables.ts';
import { botOf } from '../access.ts';
import type { DataAsOf } from '../data-as-of.ts';
import { page } from '../page.ts';
import { type AnyRoute, route } from '../route.ts';
import { latestAnswer } from './latest-events-schemas.ts';

/** GET /v1/events/latest (decisions.md#latest-events): a bot's latest events, as they come. Any plan. */
export function latestEvents(db: Reader, asOf: DataAsOf): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/events/latest',
    operationId: 'listLatestEvents',
    summary: 'The events that were received last, the last one first, as they were counted',
    tag: 'Intake',
    access: { resource: 'required' },
    query: z.object({ limit: page.limit }),
    answer: latestAnswer,
    exact: true,
    async handle({ request, query: { limit } }) {
      const bot = botOf(request);
      const tables = await db.at('events', 'users');
      const data_as_of = await asOf([tables.events], bot);
      const events = await findLatest(tables, bot, limit);
      const users = await findUsers(tables, bot, [...new Set(events.map(({ user_id }) => user_id))]);
      const names = new Map(users.map((user) => [user.user_id, user]));
      const items = events.map((event) => ({ ...event, ...namesOf(names.get(event.user_id)) }));
      return { ok: true, data: { items, data_as_of } };
    },
  });
}

function namesOf(user: ReportUser | undefined): Pick<ReportUser, 'first_name' | 'last_name' | 'username'> {
  const { first_name = null, last_name = null, username = null } = user ?? {};
  return { first_name, last_name, username };
}
