import { type BroadcastContent, saveBroadcast as decide } from '../../domain/broadcast/broadcast.ts';
import type { CommandContext, CommandMeta } from '../decide-and-append.ts';
import { type BroadcastChange, type BroadcastName, changeBroadcast } from './change.ts';

/** Changes a draft; any other broadcast stays as it is. @throws Rejection not_found */
export function saveBroadcast(
  context: CommandContext,
  name: BroadcastName,
  changes: BroadcastContent,
  meta: CommandMeta,
): Promise<BroadcastChange> {
  return changeBroadcast(context, name, (state) => decide(state, changes), meta);
}
