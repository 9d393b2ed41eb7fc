import { type BotState, bot } from '../../domain/catalog/bot.ts';
import { Rejection } from '../../domain/rejection.ts';
import { botStream } from '../../domain/streams.ts';
import type { EventLog } from '../../log/port.ts';
import { load } from '../decide-and-append.ts';

/** The bot of a public key, read from the log. A bot is never deleted, so the answer holds. @throws Rejection not_found */
export async function existingBot(log: EventLog, publicKey: string): Promise<NonNullable<BotState['bot']>> {
  const { state } = await load(log, bot, botStream(publicKey));
  if (state.bot === null) throw new Rejection('not_found', 'bot', `there is no bot ${publicKey}`);
  return state.bot;
}
