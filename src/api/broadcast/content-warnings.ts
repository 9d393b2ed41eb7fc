import type { FastifyRequest } from 'fastify';
import type { MessageAt } from '../../domain/broadcast/broadcast.ts';
import { customFieldsIn } from '../../domain/broadcast/message.ts';
import type { Warning } from '../../domain/problem.ts';
import { unknownCustomFields } from '../../queries/users/users-of-bot.ts';
import { inTime } from '../../util/in-time.ts';
import { botOf } from '../access.ts';
import type { BroadcastChanges } from './broadcast-context.ts';

/** Time limit of the look-up. With a million users, a field that no user has takes 0.25 s. */
const LOOK_UP_MS = 2000;
/** Names looked up for one message, so that a template of hundreds of names does not keep the database busy. */
const MAX_NAMES = 20;

/**
 * Finds probable mistakes in the content of an accepted draft (decisions.md#content-warnings).
 * @param date when it will be sent, ms UTC
 */
export async function contentWarnings(
  changes: BroadcastChanges,
  request: FastifyRequest,
  messages: readonly MessageAt[],
  date: number | null,
): Promise<Warning[]> {
  const warnings = await fieldWarnings(changes, request, messages);
  if (date !== null && date < changes.context.sources.now())
    warnings.push({
      path: 'date_send',
      message: 'this time is past: the broadcast is sent as soon as it is activated',
    });
  return warnings;
}

async function fieldWarnings(
  { db }: BroadcastChanges,
  request: FastifyRequest,
  messages: readonly MessageAt[],
): Promise<Warning[]> {
  const named = messages.flatMap(({ message, path }) => customFieldsIn(message, path));
  if (named.length === 0) return [];
  const all = [...new Set(named.map(({ field }) => field))];
  const names = new Set(all.slice(0, MAX_NAMES));
  const notLookedUp = ({ path, field }: (typeof named)[number], why: string): Warning => ({
    path,
    message: `failed to look up whether a user of the bot has the custom field ${field}${why}`,
  });
  const late = () => new Error('the look-up takes too long');
  try {
    const source = await db.at('users');
    const { bot_id } = botOf(request);
    const unknown = await inTime(unknownCustomFields(source, bot_id, [...names], LOOK_UP_MS), LOOK_UP_MS, late);
    return named.flatMap((each) => {
      const { path, field } = each;
      if (!names.has(field)) return [notLookedUp(each, `: only ${MAX_NAMES} names of a message are looked up`)];
      return unknown.has(field) ? [{ path, message: `no user of the bot has the custom field ${field} yet` }] : [];
    });
  } catch (error) {
    request.log.warn(
      { err: error },
      'failed to look up the custom fields that a template names; answering with a warning for each',
    );
    return named.map((each) => notLookedUp(each, ''));
  }
}
