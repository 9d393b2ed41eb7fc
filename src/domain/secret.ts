import { z } from 'zod';
import { open, type SealingKey, sealedWith } from './sealing.ts';

/**
 * A secret of a bot that the service itself must know (the token, what webhooks are signed with): the log has it sealed
 * with a key of the bot, so that neither a backup of the log nor who reads it has the secret.
 */
export const sealedSecret = z.object({ sealed: z.string() });
export type SealedSecret = z.infer<typeof sealedSecret>;

/** Whose key seals the secrets of a bot, which is named by its public key. No user has this name: theirs are numbers. */
export function secretSubject(bot: string): string {
  return `${bot}/bot`;
}

/** As the log has it: older events have theirs in clear. */
export const storedSecret = z.union([z.string(), sealedSecret]);
export type StoredSecret = z.infer<typeof storedSecret>;

/** The id of the key that opens it; empty for what stands there in clear. @throws UnreadableEventError */
export function keyIdOfSecret(secret: StoredSecret | null | undefined): string[] {
  return typeof secret === 'object' && secret !== null ? [sealedWith(secret.sealed)] : [];
}

/** The secret in clear; null: its key was forgotten. @throws UnreadableEventError */
export function openSecret(secret: StoredSecret, bot: string, keys: ReadonlyMap<string, SealingKey>): string | null {
  if (typeof secret === 'string') return secret;
  const key = keys.get(sealedWith(secret.sealed));
  return key === undefined ? null : open(key.secret, secretSubject(bot), secret.sealed);
}
