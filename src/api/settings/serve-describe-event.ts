import { describeEvent } from '../../commands/catalog/describe-event.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import { change, OF_BOT, type Settings } from './change-setting.ts';
import { describedEventAnswer, describeEventBody } from './schemas.ts';

/** POST /v1/settings/events/describe: the words that people read for an event (decisions.md#event-words). */
export function describeEventRoute({ context, waitForChange }: Settings): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/settings/events/describe',
    operationId: 'describeEvent',
    summary: 'Give an event a title and a description for people, or hide it from pickers',
    tag: 'Settings',
    access: OF_BOT,
    body: describeEventBody,
    answer: describedEventAnswer,
    idempotent: true,
    errors: [404],
    async handle({ request, body: { event_id, title, description, hidden } }) {
      const bot = botOf(request).public_key;
      return change(request, waitForChange, {
        route: 'settings/events/describe',
        work: (meta) => describeEvent(context, { bot, event_id, title, description, hidden }, meta),
        dataOf: () => ({ event_id }),
        repeatOf: () => ({ event_id }),
      });
    },
  });
}
