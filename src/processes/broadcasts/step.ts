import { isDeepStrictEqual } from 'node:util';
import type { Broadcast, BroadcastEvent, BroadcastState } from '../../domain/broadcast/broadcast.ts';
import type { Decision } from '../../domain/decider.ts';
import { Rejection } from '../../domain/rejection.ts';

/** A step of a broadcast's lifecycle, decided on top of the log. */
export type Step = (state: BroadcastState, now: number) => Decision<BroadcastEvent>;

/**
 * Rejects the step with a conflict if the broadcast differs from `seen`. The process has read other data for `seen`, such as
 * saved segments. A client may have cancelled, changed and activated the broadcast since then.
 */
export function ifUnchanged(seen: Broadcast, step: Step): Step {
  return (state, now) =>
    isDeepStrictEqual(state, seen)
      ? step(state, now)
      : new Rejection('conflict', 'status', `broadcast ${seen.id} has changed since it was read`);
}
