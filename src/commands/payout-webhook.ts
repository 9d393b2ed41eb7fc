import { secretText } from '../domain/referral/delivery.ts';
import {
  rotateSecret,
  setWebhook,
  signingSecrets,
  type Webhook,
  webhook,
} from '../domain/referral/delivery-webhook.ts';
import { keyIdOfSecret, openSecret, type SealedSecret } from '../domain/secret.ts';
import { webhookStream } from '../domain/streams.ts';
import type { Position } from '../log/port.ts';
import { existingBot } from './existing-bot.ts';
import { type CommandContext, handle } from './handle.ts';
import { load } from './load.ts';
import { sealSecret } from './seal-secret.ts';

interface Changed {
  /** As its owner sees it; null: its key was forgotten. */
  readonly secret: string | null;
  readonly position: Position | undefined;
}

/** Sets where a bot's payouts are announced; the secret of the first time stays. @throws Rejection */
export async function setPayoutWebhook(context: CommandContext, bot: string, url: string): Promise<Changed> {
  await existingBot(context.log, bot);
  const secret = await newSecret(context, bot);
  const { position } = await handle(context, webhook, webhookStream(bot), (state) =>
    setWebhook(state, { url, secret }),
  );
  const found = await findPayoutWebhook(context, bot);
  return { secret: found?.secrets[0] ?? null, position };
}

/** @throws Rejection not_found: the bot has no webhook */
export async function rotatePayoutSecret(context: CommandContext, bot: string): Promise<Changed> {
  await existingBot(context.log, bot);
  const sealed = await newSecret(context, bot);
  const { position } = await handle(context, webhook, webhookStream(bot), (state, now) =>
    rotateSecret(state, sealed, now),
  );
  return { secret: (await opened(context, bot, [sealed]))[0] ?? null, position };
}

export interface PayoutWebhook {
  readonly url: string;
  /** The how-manieth address it is, from 1. */
  readonly address: number;
  /** Those that sign now, the newest first, as their owner sees them; without those whose key was forgotten. */
  readonly secrets: readonly string[];
}

/** As the log has it now. @throws LogUnavailableError */
export async function findPayoutWebhook(context: CommandContext, bot: string): Promise<PayoutWebhook | null> {
  const state: Webhook | null = (await load(context.log, webhook, webhookStream(bot))).state;
  if (state === null) return null;
  const { url, address } = state;
  return { url, address, secrets: await opened(context, bot, signingSecrets(state, context.sources.now())) };
}

/** 24 to 64 by Standard Webhooks. */
const SECRET_BYTES = 32;

function newSecret(context: CommandContext, bot: string): Promise<SealedSecret> {
  return sealSecret(context, bot, secretText(context.sources.randomBytes(SECRET_BYTES)));
}

async function opened({ log }: CommandContext, bot: string, sealed: readonly SealedSecret[]): Promise<string[]> {
  const keys = await log.keys.find(sealed.flatMap(keyIdOfSecret));
  return sealed.map((secret) => openSecret(secret, bot, keys)).filter((secret) => secret !== null);
}
