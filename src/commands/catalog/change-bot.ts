import {
  type BotSettings,
  type BotState,
  bot,
  changeBot as decideChangeBot,
  createBot as decideCreateBot,
  rotateWebhookSecret as decideRotateWebhookSecret,
  tokenProblem,
} from '../../domain/catalog/bot.ts';
import { owner } from '../../domain/catalog/owner.ts';
import { Rejection } from '../../domain/rejection.ts';
import { botStream, ownerStream } from '../../domain/streams.ts';
import type { EventLog, Position, RecordedCommit } from '../../log/port.ts';
import {
  type CommandContext,
  type CommandMeta,
  type CommandResult,
  decideAndAppend,
  load,
  takingId,
} from '../decide-and-append.ts';
import { NO_ID_YET, reserveId } from '../reserve-ids.ts';
import { knownOwner } from './change-owner.ts';
import { newPublicKey, newSecret, publicKeyOf, sealSecret } from './secrets.ts';

export type CreateBot = Omit<SettingsInClear, 'name'> & { readonly ownerId: number; readonly name: string };

export interface CreatedBot {
  readonly publicKey: string;
  /** Shown once: the log has only its hash. */
  readonly webhookSecret: string;
  readonly position: Position | undefined;
  /** The commit that created the bot, if this command is a repeat; `webhookSecret` then is not the bot's. Null: no repeat. */
  readonly repeated: RecordedCommit | null;
}

/** Creates a bot. A command's id gives the bot's key ({@link botOfCommand}), so a repeat finds the bot. @throws Rejection */
export async function createBot(
  context: CommandContext,
  { ownerId, ...settings }: CreateBot,
  meta: CommandMeta = {},
): Promise<CreatedBot> {
  const { state } = await load(context.log, owner, ownerStream(ownerId));
  knownOwner(state, ownerId);
  const { command } = meta;
  const public_key = command === undefined ? newPublicKey(context.sources, 'b') : botOfCommand(command.id);
  const secret = newSecret(context.sources);
  const identity = { public_key, owner_id: ownerId, webhook_secret_hash: secret.hash };
  const { name, token, ...rest } = settings;
  // Decide before an id is reserved and a data key is made, so that a refusal leaves neither behind.
  const refused =
    (token == null ? undefined : tokenProblem(token)) ??
    decideCreateBot(bot.initialState(), { ...identity, ...rest, bot_id: NO_ID_YET, name });
  if (refused instanceof Rejection) throw refused;
  const bot_id = await reserveId(context, 'bot');
  const sealed = await sealSettings(context, public_key, settings);
  const { position, repeated } = await decideAndAppend(
    context,
    bot,
    botStream(public_key),
    (state) => decideCreateBot(state, { ...identity, ...sealed, bot_id, name }),
    meta,
  );
  return { publicKey: public_key, webhookSecret: secret.text, position, repeated };
}

/** The public key of the bot that a command creates. @param commandId UUID */
export const botOfCommand = (commandId: string): string => publicKeyOf(commandId, 'b');

export type SettingsInClear = Omit<BotSettings, 'token'> & { readonly token?: string | null | undefined };

/** Reads settings that a person typed. An empty username or token clears it; a username may begin with `@`. */
export function textSettings({
  username,
  token,
  timezone,
}: {
  readonly username?: string | undefined;
  readonly token?: string | undefined;
  readonly timezone?: string | undefined;
}): Pick<SettingsInClear, 'username' | 'token' | 'timezone'> {
  return {
    username: username === undefined ? undefined : username.replace(/^@/, '') || null,
    token: token === undefined ? undefined : token || null,
    timezone,
  };
}

/** @throws Rejection */
export async function changeBot(
  context: CommandContext,
  publicKey: string,
  changes: SettingsInClear,
  meta: CommandMeta = {},
): Promise<Pick<CommandResult<unknown>, 'position' | 'repeated'>> {
  await existingBot(context.log, publicKey);
  const sealed = await sealSettings(context, publicKey, changes);
  const same = { type: 'bot_changed', data: {} } as const;
  return decideAndAppend(
    context,
    bot,
    botStream(publicKey),
    (state) => takingId(decideChangeBot(state, sealed), meta, same),
    meta,
  );
}

/** The settings with the token sealed, as the log stores them. @throws Rejection invalid: the token @throws LogUnavailableError */
async function sealSettings(
  context: CommandContext,
  publicKey: string,
  { token, ...settings }: SettingsInClear,
): Promise<BotSettings> {
  if (token === undefined || token === null) return { ...settings, token };
  const problem = tokenProblem(token);
  if (problem !== undefined) throw problem;
  return { ...settings, token: await sealSecret(context, publicKey, token) };
}

/** Replaces the secret that the platform sends with each webhook call. @throws Rejection */
export async function rotateWebhookSecret(
  context: CommandContext,
  publicKey: string,
  meta: CommandMeta = {},
): Promise<Pick<CreatedBot, 'webhookSecret' | 'position' | 'repeated'>> {
  const secret = newSecret(context.sources);
  const { position, repeated } = await decideAndAppend(
    context,
    bot,
    botStream(publicKey),
    (state) => decideRotateWebhookSecret(state, secret.hash),
    meta,
  );
  return { webhookSecret: secret.text, position, repeated };
}

/** The bot of a public key, read from the log. A bot is never deleted, so the result stays true. @throws Rejection not_found */
export async function existingBot(log: EventLog, publicKey: string): Promise<NonNullable<BotState['bot']>> {
  const found = await findBot(log, publicKey);
  if (found === null) throw unknownBot(publicKey);
  return found;
}

/** The bot's settings as the log has them; null if there is no such bot. */
export async function findBot(log: EventLog, publicKey: string): Promise<BotState['bot']> {
  return (await load(log, bot, botStream(publicKey))).state.bot;
}

export function unknownBot(publicKey: string): Rejection {
  return new Rejection('not_found', 'bot', `there is no bot ${publicKey}`);
}
