import { type Decision, decider, differences, withChanges } from '../decider.ts';
import type { DataOf, EventOf } from '../event-type.ts';
import { Rejection } from '../rejection.ts';
import { keyIssued, keyRevoked, ownerChanged, ownerCreated } from './catalog-events.ts';
import { currencyProblem, MAX_NAME_LENGTH, textProblem } from './checks.ts';

/** Stream `owner-<id>`: an owner's profile and API keys. */

type Issued = DataOf<typeof keyIssued>;
export type KeyScope = Issued['scope'];

export interface KeyState extends Issued {
  /** The key is refused from this time on, milliseconds UTC; 0: it was revoked at once; null: not revoked. */
  readonly revoked_at: number | null;
}

export interface OwnerState {
  readonly owner: DataOf<typeof ownerCreated> | null;
  readonly keys: ReadonlyMap<number, KeyState>;
}

export type OwnerEvent = EventOf<typeof ownerCreated | typeof ownerChanged | typeof keyIssued | typeof keyRevoked>;

export const owner = decider(
  [ownerCreated, ownerChanged, keyIssued, keyRevoked],
  (): OwnerState => ({ owner: null, keys: new Map() }),
  evolve,
);

function evolve(state: OwnerState, event: OwnerEvent): OwnerState {
  switch (event.type) {
    case 'owner_created':
      return { ...state, owner: event.data };
    case 'owner_changed':
      return { ...state, owner: withChanges(state.owner!, event.data) };
    case 'key_issued':
      return { ...state, keys: new Map(state.keys).set(event.data.key_id, { ...event.data, revoked_at: null }) };
    case 'key_revoked': {
      const { key_id } = event.data;
      const at = event.data.at_once === true ? 0 : event.data.at;
      const key = state.keys.get(key_id)!;
      return { ...state, keys: new Map(state.keys).set(key_id, { ...key, revoked_at: earliest(key.revoked_at, at) }) };
    }
  }
}

export function createOwner(state: OwnerState, command: DataOf<typeof ownerCreated>): Decision<OwnerEvent> {
  if (state.owner !== null) return new Rejection('conflict', 'owner', `owner ${command.owner_id} exists`);
  return profileProblem(command) ?? [{ type: 'owner_created', data: command }];
}

export type OwnerChanges = DataOf<typeof ownerChanged>;

/** Records only the fields that differ. */
export function changeOwner(state: OwnerState, changes: OwnerChanges): Decision<OwnerEvent> {
  if (state.owner === null) return unknownOwner();
  const problem = profileProblem(changes);
  if (problem !== undefined) return problem;
  const changed = differences(state.owner, changes);
  return changed === undefined ? [] : [{ type: 'owner_changed', data: changed }];
}

export type IssueKey = Omit<Issued, 'public_part' | 'rotates' | 'by'>;

/** @param by the key of the owner who asks; undefined: an operator asks */
export function issueKey(state: OwnerState, command: IssueKey, now: number, by?: number): Decision<OwnerEvent> {
  if (state.owner === null) return unknownOwner();
  const refused = askerProblem(state, by, now);
  if (refused !== undefined) return refused;
  if (by !== undefined && command.kind === 'owner')
    return new Rejection('invalid', 'kind', 'kind must be personal or service: an operator issues owner keys', [
      'personal',
      'service',
    ]);
  if (!isWithinReach(state, command.scope, by))
    return new Rejection('not_found', 'bots', 'bots must be among those of the key that asks');
  const problem = command.name === null ? undefined : textProblem('name', command.name, MAX_NAME_LENGTH);
  if (problem !== undefined) return problem;
  if (command.expires_at !== null && command.expires_at <= now)
    return new Rejection('invalid', 'expires', 'expires must lie in the future');
  const end = earlierEnd(state, by, command.expires_at);
  if (end !== undefined)
    return new Rejection('invalid', 'expires', `expires must be at most the end of the key that asks: ${end}`);
  const { scope } = command;
  const bot = scope.type === 'bots' && scope.bots.length === 1 ? scope.bots[0] : undefined;
  return [{ type: 'key_issued', data: { ...command, public_part: bot ?? state.owner.public_key, by } }];
}

/**
 * Also ends the keys that the key made by rotating itself (decisions.md#stolen-key).
 * @param by as in {@link issueKey}. Such a key ends only the key named: else it would revoke itself.
 */
export function revokeKey(state: OwnerState, keyId: number, now: number, by?: number): Decision<OwnerEvent> {
  const key = state.keys.get(keyId);
  if (key === undefined || !isWithinReach(state, key.scope, by)) return unknownKey(keyId);
  const refused = askerProblem(state, by, now);
  if (refused !== undefined) return refused;
  if (keyId === by)
    return new Rejection('conflict', 'key_id', 'a key cannot revoke itself: use another owner key, or rotate it');
  const line = lineOf(state, keyId);
  const ends = by !== undefined && line.has(by) ? [keyId] : [...line];
  return ends
    .map((id) => state.keys.get(id)!)
    .filter(({ revoked_at }) => revoked_at === null || revoked_at > now)
    .map(({ key_id }) => ({ type: 'key_revoked', data: { key_id, at: now, at_once: true } }));
}

