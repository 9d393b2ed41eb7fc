import { customRandom } from 'nanoid';
import { hashSecret } from '../../domain/catalog/api-key.ts';
import type { Sources } from '../../domain/sources.ts';

/** 256 bits as base64url, shown once, and what the log keeps of it: the hex SHA-256. */
export interface Secret {
  readonly text: string;
  readonly hash: string;
}

export function newSecret(sources: Sources): Secret {
  const text = Buffer.from(sources.randomBytes(32)).toString('base64url');
  return { text, hash: hashSecret(text) };
}

const LETTERS_AND_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * A public name of an owner (`o…`) or a bot (`b…`) with 89 random bits. Letters and digits only: it stands in stream
 * names, addresses and before the colon of a key.
 */
export function newPublicKey(sources: Sources, kind: 'o' | 'b'): string {
  return kind + customRandom(LETTERS_AND_DIGITS, 15, (size) => sources.randomBytes(size))();
}
