import { bot, rotateWebhookSecret as decide } from '../../domain/catalog/bot.ts';
import { botStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { type CommandContext, decideAndAppend } from '../decide-and-append.ts';
import { newSecret } from './secrets.ts';

/** Replaces the secret that the platform sends with its webhook calls. @throws Rejection */
export async function rotateWebhookSecret(
  context: CommandContext,
  publicKey: string,
): Promise<{ webhookSecret: string; position: Position | undefined }> {
  const secret = newSecret(context.sources);
  const { position } = await decideAndAppend(context, bot, botStream(publicKey), (state) => decide(state, secret.hash));
  return { webhookSecret: secret.text, position };
}
