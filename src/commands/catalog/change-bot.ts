import { type BotSettings, bot, changeBot as decide, tokenProblem } from '../../domain/catalog/bot.ts';
import { botStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { type CommandContext, decideAndAppend } from '../decide-and-append.ts';
import { existingBot } from './existing-bot.ts';
import { sealSecret } from './seal-secret.ts';

export type SettingsInClear = Omit<BotSettings, 'token'> & { readonly token?: string | null | undefined };

/** @throws Rejection */
export async function changeBot(
  context: CommandContext,
  publicKey: string,
  changes: SettingsInClear,
): Promise<{ position: Position | undefined }> {
  await existingBot(context.log, publicKey);
  const sealed = await sealSettings(context, publicKey, changes);
  return decideAndAppend(context, bot, botStream(publicKey), (state) => decide(state, sealed));
}

/** The settings as the log may have them. @throws Rejection invalid: the token @throws LogUnavailableError */
export async function sealSettings(
  context: CommandContext,
  publicKey: string,
  { token, ...settings }: SettingsInClear,
): Promise<BotSettings> {
  if (token === undefined || token === null) return { ...settings, token };
  const problem = tokenProblem(token);
  if (problem !== undefined) throw problem;
  return { ...settings, token: await sealSecret(context, publicKey, token) };
}
