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
const SEALED = /^1\.([0-9a-f-]{36})\.([\w-]+)$/;

export function seal({ id, subject, secret }: SealingKey, text: string, iv: Uint8Array): string {
  const cipher = createCipheriv(ALGORITHM, secret, iv).setAAD(Buffer.from(subject));
  const parts = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `1.${id}.${Buffer.concat(parts).toString('base64url')}`;
}

/** The id of the key that opens it. @throws UnreadableEventError */
export function sealedWith(sealed: string): string {
  return partsOf(sealed)[0];
}

/** @throws UnreadableEventError it was not sealed with this key for this subject, or was changed since */
export function open(secret: Uint8Array, subject: string, sealed: string): string {
  const bytes = Buffer.from(partsOf(sealed)[1], 'base64url');
  const end = bytes.length - TAG_BYTES;
  try {
    const decipher = createDecipheriv(ALGORITHM, secret, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(subject))
      .setAuthTag(bytes.subarray(end));
    return decipher.update(bytes.subarray(IV_BYTES, end), undefined, 'utf8') + decipher.final('utf8');
  } catch (error) {
    throw new UnreadableEventError(`what is sealed for ${subject} cannot be opened`, { cause: error });
  }
}

/** The id of the key, and what is sealed with it. */
function partsOf(sealed: string): readonly [string, string] {
  const [, id, text] = SEALED.exec(sealed) ?? [];
  if (id === undefined || text === undefined) throw new UnreadableEventError('not a sealed text');
  if (Buffer.byteLength(text, 'base64url') < IV_BYTES + TAG_BYTES)
    throw new UnreadableEventError('a sealed text is too short');
  return [id, text];
}
