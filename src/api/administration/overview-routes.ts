import { z } from 'zod';
import { groupBotErrors, listProcesses } from '../../administration/service-overview.ts';
import { failedCount } from '../api-errors.ts';
import { callerGone } from '../caller-gone.ts';
import { type AnyRoute, route } from '../route.ts';
import { items } from '../shapes.ts';
import type { AdminDependencies } from './administration-options.ts';
import { backgroundProcess, errorGroup, READ } from './schemas.ts';

const DAY_MS = 86_400_000;
const days = z
  .string()
  .regex(/^([1-9]|[1-8]\d|90)$/, 'must be 1 to 90')
  .transform(Number)
  .default(7)
  .meta({ type: 'integer' })
  .describe('Of so many days up to now, 1 to 90; default 7');

/** Shorter than `MAX_WAIT_MS`, at which the connection would end. */
const ERRORS_TIMEOUT_MS = 4000;

/** `/admin/v1/processes` and `/admin/v1/bot-errors`. */
export function overviewRoutes({ context, db }: AdminDependencies): AnyRoute[] {
  return [
    route({
      method: 'GET',
      url: '/admin/v1/processes',
      operationId: 'adminListProcesses',
      summary: 'The background processes: lag, error, lease, and the parts of their work that fail',
      tag: 'Operations',
      access: READ,
      answer: items(backgroundProcess),
      handle: async () => ({ ok: true, data: { items: await listProcesses(context) } }),
    }),
    route({
      method: 'GET',
      url: '/admin/v1/bot-errors',
      operationId: 'adminListBotErrors',
      summary: 'Bot errors of all bots, grouped by their text, the most frequent first; at most 100 groups',
      tag: 'Operations',
      access: READ,
      query: z.object({ days }),
      answer: items(errorGroup),
      errors: [502],
      async handle({ reply, query }) {
        const since = context.sources.now() - query.days * DAY_MS;
        const signal = callerGone(reply);
        const options = { timeoutMs: ERRORS_TIMEOUT_MS, cancel: { signal, others: context.pool } };
        try {
          return { ok: true, data: { items: await groupBotErrors(await db.at('events'), since, options) } };
        } catch (error) {
          throw failedCount(error, signal, 'counting the errors', '; ask for fewer days');
        }
      },
    }),
  ];
}
