import { createCipheriv, createDecipheriv } from 'node:crypto';
import { UnreadableEventError } from './event-type.ts';

/**
 * Sealed text: what only the holder of a key can read, and nobody once the key is forgotten. AES-256-GCM (NIST SP
 * 800-38D); the subject that the key belongs to is authenticated with it, so that what was sealed for one subject cannot
 * be passed off as another's. Its form is `1.<key id>.<base64url of iv, ciphertext and tag>`.
 */

/** What to seal with. */
export interface SealingKey {
  readonly id: string;
  readonly subject: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

/** Bytes of a new iv from a secure source; a key seals few enough texts for random ones (below 2^32, section 8.3). */
export const IV_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';
/** What comes before the text. */
const HEAD = /^1\.[0-9a-f-]{36}\.$/;
const HEAD_LENGTH = 39;
const LEAST_TEXT = Math.ceil(((IV_BYTES + TAG_BYTES) * 4) / 3);

export function seal({ id, subject, secret }: SealingKey, text: string, iv: Uint8Array): string {
  const cipher = createCipheriv(ALGORITHM, secret, iv).setAAD(Buffer.from(subject));
  const parts = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `1.${id}.${Buffer.concat(parts).toString('base64url')}`;
}

/**
 * The id of the key that opens it. Looks at the head only: whether the rest is as it was sealed, `open` finds.
 * @throws UnreadableEventError
 */
export function sealedWith(sealed: string): string {
  if (!HEAD.test(sealed.slice(0, HEAD_LENGTH))) throw new UnreadableEventError('not a sealed text');
  if (sealed.length < HEAD_LENGTH + LEAST_TEXT) throw new UnreadableEventError('a sealed text is too short');
  return sealed.slice(2, HEAD_LENGTH - 1);
}

/** @throws UnreadableEventError it was not sealed with this key for this subject, or was changed since */
export function open(secret: Uint8Array, subject: string, sealed: string): string {
  const bytes = Buffer.from(sealed.slice(HEAD_LENGTH), 'base64url');
  const end = bytes.length - TAG_BYTES;
  try {
    const decipher = createDecipheriv(ALGORITHM, secret, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(subject))
      .setAuthTag(bytes.subarray(end));
    const text = decipher.update(bytes.subarray(IV_BYTES, end));
    decipher.final(); // gives nothing more, and throws where the tag is not that of the text
    return text.toString('utf8');
  } catch (error) {
    throw new UnreadableEventError(`what is sealed for ${subject} cannot be opened`, { cause: error });
  }
}
