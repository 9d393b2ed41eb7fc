import { z } from 'zod';
import { decideLetter, type LetterRow, listLetters } from '../../administration/dead-letter-work.ts';
import { shownEvent } from '../../administration/shown-event.ts';
import { operatorOf } from '../access.ts';
import { page } from '../page.ts';
import { type AnyRoute, route } from '../route.ts';
import { answer } from '../shapes.ts';
import type { AdminDependencies } from './administration-options.ts';
import { letter, MAX_CHARACTERS, MAX_EVENTS, READ, reason } from './schemas.ts';

/** How long a retry waits until the read model has applied the commit or failed again. */
const OUTCOME_MS = 4000;

const id = z.string().describe('As in the list');
const decided = answer(
  z
    .object({ id: z.string(), in_effect: z.boolean().describe('Whether the read model has passed the commit') })
    .meta({ id: 'DecidedDeadLetter' }),
);
const example = 'users_v1.018f2f3a-0000-7000-8000-000000000000';

/** `/admin/v1/dead-letters`: commits that a read model cannot apply. */
export function deadLetterRoutes({ context }: AdminDependencies): AnyRoute[] {
  return [
    route({
      method: 'GET',
      url: '/admin/v1/dead-letters',
      operationId: 'adminListDeadLetters',
      summary: 'Commits at which a read model stopped, or which it skipped, with their events',
      tag: 'Operations',
      access: READ,
      query: z.object(page),
      answer: answer(z.object({ items: z.array(letter), total: z.int() }).meta({ id: 'DeadLetters' })),
      async handle({ query: { limit, offset } }) {
        const part = { limit, offset, events: MAX_EVENTS, characters: MAX_CHARACTERS };
        const { items, total } = await listLetters(context.pool, part);
        return { ok: true, data: { items: items.map(shown), total } };
      },
    }),
    route({
      method: 'POST',
      url: '/admin/v1/dead-letters/retry',
      operationId: 'adminRetryDeadLetter',
      summary: 'Apply the commit again. The log records who asked',
      tag: 'Operations',
      access: { ...READ, act: true },
      body: z.object({ id }).meta({ id: 'RetryDeadLetterRequest', example: { id: example } }),
      answer: decided,
      errors: [404, 409],
      async handle({ request, body }) {
        const meta = { keyId: operatorOf(request).operatorId };
        const decision = { id: body.id, skipFor: null, projector: null, outcomeMs: OUTCOME_MS, meta };
        return { ok: true, data: { id: body.id, in_effect: await decideLetter(context, decision) } };
      },
    }),
    route({
      method: 'POST',
      url: '/admin/v1/dead-letters/skip',
      operationId: 'adminSkipDeadLetter',
      summary: 'Skip the commit, now and in every replay. The log records who and why',
      tag: 'Operations',
      access: { ...READ, act: true },
      body: z
        .object({ id, reason })
        .meta({ id: 'SkipDeadLetterRequest', example: { id: example, reason: 'sent by a broken script' } }),
      answer: decided,
      errors: [404],
      async handle({ request, body }) {
        const meta = { keyId: operatorOf(request).operatorId };
        const decision = { id: body.id, skipFor: body.reason, projector: null, outcomeMs: OUTCOME_MS, meta };
        return { ok: true, data: { id: body.id, in_effect: await decideLetter(context, decision) } };
      },
    }),
  ];
}

function shown({ at, recordedAt, events, eventsCount, ...row }: LetterRow): z.input<typeof letter> {
  return {
    ...row,
    at: at.toISOString(),
    recorded_at: new Date(recordedAt).toISOString(),
    events: events.map(shownEvent),
    events_count: eventsCount,
  };
}
