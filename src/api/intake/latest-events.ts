import { z } from 'zod';
import type { Reader } from '../../projections/reader.ts';
import { latestEvents as findLatest } from '../../queries/intake/latest-events.ts';
import { findUsers, type ReportUser } from '../../queries/reports/users.ts';
import { botOf } from '../access.ts';
import type { DataAsOf } from '../data-as-of.ts';
import { page } from '../page.ts';
import { type AnyRoute, route } from '../route.ts';
import { answer, timestamp } from '../shapes.ts';

const text = z.string().nullable();

const latestEvent = z
  .object({
    id: z.string(),
    date: timestamp,
    date_received: timestamp,
    user_id: z.int(),
    first_name: text.describe('Null: not known, or erased. So are the other names'),
    last_name: text,
    username: text,
    event_type_id: z.int(),
    event_name: z.string(),
    value_int: z.number().nullable(),
    value_amount: z.number().nullable(),
    unit: text,
    value_str: text,
    category: text,
    webapp_name: text,
    utm_source: text,
    utm_medium: text,
    utm_campaign: text,
    utm_term: text,
    utm_content: text,
    event_key: text,
    properties: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'LatestEvent' });

const latestAnswer = answer(
  z.object({ items: z.array(latestEvent), data_as_of: timestamp }).meta({ id: 'LatestEvents' }),
);

/** @public For a client in TypeScript. */
export type LatestEvents = z.infer<typeof latestAnswer>['data'];

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
      const data_as_of = await asOf([tables.events], bot.timezone);
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
