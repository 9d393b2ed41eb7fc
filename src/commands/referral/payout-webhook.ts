import { type PresentAddress, secretText } from '../../domain/referral/delivery.ts';
import { rotateSecret, setWebhook, signingSecrets, webhook } from '../../domain/referral/delivery-webhook.ts';
import { keyIdOfSecret, openSecret, type SealedSecret } from '../../domain/sealing.ts';
import { webhookStream } from '../../domain/streams.ts';
import type { Position, RecordedCommit } from '../../log/port.ts';
import { existingBot } from '../catalog/change-bot.ts';
import { sealSecret } from '../catalog/secrets.ts';
import { type CommandContext, type CommandMeta, decideAndAppend } from '../decide-and-append.ts';

interface Changed {
  readonly position: Position | undefined;
  /** The commit that this command repeats: the secret was shown with it. Null: the command is no repeat. */
  readonly repeated: RecordedCommit | null;
}

/** The secret of a webhook that is set. */
interface SetSecret {
  /** The secret as its owner sees it, unless the command is a repeat; null: its data key was forgotten. */
  readonly secret: string | null;
  /** Whether the bot had no webhook before. */
  readonly isFirst: boolean;
}

/**
 * Sets the URL that a bot's payouts are announced to. The secret of the first time stays. After the append it asks the log
 * for nothing: a failure then would not mean that the change is not in the log.
 * @throws Rejection
 */
export async function setPayoutWebhook(
  context: CommandContext,
  bot: string,
  url: string,
  meta: CommandMeta = {},
): Promise<Changed & SetSecret> {
  await existingBot(context.log, bot);
  const fresh = await newSecret(context, bot);
  let present: { readonly sealed: SealedSecret; readonly text: string | null } | undefined;
  const { events, position, repeated } = await decideAndAppend(
    context,
    webhook,
    webhookStream(bot),
    (state) => setWebhook(state, { url, secret: fresh.sealed }),
    {
      ...meta,
      prepare(state) {
        if (state === null || state.secret === present?.sealed) return undefined;
        const sealed = state.secret;
        return opened(context, bot, [sealed]).then(([text = null]) => {
          present = { sealed, text };
        });
      },
    },
  );
  const isFirst = events.some(({ type, data }) => type === 'payout_webhook_set' && data.secret !== undefined);
  return { secret: isFirst ? fresh.text : (present?.text ?? null), isFirst, position, repeated };
}

/** Replaces the secret; both sign for a day. @throws Rejection not_found: the bot has no webhook */
export async function rotatePayoutSecret(
  context: CommandContext,
  bot: string,
  meta: CommandMeta = {},
): Promise<Changed & { /** That of a first request, not of its repeat. */ readonly secret: string }> {
  await existingBot(context.log, bot);
  const { text, sealed } = await newSecret(context, bot);
  const { position, repeated } = await decideAndAppend(
    context,
    webhook,
    webhookStream(bot),
    (state, now) => rotateSecret(state, sealed, now),
    meta,
  );
  return { secret: text, position, repeated };
}

export interface PayoutWebhook extends PresentAddress {
  readonly url: string;
  /**
   * The secrets that sign now, newest first, as their owner sees them. Secrets whose data key was forgotten are left
   * out.
   */
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

async function newSecret(
  context: CommandContext,
  bot: string,
): Promise<{ readonly text: string; readonly sealed: SealedSecret }> {
  const text = secretText(context.sources.randomBytes(SECRET_BYTES));
  return { text, sealed: await sealSecret(context, bot, text) };
}

async function opened({ log }: CommandContext, bot: string, sealed: readonly SealedSecret[]): Promise<string[]> {
  const keys = await log.keys.find(sealed.flatMap(keyIdOfSecret));
  return sealed.map((secret) => openSecret(secret, bot, keys)).filter((secret) => secret !== null);
}
