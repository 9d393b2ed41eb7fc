import { hash } from 'node:crypto';

/** A key is `<public>:<secret>`; the secret is 256 random bits as base64url (decisions.md#api-key). */
const API_KEY = /^([A-Za-z0-9]{1,64}):([A-Za-z0-9_-]{43})$/;

export interface ApiKeyParts {
  readonly publicPart: string;
  readonly secret: string;
}

/** Null if the text does not have the form of a key. */
export function parseApiKey(text: string): ApiKeyParts | null {
  const match = API_KEY.exec(text);
  return match === null ? null : { publicPart: match[1]!, secret: match[2]! };
}

/** Whether a text has the form of a secret. */
export function isSecret(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Hex SHA-256: the only stored form of a secret. A fast hash is enough for 256 random bits. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Whether a text has the form of a public key of an owner or a bot. */
export function isPublicKey(text: string): boolean {
  return /^[A-Za-z0-9]{1,64}$/.test(text);
}
