import { cancelBroadcast as decide } from '../../domain/broadcast/broadcast.ts';
import type { CommandContext, CommandMeta } from '../decide-and-append.ts';
import { type BroadcastChange, type BroadcastName, changeBroadcast } from './change.ts';
import { giveQuotaBack } from './quota.ts';

/**
 * Cancels what is on its way; one that was not picked up yet counts no longer. Any other broadcast stays as it is.
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
      counted = state?.status === 1 && state.launch === 1 ? state.activation : null;
      return decide(state, now);
    },
    meta,
  );
  if (counted !== null && change.repeated === null) await giveQuotaBack(context, ownerId, counted);
  return change;
}
