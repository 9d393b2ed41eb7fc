import {
  issueKey as decideIssueKey,
  revokeKey as decideRevokeKey,
  rotateKey as decideRotateKey,
  type KeyScope,
  type OwnerEvent,
  owner,
} from '../../domain/catalog/owner.ts';
import { Rejection } from '../../domain/rejection.ts';
import { ownerStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { type CommandContext, decideAndAppend } from '../decide-and-append.ts';
import { reserveId } from '../reserve-ids.ts';
import { existingBot } from './bots.ts';
import { newSecret, type Secret } from './secrets.ts';

export interface IssueKey {
  readonly ownerId: number;
  /** Public keys of bots of the owner; `all`: all bots of the owner, later ones too. */
  readonly bots: readonly string[] | 'all';
  readonly kind: 'personal' | 'service';
  readonly name: string | null;
  /** Milliseconds UTC; null: never. */
  readonly expiresAt: number | null;
}

export interface IssuedKey {
  readonly keyId: number;
  /** `<public>:<secret>`, shown once: the log has only the secret's hash. */
  readonly apiKey: string;
  readonly position: Position | undefined;
}

/** @throws Rejection */
export async function issueKey(context: CommandContext, command: IssueKey): Promise<IssuedKey> {
  const { ownerId, kind, name, expiresAt } = command;
  const scope = await scopeOf(context, command);
  const key_id = await reserveId(context, 'key');
  const secret = newSecret(context.sources);
  const issue = { key_id, secret_hash: secret.hash, scope, kind, name, expires_at: expiresAt };
  const { events, position } = await decideAndAppend(context, owner, ownerStream(ownerId), (state, now) =>
    decideIssueKey(state, issue, now),
  );
  return { keyId: key_id, apiKey: apiKeyOf(events, secret), position };
}

/** The text of the key that the events issue. */
export function apiKeyOf(events: readonly OwnerEvent[], secret: Secret): string {
  const issued = events.find((event) => event.type === 'key_issued');
  if (issued === undefined) throw new TypeError('no key was issued');
  return `${issued.data.public_part}:${secret.text}`;
}

async function scopeOf({ log }: CommandContext, { ownerId, bots }: IssueKey): Promise<KeyScope> {
  if (bots === 'all') return { type: 'all' };
  const named = [...new Set(bots)];
  for (const publicKey of named) {
    const bot = await existingBot(log, publicKey);
    if (bot.owner_id !== ownerId)
      throw new Rejection('not_found', 'bot', `bot ${publicKey} is not a bot of owner ${ownerId}`);
  }
  return { type: 'bots', bots: named };
}

/** Issues a key in the place of another, which stays valid for `overlap` milliseconds. @throws Rejection */
export async function rotateKey(
  context: CommandContext,
  { ownerId, keyId, overlap }: KeyName & { readonly overlap: number },
): Promise<IssuedKey> {
  const new_key_id = await reserveId(context, 'key');
  const secret = newSecret(context.sources);
  const rotation = { key_id: keyId, new_key_id, secret_hash: secret.hash, overlap };
  const { events, position } = await decideAndAppend(context, owner, ownerStream(ownerId), (state, now) =>
    decideRotateKey(state, rotation, now),
  );
  return { keyId: new_key_id, apiKey: apiKeyOf(events, secret), position };
}

export interface KeyName {
  readonly ownerId: number;
  readonly keyId: number;
}

/** Revokes a key: it is refused from now on. @throws Rejection */
export async function revokeKey(
  context: CommandContext,
  { ownerId, keyId }: KeyName,
): Promise<{ position: Position | undefined }> {
  return decideAndAppend(context, owner, ownerStream(ownerId), (state, now) => decideRevokeKey(state, keyId, now));
}
