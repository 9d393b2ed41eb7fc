import { type BotSettings, bot, changeBot as decide } from '../domain/catalog/bot.ts';
import { botStream } from '../domain/streams.ts';
import type { Position } from '../log/port.ts';
import { type CommandContext, handle } from './handle.ts';

/** @throws Rejection */
export async function changeBot(
  context: CommandContext,
  publicKey: string,
  changes: BotSettings,
): Promise<{ position: Position | undefined }> {
  return handle(context, bot, botStream(publicKey), (state) => decide(state, changes));
}
