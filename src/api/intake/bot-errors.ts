import type pg from 'pg';
import { z } from 'zod';
import { BOT_ERROR_KINDS, botErrors } from '../../queries/bot-errors.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** An integer of a query, brought into its range when it lies outside (decisions 3.2). */
const clamped = (fallback: number, min: number, max: number) =>
  z
    .string({ error: 'must be given once' })
    .regex(/^-?\d+$/, 'must be an integer')
    .transform((text) => Math.min(max, Math.max(min, Number(text))))
    .default(fallback)
    .meta({ type: 'integer' });

const query = z.object({
  limit: clamped(DEFAULT_LIMIT, 1, MAX_LIMIT).describe(`Default ${DEFAULT_LIMIT}, at most ${MAX_LIMIT}, clamped`),
  offset: clamped(0, 0, Number.MAX_SAFE_INTEGER).describe('Default 0, clamped'),
  kind: z.enum(BOT_ERROR_KINDS).optional(),
});

const botError = z
  .object({
    id: z.string(),
    date: z.iso.datetime(),
    source: z.enum(['send-target', 'send-event', 'send-update']),
    kind: z.enum(BOT_ERROR_KINDS),
    message: z.string(),
    payload: z.unknown(),
    resolved_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'BotError' });

/** GET /v1/bot-errors (decisions 3.2): what was accepted and could not be processed as sent. Any plan. */
export function listBotErrors(
  source: () => Promise<{ readonly pool: pg.Pool; readonly events: string }>,
  now: () => number,
): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/bot-errors',
    operationId: 'listBotErrors',
    summary: 'Events that were accepted and could not be processed as sent, newest first, of the last 90 days',
    tag: 'Intake',
    access: { resource: 'required' },
    query,
    answer: z.object({ ok: z.literal(true), data: z.object({ items: z.array(botError) }) }),
    async handle({ request, query: filter }) {
      return { ok: true, data: { items: await botErrors(await source(), botOf(request).bot_id, filter, now()) } };
    },
  });
}
