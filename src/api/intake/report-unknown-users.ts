import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { EventLog } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { manifestOf } from '../../projections/registry.ts';
import { servedProgress, waitForReadModels } from '../../projections/runtime/wait-for-read-models.ts';
import type { BotRow } from '../../queries/catalog/bots.ts';
import { unknownUsers } from '../../queries/users/users-of-bot.ts';
import { botOf } from '../access.ts';
import type { DataAsOf } from '../data-as-of.ts';
import { timestamp } from '../shapes.ts';
import { receiptField } from './acknowledge.ts';

/** Query and answer of a look-up of unknown users, which the client requests (decisions.md#unknown-users). */
export const reportQuery = z.object({
  report: z
    .enum(['unknown_users'])
    .optional()
    .describe('unknown_users: name the users of these events that the bot has not met'),
});

export const acceptedWithReport = z
  .object({
    ok: z.literal(true),
    unknown_users: z
      .array(z.int())
      .nullable()
      .optional()
      .describe(
        'Only with report=unknown_users. Events of these users count if the user appears within 24 h. Null: the look-up failed',
      ),
    ...receiptField,
    data_as_of: timestamp.optional().describe('unknown_users considers every update received up to this time'),
  })
  .meta({ id: 'AcceptedEvents', example: { ok: true } });

export type ReportUnknownUsers = (
  request: FastifyRequest,
  query: z.output<typeof reportQuery>,
  userIds: () => readonly number[],
) => Promise<Omit<z.output<typeof acceptedWithReport>, 'ok' | 'receipt'>>;

interface ReportOptions {
  readonly log: EventLog;
  readonly db: Reader;
  readonly asOf: DataAsOf;
  readonly maxWaitMs: number;
}

export function reportUnknownUsers({ log, db, asOf, maxWaitMs }: ReportOptions): ReportUnknownUsers {
  const lookUp = async (bot: BotRow, userIds: readonly number[]) => {
    const tables = await db.at('events');
    const data_as_of = await asOf([tables.events], bot);
    return { unknown_users: await unknownUsers(tables, bot.bot_id, userIds), data_as_of };
  };
  return async (request, { report }, userIds) => {
    if (report === undefined) return {};
    const bot = botOf(request);
    const { bot_id, public_key } = bot;
    try {
      const found = await lookUp(bot, userIds());
      if (found.unknown_users.length === 0) return found;
      // Updates accepted before these events may create the users: wait until the read model has applied them.
      const progress = servedProgress(db.pool, manifestOf('events'), false);
      await waitForReadModels([progress], await log.endCursor(), { timeoutMs: maxWaitMs, bot: public_key });
      return await lookUp(bot, found.unknown_users);
    } catch (error) {
      // The events are in the log: the answer must not be an error.
      request.log.warn({ err: error, bot_id }, 'failed to look up unknown users; answering without them');
      return { unknown_users: null };
    }
  };
}
