import { broadcast } from '../../domain/broadcast/broadcast.ts';
import {
  broadcastsThisMonth,
  type CountBroadcast,
  countBroadcast,
  giveBack,
  quota,
  settledCounts,
} from '../../domain/broadcast/quota.ts';
import { owner } from '../../domain/catalog/owner.ts';
import { Rejection } from '../../domain/rejection.ts';
import { broadcastStream, ownerStream, quotaStream } from '../../domain/streams.ts';
import type { EventLog } from '../../log/port.ts';
import { knownOwner } from '../catalog/change-owner.ts';
import { type CommandContext, decideAndAppend, load } from '../decide-and-append.ts';

/**
 * The owner's broadcasts of the month are counted in the owner's partition of the log, and a broadcast is activated in its
 * bot's partition. The count is appended before the activation. If the activation fails, the count is given back. A
 * count that a crash left is found by its age when the quota has no room.
 */

/** Counts of one owner in this process wait for each other. Otherwise each would lose to all others but one. */
const turns = new Map<number, Promise<void>>();

/** @throws Rejection limit: the quota has no room */
export async function takeQuota(context: CommandContext, ownerId: number, command: CountBroadcast): Promise<void> {
  const count = () => countInTurn(context, ownerId, command);
  const turn = (turns.get(ownerId) ?? Promise.resolve()).then(count, count);
  turns.set(ownerId, turn);
  try {
    await turn;
  } finally {
    if (turns.get(ownerId) === turn) turns.delete(ownerId);
  }
}

async function countInTurn(context: CommandContext, ownerId: number, command: CountBroadcast): Promise<void> {
  const limit = await limitOf(context.log, ownerId);
  const count = () =>
    decideAndAppend(context, quota, quotaStream(ownerId), (state, now) => countBroadcast(state, command, limit, now));
  try {
    await count();
  } catch (error) {
    if (!(error instanceof Rejection) || !(await giveBackLeftovers(context, ownerId))) throw error;
    await count();
  }
}

export async function giveQuotaBack(context: CommandContext, ownerId: number, activation: string): Promise<void> {
  await decideAndAppend(context, quota, quotaStream(ownerId), (state) => giveBack(state, activation));
}

/** An owner's plan, and how much of it is used. */
export interface PlanUse {
  readonly plan: 'premium' | 'free';
  readonly currency: string;
  readonly broadcasts: { readonly month: string; readonly used: number; readonly limit: number };
}

/** Reads the streams that decide on the next broadcast, so the numbers are as certain as that decision. */
export async function planUse({ log, sources }: CommandContext, ownerId: number): Promise<PlanUse> {
  const [profile, counts] = await Promise.all([
    load(log, owner, ownerStream(ownerId)),
    load(log, quota, quotaStream(ownerId)),
  ]);
  const { plan, currency, broadcasts_per_month: limit } = knownOwner(profile.state, ownerId);
  return { plan, currency, broadcasts: { ...broadcastsThisMonth(counts.state, sources.now()), limit } };
}

async function limitOf(log: EventLog, ownerId: number): Promise<number> {
  const { state } = await load(log, owner, ownerStream(ownerId));
  return knownOwner(state, ownerId).broadcasts_per_month;
}

/** Gives back the counts of activations that failed. @returns whether there were any */
async function giveBackLeftovers(context: CommandContext, ownerId: number): Promise<boolean> {
  const { state } = await load(context.log, quota, quotaStream(ownerId));
  let found = false;
  for (const { activation, bot, broadcast_id } of settledCounts(state, context.sources.now())) {
    const { state: counted } = await load(context.log, broadcast, broadcastStream(bot, broadcast_id));
    if (counted?.activation === activation) continue;
    await giveQuotaBack(context, ownerId, activation);
    found = true;
  }
  return found;
}
