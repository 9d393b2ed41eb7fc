import { CLICK_KEY_BYTES } from '../../domain/broadcast/clicks.ts';
import { keyIdOfSecret, openSecret, type SealedSecret } from '../../domain/sealing.ts';
import type { EventLog } from '../../log/port.ts';
import { sealSecret } from '../catalog/secrets.ts';
import type { CommandContext } from '../decide-and-append.ts';

/** Keys of click tokens: random for each launch, sealed with a key of the bot (decisions.md#click-token). */

export function newClickKey(context: CommandContext, bot: string): Promise<SealedSecret> {
  const key = Buffer.from(context.sources.randomBytes(CLICK_KEY_BYTES));
  return sealSecret(context, bot, key.toString('base64url'));
}

/** @throws LogUnavailableError, UnreadableEventError */
export async function openClickKey({ keys }: Pick<EventLog, 'keys'>, bot: string, key: SealedSecret): Promise<Buffer> {
  const text = openSecret(key, bot, await keys.find(keyIdOfSecret(key)));
  // A bot's key is never forgotten.
  if (text === null) throw new TypeError(`the key of the click tokens of bot ${bot} is missing`);
  return Buffer.from(text, 'base64url');
}
