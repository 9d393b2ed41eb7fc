import { hash } from 'node:crypto';

/** A key reads `<public>:<secret>`; the secret is 256 random bits as base64url (decisions.md#api-key). */
const API_KEY = /^([A-Za-z0-9]{1,64}):([A-Za-z0-9_-]{43})$/;

export interface ApiKeyParts {
  readonly publicPart: string;
  readonly secret: string;
}

/** Null for a text that no key ever had. */
export function parseApiKey(text: string): ApiKeyParts | null {
  const match = API_KEY.exec(text);
  return match === null ? null : { publicPart: match[1]!, secret: match[2]! };
}

/** Whether a text has the form of a secret. */
export function isSecret(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Hex SHA-256, all that is stored of a secret. A fast hash is enough: there are 256 random bits behind it. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Whether a text could be the public key of an owner or a bot; others need not be looked up. */
export function isPublicKey(text: string): boolean {
  return /^[A-Za-z0-9]{1,64}$/.test(text);
}
