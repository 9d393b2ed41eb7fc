import { z } from 'zod';
import type { Reader } from '../../projections/reader.ts';
import { BOT_ERROR_KINDS, botErrors } from '../../queries/intake/bot-errors.ts';
import { botOf } from '../access.ts';
import { page } from '../page.ts';
import { type AnyRoute, route } from '../route.ts';
import { items, utcTimestamp } from '../shapes.ts';

const query = z.object({
  ...page,
  kind: z.enum(BOT_ERROR_KINDS).optional(),
});

const botError = z
  .object({
    id: z.string(),
    date: utcTimestamp,
    source: z.enum(['send-target', 'send-event', 'send-update']),
    kind: z.enum(BOT_ERROR_KINDS),
    message: z.string(),
    payload: z.unknown(),
    resolved_at: utcTimestamp.nullable(),
  })
  .meta({ id: 'BotError' });

/** GET /v1/bot-errors (decisions.md#bot-errors): accepted elements that could not be processed as sent. Any plan. */
export function listBotErrors(db: Reader, now: () => number): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/bot-errors',
    operationId: 'listBotErrors',
    summary: 'Events that were accepted and could not be processed as sent, newest first, of the last 90 days',
    tag: 'Intake',
    access: { resource: 'required' },
    query,
    answer: items(botError),
    async handle({ request, query: filter }) {
      return {
        ok: true,
        data: { items: await botErrors(await db.at('events'), botOf(request).bot_id, filter, now()) },
      };
    },
  });
}
