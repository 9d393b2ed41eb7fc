import { userErased } from '../../domain/intake/intake-events.ts';
import { subjectOf } from '../../domain/intake/personal.ts';
import type { Position } from '../../log/port.ts';
import { existingBot } from '../catalog/change-bot.ts';
import type { CommandContext } from '../decide-and-append.ts';
import { appendIntake } from './append-intake.ts';

/**
 * Erases the personal fields of a bot's user from the whole log: it forgets the keys that sealed them, and appends an event
 * by which read models drop theirs. An unknown or erased user is erased like any other. After a failure half way the
 * caller repeats the command.
 *
 * The keys are forgotten first. Until then another instance may seal with them. If the event came first, a read model
 * could still open what that instance appends after the event, and would hold fields that a rebuild does not.
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
