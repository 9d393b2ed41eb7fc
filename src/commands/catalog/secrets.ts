import { hash } from 'node:crypto';
import { customRandom } from 'nanoid';
import { hashSecret } from '../../domain/catalog/api-key.ts';
import { IV_BYTES, type SealedSecret, seal, secretSubject } from '../../domain/sealing.ts';
import type { Sources } from '../../domain/sources.ts';
import type { CommandContext } from '../decide-and-append.ts';

export interface Secret {
  /** 256 random bits as base64url; shown once. */
  readonly text: string;
  /** Hex SHA-256, for the log. */
  readonly hash: string;
}

export function newSecret(sources: Sources): Secret {
  const text = Buffer.from(sources.randomBytes(32)).toString('base64url');
  return { text, hash: hashSecret(text) };
}

const LETTERS_AND_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * A public key of an owner (`o…`) or a bot (`b…`) with 89 random bits. Letters and digits only: it is part of stream names,
 * addresses and API keys.
 */
export function newPublicKey(sources: Sources, kind: 'o' | 'b'): string {
  return kind + customRandom(LETTERS_AND_DIGITS, 15, (size) => sources.randomBytes(size))();
}

/** As {@link newPublicKey}, made of an id: the same id gives the same key. Two ids have the same key with probability 2^-89. */
export function publicKeyOf(id: string, kind: 'o' | 'b'): string {
  let draws = 0;
  const next = (): Uint8Array => {
    draws++;
    return hash('sha512', `${id} ${draws}`, 'buffer');
  };
  return kind + customRandom(LETTERS_AND_DIGITS, 15, next)();
}

/** Seals a secret of a bot for the log. @param bot its public key @throws LogUnavailableError */
export async function sealSecret({ log, sources }: CommandContext, bot: string, text: string): Promise<SealedSecret> {
  const subject = secretSubject(bot);
  const key = (await log.keys.keysFor([subject])).get(subject)!;
  return { sealed: seal(key, text, sources.randomBytes(IV_BYTES)) };
}
