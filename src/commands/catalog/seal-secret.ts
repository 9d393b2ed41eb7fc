import { IV_BYTES, seal } from '../../domain/sealing.ts';
import { type SealedSecret, secretSubject } from '../../domain/secret.ts';
import type { CommandContext } from '../decide-and-append.ts';

/** A secret of a bot, which is named by its public key, as the log may have it. @throws LogUnavailableError */
export async function sealSecret({ log, sources }: CommandContext, bot: string, text: string): Promise<SealedSecret> {
  const subject = secretSubject(bot);
  const key = (await log.keys.keysFor([subject])).get(subject)!;
  return { sealed: seal(key, text, sources.randomBytes(IV_BYTES)) };
}
