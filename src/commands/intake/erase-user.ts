import { userErased } from '../../domain/intake/events.ts';
import { subjectOf } from '../../domain/intake/personal.ts';
import type { Position } from '../../log/port.ts';
import { existingBot } from '../catalog/existing-bot.ts';
import type { CommandContext } from '../decide-and-append.ts';
import { appendIntake } from './append-intake.ts';

/**
 * Erases what is personal of a bot's user from the whole log, by forgetting the keys that it is sealed with, and tells read
 * models to drop what they have of it. A user that nothing is known of, or that was erased before, is erased like any
 * other; after a failure half way it is repeated.
 *
 * The keys go first. Until then another instance may seal with them; what it appends behind the event must not be opened
 * by a read model that is faster than the forgetting, or it would hold what a rebuild does not.
 * @throws Rejection not_found
 * @throws LogUnavailableError, OutcomeUnknownError repeat it
 */
export async function eraseUser(
  { log, sources }: CommandContext,
  bot: string,
  userId: number,
): Promise<{ position: Position }> {
  await existingBot(log, bot);
  await log.keys.forget(subjectOf(bot, userId));
  return appendIntake({ log, sources }, bot, userErased.create({ user_id: userId }));
}
