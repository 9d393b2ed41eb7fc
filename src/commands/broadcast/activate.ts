import {
  type BroadcastContent,
  type BroadcastEvent,
  type BroadcastState,
  activateBroadcast as decide,
  isLaunchable,
  type Readiness,
} from '../../domain/broadcast/broadcast.ts';
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
} from './change.ts';
import { giveQuotaBack, takeQuota } from './quota.ts';

export interface ActivateBroadcast extends BroadcastName {
  readonly ownerId: number;
  readonly changes: BroadcastContent;
  readonly ready: Readiness;
}

/**
 * Saves the changes and launches the broadcast, if it is one to launch (`domain/broadcast/broadcast.ts`).
 * @throws Rejection not_found; invalid: it is not ready; limit: the owner's broadcasts of the month are used up. Nothing is
 *   saved then
 */
export async function activateBroadcast(
  context: CommandContext,
  { ownerId, changes, ready, ...name }: ActivateBroadcast,
  meta: CommandMeta,
): Promise<BroadcastChange> {
  const activation = meta.command?.id ?? context.sources.uuid();
  const activate = (state: BroadcastState, now: number) => decide(state, changes, ready, activation, now);
  const before = await existingBroadcast(context.log, name);
  const decision = activate(before, context.sources.now());
  const isFirst = before.status === 0 && isLaunchable(before) && !(decision instanceof Rejection);
  if (!isFirst) return changeBroadcast(context, name, activate, meta);
  return counted(context, { ...name, ownerId, activation }, (inTime) =>
    changeBroadcast(context, name, (state, now) => inTime(state, now) ?? activate(state, now), meta),
  );
}

interface Launch extends BroadcastName {
  readonly ownerId: number;
  readonly activation: string;
}

/** Refuses to activate by a count that others may take for left over by then. */
export type InTime = (state: BroadcastState, now: number) => Decision<BroadcastEvent> | undefined;

/** Counts a first launch, and launches it by `append`. @throws Rejection limit */
export async function counted(
  context: CommandContext,
  { bot, id, ownerId, activation }: Launch,
  append: (inTime: InTime) => Promise<BroadcastChange>,
): Promise<BroadcastChange> {
  // After an activation that is repeated there may be no room for another.
  const first = await context.log.findCommand(broadcastStream(bot, id), activation, context.sources.now());
  if (first !== null) return repeatedChange(context.log, first);
  const from = context.sources.now();
  await takeQuota(context, ownerId, { activation, broadcast_id: id, bot });
  const late = new Rejection('conflict', 'id', 'it took too long to activate the broadcast, try again');
  let change: BroadcastChange;
  try {
    change = await append((_, now) => (now - from > ACTIVATED_WITHIN_MS / 2 ? late : undefined));
  } catch (error) {
    // It may be activated: then the count holds, else it is found later.
    if (!(error instanceof OutcomeUnknownError)) await giveQuotaBack(context, ownerId, activation);
    throw error;
  }
  if (change.broadcast.activation !== activation) await giveQuotaBack(context, ownerId, activation);
  return change;
}