export interface RotateKey {
  readonly key_id: number;
  readonly new_key_id: number;
  readonly secret_hash: string;
  /** How long the old key stays valid, in milliseconds. */
  readonly overlap: number;
}

/** For how long a key that rotates itself stays valid: at least (decisions.md#lock-out), and at most (#stolen-key). */
const LEAST_OWN_OVERLAP_MS = 10 * 60_000;
const MOST_OWN_OVERLAP_MS = 24 * 3_600_000;

/**
 * The new key has another secret, and the scope, kind, name and expiry of the old one. A key is rotated once.
 * @param by as in {@link issueKey}
 */
export function rotateKey(state: OwnerState, command: RotateKey, now: number, by?: number): Decision<OwnerEvent> {
  const key = state.keys.get(command.key_id);
  if (key === undefined || !isWithinReach(state, key.scope, by)) return unknownKey(command.key_id);
  const refused =
    askerProblem(state, by, now) ?? (by === undefined ? undefined : rotationProblem(state, key, command, by));
  if (refused !== undefined) return refused;
  if (key.revoked_at !== null)
    return new Rejection('conflict', 'key', `key ${key.key_id} was rotated or revoked; issue a new one`);
  if (key.expires_at !== null && key.expires_at <= now)
    return new Rejection('conflict', 'key', `key ${key.key_id} has expired; issue a new one`);
  const { revoked_at: _, ...same } = key;
  return [
    {
      type: 'key_issued',
      data: { ...same, key_id: command.new_key_id, secret_hash: command.secret_hash, rotates: key.key_id, by },
    },
    {
      type: 'key_revoked',
      data: { key_id: key.key_id, at: now + command.overlap, ...(command.overlap === 0 && { at_once: true as const }) },
    },
  ];
}

/** The reason why the owner key `by` cannot rotate a key (decisions.md#stolen-key). */
function rotationProblem(state: OwnerState, key: KeyState, { overlap }: RotateKey, by: number): Rejection | undefined {
  if (key.kind === 'owner') {
    if (!lineOf(state, by).has(key.key_id))
      return new Rejection('conflict', 'key', 'an operator rotates another owner key: this one rotates only itself');
    if (key.key_id === by && overlap < LEAST_OWN_OVERLAP_MS)
      return new Rejection('invalid', 'overlap', 'a key that rotates itself must keep working for at least 10 minutes');
    if (overlap > MOST_OWN_OVERLAP_MS)
      return new Rejection('invalid', 'overlap', 'an owner key must keep working for at most 24 hours');
  }
  const end = earlierEnd(state, by, key.expires_at);
  if (end === undefined) return undefined;
  return new Rejection('conflict', 'key', `an operator rotates this key: the one that asks ends before it, ${end}`);
}

/** The line of a key: the key and all keys that descend from it by rotating themselves. */
function lineOf({ keys }: OwnerState, keyId: number): ReadonlySet<number> {
  const line = new Set([keyId]);
  // In the order of their issue: a successor comes after the key that it replaces.
  for (const { key_id, rotates, by } of keys.values())
    if (rotates !== undefined && by !== undefined && line.has(rotates) && line.has(by)) line.add(key_id);
  return line;
}

/** The end of the key that asks, as ISO 8601, if it is before `end` (null: never). */
function earlierEnd({ keys }: OwnerState, by: number | undefined, end: number | null): string | undefined {
  const own = by === undefined ? undefined : keys.get(by)?.expires_at;
  return own != null && (end === null || end > own) ? new Date(own).toISOString() : undefined;
}

function profileProblem({ name, currency }: OwnerChanges): Rejection | undefined {
  return (
    (name === undefined ? undefined : textProblem('name', name, MAX_NAME_LENGTH)) ??
    (currency === undefined ? undefined : currencyProblem('currency', currency))
  );
}

/** Access was checked before the owner's stream was read. The key that asks may have been revoked in between. */
function askerProblem({ keys }: OwnerState, by: number | undefined, now: number): Rejection | undefined {
  if (by === undefined) return undefined;
  const asker = keys.get(by);
  const isValid = asker !== undefined && (asker.revoked_at === null || asker.revoked_at > now);
  return isValid ? undefined : new Rejection('conflict', '', 'the key of this request was revoked');
}

/** Whether a scope lies within the scope of the key that asks. */
function isWithinReach({ keys }: OwnerState, scope: KeyScope, by: number | undefined): boolean {
  const reach = by === undefined ? undefined : keys.get(by)?.scope;
  if (reach === undefined || reach.type === 'all') return true;
  return scope.type === 'bots' && scope.bots.every((bot) => reach.bots.includes(bot));
}

const unknownOwner = (): Rejection => new Rejection('not_found', 'owner', 'there is no such owner');
const unknownKey = (id: number): Rejection => new Rejection('not_found', 'key', `there is no key ${id}`);

function earliest(a: number | null, b: number): number {
  return a === null ? b : Math.min(a, b);
}
