import {
  changeOwner as decideChangeOwner,
  createOwner as decideCreateOwner,
  type OwnerChanges,
  type OwnerState,
  owner,
} from '../../domain/catalog/owner.ts';
import { Rejection } from '../../domain/rejection.ts';
import { ownerStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { type CommandContext, decideAndAppend } from '../decide-and-append.ts';
import { reserveId } from '../reserve-ids.ts';
import { newPublicKey } from './secrets.ts';

export interface CreateOwner {
  readonly name: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly plan: 'premium' | 'free';
  readonly broadcastsPerMonth: number;
}

/** @throws Rejection */
export async function createOwner(
  context: CommandContext,
  { name, currency, plan, broadcastsPerMonth }: CreateOwner,
): Promise<{ ownerId: number; position: Position | undefined }> {
  for (;;) {
    const ownerId = await reserveId(context, 'owner');
    const public_key = newPublicKey(context.sources, 'o');
    const profile = { name, currency, plan, broadcasts_per_month: broadcastsPerMonth };
    const { events, position } = await decideAndAppend(context, owner, ownerStream(ownerId), (state) =>
      // The demo takes an id that is reserved and not used yet (create-demo.ts). Then this owner gets the next id.
      state.owner === null ? decideCreateOwner(state, { owner_id: ownerId, public_key, ...profile }) : [],
    );
    if (events.length > 0) return { ownerId, position };
  }
}

/** @throws Rejection */
export async function changeOwner(
  context: CommandContext,
  ownerId: number,
  changes: OwnerChanges,
): Promise<{ position: Position | undefined }> {
  return decideAndAppend(context, owner, ownerStream(ownerId), (state) => {
    knownOwner(state, ownerId);
    return decideChangeOwner(state, changes);
  });
}

/** The owner of a state. @throws Rejection not_found: it names the owner, whose id the state does not have */
export function knownOwner({ owner }: OwnerState, ownerId: number): NonNullable<OwnerState['owner']> {
  if (owner === null) throw new Rejection('not_found', 'owner', `there is no owner ${ownerId}`);
  return owner;
}
