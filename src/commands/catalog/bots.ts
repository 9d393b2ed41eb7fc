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
import type { EventLog, Position } from '../../log/port.ts';
import { type CommandContext, decideAndAppend, load } from '../decide-and-append.ts';
import { reserveId } from '../reserve-ids.ts';
import { newPublicKey, newSecret, sealSecret } from './secrets.ts';

export type CreateBot = Omit<SettingsInClear, 'name'> & { readonly ownerId: number; readonly name: string };

export interface CreatedBot {
  readonly publicKey: string;
  /** Shown once: the log has only its hash. */
  readonly webhookSecret: string;
  readonly position: Position | undefined;
}

/** @throws Rejection */
export async function createBot(context: CommandContext, { ownerId, ...settings }: CreateBot): Promise<CreatedBot> {
  const { state } = await load(context.log, owner, ownerStream(ownerId));
  if (state.owner === null) throw new Rejection('not_found', 'owner', `there is no owner ${ownerId}`);
  const bot_id = await reserveId(context, 'bot');
  const public_key = newPublicKey(context.sources, 'b');
  const secret = newSecret(context.sources);
  const identity = { bot_id, public_key, owner_id: ownerId, webhook_secret_hash: secret.hash };
  const { name } = settings;
  const sealed = await sealSettings(context, public_key, settings);
  const { position } = await decideAndAppend(context, bot, botStream(public_key), (state) =>
    decideCreateBot(state, { ...identity, ...sealed, name }),
  );
  return { publicKey: public_key, webhookSecret: secret.text, position };
}

export type SettingsInClear = Omit<BotSettings, 'token'> & { readonly token?: string | null | undefined };

/** @throws Rejection */
export async function changeBot(
  context: CommandContext,
  publicKey: string,
  changes: SettingsInClear,
): Promise<{ position: Position | undefined }> {
  await existingBot(context.log, publicKey);
  const sealed = await sealSettings(context, publicKey, changes);
  return decideAndAppend(context, bot, botStream(publicKey), (state) => decideChangeBot(state, sealed));
}

/** The settings with the token sealed, as the log stores them. @throws Rejection invalid: the token @throws LogUnavailableError */
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

/** Replaces the secret that the platform sends with its webhook calls. @throws Rejection */
export async function rotateWebhookSecret(
  context: CommandContext,
  publicKey: string,
): Promise<{ webhookSecret: string; position: Position | undefined }> {
  const secret = newSecret(context.sources);
  const { position } = await decideAndAppend(context, bot, botStream(publicKey), (state) =>
    decideRotateWebhookSecret(state, secret.hash),
  );
  return { webhookSecret: secret.text, position };
}

/** The bot of a public key, read from the log. A bot is never deleted, so the result stays true. @throws Rejection not_found */
export async function existingBot(log: EventLog, publicKey: string): Promise<NonNullable<BotState['bot']>> {
  const { state } = await load(log, bot, botStream(publicKey));
  if (state.bot === null) throw new Rejection('not_found', 'bot', `there is no bot ${publicKey}`);
  return state.bot;
}
