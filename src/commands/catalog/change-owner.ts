import {
  changeOwner as decideChangeOwner,
  createOwner as decideCreateOwner,
  type OwnerChanges,
  owner,
} from '../../domain/catalog/owner.ts';
import { ownerStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { type CommandContext, decideAndAppend } from '../decide-and-append.ts';
import { reserveId } from '../reserve-ids.ts';
import { knownOwner } from './known-owner.ts';
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
