import { eventFields, userFieldsWith } from '../../domain/reports/fields.ts';
import type { Reader } from '../../projections/reader.ts';
import { listResources } from '../../queries/catalog/bots.ts';
import { eventProperties, listEvents, utmLabels } from '../../queries/reports/event-types-and-labels.ts';
import { customFields } from '../../queries/reports/user-tables.ts';
import { listSavedSegments } from '../../queries/saved-segments/saved-segments.ts';
import { botOf, principalOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import { eventFieldsAnswer, eventPropertiesAnswer, eventsAnswer, resourcesAnswer, utmLabelsAnswer } from './schemas.ts';
import { userFieldsAnswer } from './users-schemas.ts';

/** GET /v1/reports/resources: the bots that the key can access. */
export function resources(db: Reader): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/reports/resources',
    operationId: 'listResources',
    summary: 'The bots that the key can access, by their resource keys',
    tag: 'Reports',
    access: { resource: 'optional', premium: true },
    answer: resourcesAnswer,
    async handle({ request }) {
      const { ownerId, scope } = principalOf(request);
      return { ok: true, data: { items: await listResources(await db.at('catalog'), ownerId, scope) } };
    },
  });
}

/** GET /v1/reports/events: the event types of a bot, with their words (decisions.md#event-words). */
export function events(db: Reader): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/reports/events',
    operationId: 'listReportEvents',
    summary: 'Events that reports of the bot can count, with the ids that metrics name',
    tag: 'Reports',
    access: { resource: 'required', premium: true },
    answer: eventsAnswer,
    async handle({ request }) {
      const { bot_id, timezone } = botOf(request);
      return {
        ok: true,
        data: { items: await listEvents(await db.at('events', 'catalog'), { botId: bot_id, timezone }) },
      };
    },
  });
}

/** GET /v1/reports/event-fields: the fixed fields of events. */
export function eventFieldList(): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/reports/event-fields',
    operationId: 'listEventFields',
    summary: 'The fixed event fields that filters can name: the same for every bot',
    tag: 'Reports',
    access: { resource: 'optional', premium: true },
    answer: eventFieldsAnswer,
    handle: async () => ({ ok: true, data: { items: eventFields } }),
  });
}

/** GET /v1/reports/event-properties (decisions.md#property-fields). */
export function eventPropertyList(db: Reader): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/reports/event-properties',
    operationId: 'listEventProperties',
    summary: 'The custom properties that events of the bot have, for filters, breakdowns, columns and sums',
    tag: 'Reports',
    access: { resource: 'required', premium: true },
    answer: eventPropertiesAnswer,
    handle: async ({ request }) => ({
      ok: true,
      data: { items: await eventProperties(await db.at('events'), botOf(request).bot_id) },
    }),
  });
}

/** GET /v1/reports/user-fields (decisions.md#report-user-fields): the fields of a bot's users. */
export function userFieldList(db: Reader): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/reports/user-fields',
    operationId: 'listUserFields',
    summary:
      'The fields of users that filters and breakdowns can name, with the custom fields and saved segments of the bot',
    tag: 'Reports',
    access: { resource: 'required', premium: true },
    answer: userFieldsAnswer,
    async handle({ request }) {
      const { bot_id, public_key } = botOf(request);
      const custom = await customFields(await db.at('users'), bot_id);
      const segments = await listSavedSegments(await db.at('reports'), public_key);
      return { ok: true, data: { items: userFieldsWith(custom, segments) } };
    },
  });
}

/** GET /v1/reports/utm-labels: the UTM labels of a bot's visits. */
export function utmLabelList(db: Reader): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/reports/utm-labels',
    operationId: 'listUtmLabels',
    summary: 'UTM labels that the bot has seen, each list with the most used first',
    tag: 'Reports',
    access: { resource: 'required', premium: true },
    answer: utmLabelsAnswer,
    handle: async ({ request }) => ({ ok: true, data: await utmLabels(await db.at('events'), botOf(request).bot_id) }),
  });
}
