import type { KeyKind, keyIssued } from '../../domain/catalog/catalog-events.ts';
import {
  issueKey as decideIssueKey,
  revokeKey as decideRevokeKey,
  rotateKey as decideRotateKey,
  type KeyScope,
  type OwnerEvent,
  owner,
} from '../../domain/catalog/owner.ts';
import type { DataOf } from '../../domain/event-type.ts';
import { Rejection } from '../../domain/rejection.ts';
import { ownerStream } from '../../domain/streams.ts';
import type { Position, RecordedCommit } from '../../log/port.ts';
import {
  type CommandContext,
  type CommandMeta,
  type CommandResult,
  decideAndAppend,
  takingId,
} from '../decide-and-append.ts';
import { decideWithId } from '../reserve-ids.ts';
import { findBot, unknownBot } from './change-bot.ts';
import { knownOwner } from './change-owner.ts';
import { newSecret, type Secret } from './secrets.ts';

export interface IssueKey {
  readonly ownerId: number;
  /** Public keys of bots of the owner; `all`: all bots of the owner, later ones too. */
  readonly bots: readonly string[] | 'all';
  readonly kind: KeyKind;
  readonly name: string | null;
  /** Milliseconds UTC; null: never. */
  readonly expiresAt: number | null;
}

export interface IssuedKey {
  readonly keyId: number;
  /** `<public>:<secret>`, shown once: the log has only the secret's hash. */
  readonly apiKey: string;
  readonly position: Position | undefined;
  /** The commit that had issued the key before: the secret of `apiKey` is not that key's then. Null: the command is no repeat. */
  readonly repeated: RecordedCommit | null;
}

/** @param meta its `keyId` is the owner key that asks; without it, an operator asks @throws Rejection */
export async function issueKey(context: CommandContext, command: IssueKey, meta: CommandMeta = {}): Promise<IssuedKey> {
  const { ownerId, kind, name, expiresAt } = command;
  const bots = command.bots === 'all' ? null : [...new Set(command.bots)];
  const scope: KeyScope = bots === null ? { type: 'all' } : { type: 'bots', bots };
  const unknown = bots === null ? undefined : await firstUnknown(context, { ownerId, bots });
  const secret = newSecret(context.sources);
  const issue = { secret_hash: secret.hash, scope, kind, name, expires_at: expiresAt };
  const { events, position, repeated } = await decideWithId(
    context,
    'key',
    owner,
    ownerStream(ownerId),
    (state, key_id, now) => {
      knownOwner(state, ownerId);
      const decision = decideIssueKey(state, { ...issue, key_id }, now, meta.keyId);
      // Checked last, so that a key learns nothing of bots that it does not reach.
      return decision instanceof Rejection || unknown === undefined ? decision : unknownBot(unknown);
    },
    meta,
  );
  return { keyId: issuedBy(events).key_id, apiKey: apiKeyOf(events, secret), position, repeated };
}

/** The id of the key that a commit issued. */
export const keyIssuedIn = ({ events }: RecordedCommit): number => issuedBy(events.map(owner.read)).key_id;

/** The text of the key that the events issue. */
function apiKeyOf(events: readonly OwnerEvent[], secret: Secret): string {
  return `${issuedBy(events).public_part}:${secret.text}`;
}

function issuedBy(events: readonly OwnerEvent[]): DataOf<typeof keyIssued> {
  const issued = events.find((event) => event.type === 'key_issued');
  if (issued === undefined) throw new TypeError('no key was issued');
  return issued.data;
}

/** The first of the bots that the owner does not have. */
async function firstUnknown(
  { log }: CommandContext,
  { ownerId, bots }: { readonly ownerId: number; readonly bots: readonly string[] },
): Promise<string | undefined> {
  for (const publicKey of bots) if ((await findBot(log, publicKey))?.owner_id !== ownerId) return publicKey;
  return undefined;
}

/**
 * Issues a key in the place of another. The old key stays valid for `overlap` milliseconds. @param meta as in {@link
 * issueKey} @throws Rejection
 */
export async function rotateKey(
  context: CommandContext,
  { ownerId, keyId, overlap }: KeyName & { readonly overlap: number },
  meta: CommandMeta = {},
): Promise<IssuedKey> {
  const secret = newSecret(context.sources);
  const rotation = { key_id: keyId, secret_hash: secret.hash, overlap };
  const { events, position, repeated } = await decideWithId(
    context,
    'key',
    owner,
    ownerStream(ownerId),
    (state, new_key_id, now) => decideRotateKey(state, { ...rotation, new_key_id }, now, meta.keyId),
    meta,
  );
  return { keyId: issuedBy(events).key_id, apiKey: apiKeyOf(events, secret), position, repeated };
}

export interface KeyName {
  readonly ownerId: number;
  readonly keyId: number;
}

/** Revokes a key: it is refused from now on. @param meta as in {@link issueKey} @throws Rejection */
export async function revokeKey(
  context: CommandContext,
  { ownerId, keyId }: KeyName,
  meta: CommandMeta = {},
): Promise<Pick<CommandResult<unknown>, 'position' | 'repeated'>> {
  return decideAndAppend(
    context,
    owner,
    ownerStream(ownerId),
    (state, now) =>
      takingId(decideRevokeKey(state, keyId, now, meta.keyId), meta, {
        type: 'key_revoked',
        data: { key_id: keyId, at: now, at_once: true },
      }),
    meta,
  );
}
