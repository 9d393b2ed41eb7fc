import type { BroadcastEvent, BroadcastState } from '../../domain/broadcast/broadcast.ts';
import type { Decision } from '../../domain/decider.ts';
import type { CommandContext } from '../decide-and-append.ts';
import { type BroadcastChange, type BroadcastName, changeBroadcast } from './change.ts';

/**
 * Takes a broadcast a step further, one of `lifecycle.ts`: `(state, now) => startSending(state, now)`.
 * @throws Rejection conflict: it is not where the step begins, since somebody else was faster
 */
export function advanceBroadcast(
  context: CommandContext,
  name: BroadcastName,
  step: (state: BroadcastState, now: number) => Decision<BroadcastEvent>,
): Promise<BroadcastChange> {
  return changeBroadcast(context, name, step);
}
