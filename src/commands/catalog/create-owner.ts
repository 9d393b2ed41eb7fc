import { createOwner as decide, owner } from '../../domain/catalog/owner.ts';
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
      // The demo takes over an id that was reserved and not yet used: then the next one is ours (create-demo.ts).
      state.owner === null ? decide(state, { owner_id: ownerId, public_key, ...profile }) : [],
    );
    if (events.length > 0) return { ownerId, position };
  }
}
