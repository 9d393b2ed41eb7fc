import { isDeepStrictEqual } from 'node:util';
import type { Broadcast, BroadcastEvent, BroadcastState } from '../../domain/broadcast/broadcast.ts';
import type { Decision } from '../../domain/decider.ts';
import { Rejection } from '../../domain/rejection.ts';

/** A step of a broadcast's lifecycle, decided on top of the log. */
export type Step = (state: BroadcastState, now: number) => Decision<BroadcastEvent>;

/**
 * A step that uses what was read for the broadcast as it was seen, as its saved segments: a client may have cancelled, changed
 * and activated it since. Then it is a conflict.
 */
export function ifUnchanged(seen: Broadcast, step: Step): Step {
  return (state, now) =>
    isDeepStrictEqual(state, seen)
      ? step(state, now)
      : new Rejection('conflict', 'status', `broadcast ${seen.id} has changed since it was read`);
}
