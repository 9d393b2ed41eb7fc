import { bot, createBot as decide } from '../../domain/catalog/bot.ts';
import { owner } from '../../domain/catalog/owner.ts';
import { Rejection } from '../../domain/rejection.ts';
import { botStream, ownerStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { type CommandContext, decideAndAppend, load } from '../decide-and-append.ts';
import { reserveId } from '../reserve-ids.ts';
import { type SettingsInClear, sealSettings } from './change-bot.ts';
import { newPublicKey, newSecret } from './secrets.ts';

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
    decide(state, { ...identity, ...sealed, name }),
  );
  return { publicKey: public_key, webhookSecret: secret.text, position };
}
