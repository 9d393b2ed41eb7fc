import {
  type BroadcastContent,
  type BroadcastEvent,
  type BroadcastState,
  activateBroadcast as decideActivation,
  cancelBroadcast as decideCancellation,
  isLaunchable,
  type Readiness,
} from '../../domain/broadcast/broadcast.ts';
import { Status } from '../../domain/broadcast/broadcast-status.ts';
import { ACTIVATED_WITHIN_MS } from '../../domain/broadcast/quota.ts';
import type { Decision } from '../../domain/decider.ts';
import { Rejection } from '../../domain/rejection.ts';
import { broadcastStream } from '../../domain/streams.ts';
import { OutcomeUnknownError } from '../../log/port.ts';
import type { CommandContext, CommandMeta } from '../decide-and-append.ts';
import {
  type BroadcastChange,
  type BroadcastName,
  changeBroadcast,
  existingBroadcast,
  repeatedChange,
} from './change-broadcast.ts';
import { giveQuotaBack, takeQuota } from './take-quota.ts';

export interface ActivateBroadcast extends BroadcastName {
  readonly ownerId: number;
  readonly changes: BroadcastContent;
  readonly ready: Readiness;
}

/**
 * Saves the changes, and launches the broadcast if its status allows that (`domain/broadcast/broadcast.ts`). After a
 * rejection nothing is saved.
 * @throws Rejection not_found; invalid: it is not ready; limit: the owner's broadcasts of the month are used up
 */
export async function activateBroadcast(
  context: CommandContext,
  { ownerId, changes, ready, ...name }: ActivateBroadcast,
  meta: CommandMeta,
): Promise<BroadcastChange> {
  const activation = meta.command?.id ?? context.sources.uuid();
  const activate = (state: BroadcastState, now: number) => decideActivation(state, changes, ready, activation, now);
  const before = await existingBroadcast(context.log, name);
  const decision = activate(before, context.sources.now());
  const isFirst = before.status === Status.draft && isLaunchable(before) && !(decision instanceof Rejection);
  if (!isFirst) return changeBroadcast(context, name, activate, meta);
  return counted(context, { ...name, ownerId, activation }, (inTime) =>
    changeBroadcast(context, name, (state, now) => inTime(state, now) ?? activate(state, now), meta),
  );
}

interface Launch extends BroadcastName {
  readonly ownerId: number;
  readonly activation: string;
}

/** Refuses an activation that is so late that another one may have taken its quota as left over. */
export type InTime = (state: BroadcastState, now: number) => Decision<BroadcastEvent> | undefined;

/** Takes the quota of a first launch, and launches it by `append`. @throws Rejection limit */
export async function counted(
  context: CommandContext,
  { bot, id, ownerId, activation }: Launch,
  append: (inTime: InTime) => Promise<BroadcastChange>,
): Promise<BroadcastChange> {
  // A repeat must not need quota: there may be none left.
  const first = await context.log.findCommand(broadcastStream(bot, id), activation, context.sources.now());
  if (first !== null) return repeatedChange(context.log, first);
  const from = context.sources.now();
  await takeQuota(context, ownerId, { activation, broadcast_id: id, bot });
  const late = new Rejection('conflict', 'id', 'it took too long to activate the broadcast, try again');
  let change: BroadcastChange;
  try {
    change = await append((_, now) => (now - from > ACTIVATED_WITHIN_MS / 2 ? late : undefined));
  } catch (error) {
    // It may be activated: then the quota stays taken. If it is not, a later command gives the quota back.
    if (!(error instanceof OutcomeUnknownError)) await giveQuotaBack(context, ownerId, activation);
    throw error;
  }
  if (change.broadcast.activation !== activation) await giveQuotaBack(context, ownerId, activation);
  return change;
}

/**
 * Cancels a broadcast that is waiting or being sent. If no sender has begun its first launch, its quota is given back. Any
 * other broadcast stays as it is.
 * @throws Rejection not_found
 */
export async function cancelBroadcast(
  context: CommandContext,
  { ownerId, ...name }: BroadcastName & { readonly ownerId: number },
  meta: CommandMeta,
): Promise<BroadcastChange> {
  let counted: string | null = null;
  const change = await changeBroadcast(
    context,
    name,
    (state, now) => {
      counted = state?.status === Status.scheduled && state.launch === 1 ? state.activation : null;
      return decideCancellation(state, now);
    },
    meta,
  );
  if (counted !== null && change.repeated === null) await giveQuotaBack(context, ownerId, counted);
  return change;
}
