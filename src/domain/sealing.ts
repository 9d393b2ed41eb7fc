import { createCipheriv, createDecipheriv } from 'node:crypto';
import { z } from 'zod';
import { UnreadableEventError } from './event-type.ts';

/**
 * Sealed text: only the holder of a key can read it, and no one can after the key is forgotten. AES-256-GCM (NIST SP
 * 800-38D). The subject of the key is authenticated with the text, so a text sealed for one subject does not open for
 * another. The form is `1.<key id>.<base64url of iv, ciphertext and tag>`.
 */

export interface SealingKey {
  readonly id: string;
  readonly subject: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

/** Bytes of a new iv from a secure source. A key seals fewer than 2^32 texts, so ivs may be random (section 8.3). */
export const IV_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';
/** The part before the base64url text. */
const HEAD = /^1\.[0-9a-f-]{36}\.$/;
const HEAD_LENGTH = 39;
const LEAST_TEXT = Math.ceil(((IV_BYTES + TAG_BYTES) * 4) / 3);

export function seal({ id, subject, secret }: SealingKey, text: string, iv: Uint8Array): string {
  const cipher = createCipheriv(ALGORITHM, secret, iv).setAAD(Buffer.from(subject));
  const parts = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `1.${id}.${Buffer.concat(parts).toString('base64url')}`;
}

/**
 * The id of the key that opens the text. Checks the head only; `open` finds out whether the rest was changed.
 * @throws UnreadableEventError
 */
export function sealedWith(sealed: string): string {
  if (!HEAD.test(sealed.slice(0, HEAD_LENGTH))) throw new UnreadableEventError('not a sealed text');
  if (sealed.length < HEAD_LENGTH + LEAST_TEXT) throw new UnreadableEventError('a sealed text is too short');
  return sealed.slice(2, HEAD_LENGTH - 1);
}

/** @throws UnreadableEventError the text was sealed with another key or for another subject, or was changed */
export function open(secret: Uint8Array, subject: string, sealed: string): string {
  const bytes = Buffer.from(sealed.slice(HEAD_LENGTH), 'base64url');
  const end = bytes.length - TAG_BYTES;
  try {
    const decipher = createDecipheriv(ALGORITHM, secret, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(subject))
      .setAuthTag(bytes.subarray(end));
    const text = decipher.update(bytes.subarray(IV_BYTES, end));
    decipher.final(); // returns no more text, and throws if the tag does not match the text
    return text.toString('utf8');
  } catch (error) {
    throw new UnreadableEventError(`failed to open a text sealed for ${subject}`, { cause: error });
  }
}

/**
 * A secret of a bot that the service needs in clear (the token, the key that signs webhooks). The log has it sealed with a
 * key of the bot, so that neither a backup of the log nor its reader has the secret.
 */
export const sealedSecret = z.object({ sealed: z.string() });
export type SealedSecret = z.infer<typeof sealedSecret>;

/** The subject of the key that seals a bot's secrets. Never the name of a user, since those are numbers. @param bot its public key */
export function secretSubject(bot: string): string {
  return `${bot}/bot`;
}

/** A secret in the log. Older events have it in clear. */
export const storedSecret = z.union([z.string(), sealedSecret]);
export type StoredSecret = z.infer<typeof storedSecret>;

/** The id of the key that opens the secret; empty if it is in clear. @throws UnreadableEventError */
export function keyIdOfSecret(secret: StoredSecret | null | undefined): string[] {
  return typeof secret === 'object' && secret !== null ? [sealedWith(secret.sealed)] : [];
}

/** The secret in clear; null if its key was forgotten. @throws UnreadableEventError */
export function openSecret(secret: StoredSecret, bot: string, keys: ReadonlyMap<string, SealingKey>): string | null {
  if (typeof secret === 'string') return secret;
  const key = keys.get(sealedWith(secret.sealed));
  return key === undefined ? null : open(key.secret, secretSubject(bot), secret.sealed);
}
