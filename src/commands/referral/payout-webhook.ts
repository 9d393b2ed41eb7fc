import { type PresentAddress, secretText } from '../../domain/referral/delivery.ts';
import { rotateSecret, setWebhook, signingSecrets, webhook } from '../../domain/referral/delivery-webhook.ts';
import { keyIdOfSecret, openSecret, type SealedSecret } from '../../domain/sealing.ts';
import { webhookStream } from '../../domain/streams.ts';
import type { Position, RecordedCommit } from '../../log/port.ts';
import { existingBot } from '../catalog/bots.ts';
import { sealSecret } from '../catalog/secrets.ts';
import { type CommandContext, type CommandMeta, decideAndAppend } from '../decide-and-append.ts';

interface Changed {
  /** The secret as its owner sees it; null: its data key was forgotten. */
  readonly secret: string | null;
  readonly position: Position | undefined;
  /** The commit that this command repeats: the secret was shown with it. Null: the command is no repeat. */
  readonly repeated: RecordedCommit | null;
}

/** Sets the URL that a bot's payouts are announced to. The secret of the first time stays. @throws Rejection */
export async function setPayoutWebhook(
  context: CommandContext,
  bot: string,
  url: string,
  meta: CommandMeta = {},
): Promise<Changed & { /** Whether the bot had no webhook before. */ readonly isFirst: boolean }> {
  await existingBot(context.log, bot);
  const secret = await newSecret(context, bot);
  const { events, position, repeated } = await decideAndAppend(
    context,
    webhook,
    webhookStream(bot),
    (state) => setWebhook(state, { url, secret }),
    meta,
  );
  const found = await findPayoutWebhook(context, bot);
  const isFirst = events.some(({ type, data }) => type === 'payout_webhook_set' && data.secret !== undefined);
  return { secret: found?.secrets[0] ?? null, isFirst, position, repeated };
}

/** Replaces the secret; both sign for a day. @throws Rejection not_found: the bot has no webhook */
export async function rotatePayoutSecret(
  context: CommandContext,
  bot: string,
  meta: CommandMeta = {},
): Promise<Changed> {
  await existingBot(context.log, bot);
  const sealed = await newSecret(context, bot);
  const { position, repeated } = await decideAndAppend(
    context,
    webhook,
    webhookStream(bot),
    (state, now) => rotateSecret(state, sealed, now),
    meta,
  );
  return { secret: (await opened(context, bot, [sealed]))[0] ?? null, position, repeated };
}

export interface PayoutWebhook extends PresentAddress {
  readonly url: string;
  /** The secrets that sign now, newest first, as their owner sees them, without those whose data key was forgotten. */
  readonly secrets: readonly string[];
}

/** Reads the bot's webhook from the log. @throws LogUnavailableError */
export async function findPayoutWebhook(context: CommandContext, bot: string): Promise<PayoutWebhook | null> {
  const { commits } = await context.log.read(webhookStream(bot));
  const events = commits.flatMap(({ at, events }) => events.map((event) => ({ at, event: webhook.read(event) })));
  const state = events.reduce((state, { event }) => webhook.evolve(state, event), webhook.initialState());
  const last = events.findLast(({ event }) => event.type === 'payout_webhook_set');
  if (state === null || last === undefined) return null;
  const { url, address } = state;
  const secrets = await opened(context, bot, signingSecrets(state, context.sources.now()));
  return { url, address, setAt: last.at, secrets };
}

/** Standard Webhooks allows 24 to 64. */
const SECRET_BYTES = 32;

function newSecret(context: CommandContext, bot: string): Promise<SealedSecret> {
  return sealSecret(context, bot, secretText(context.sources.randomBytes(SECRET_BYTES)));
}

async function opened({ log }: CommandContext, bot: string, sealed: readonly SealedSecret[]): Promise<string[]> {
  const keys = await log.keys.find(sealed.flatMap(keyIdOfSecret));
  return sealed.map((secret) => openSecret(secret, bot, keys)).filter((secret) => secret !== null);
}
