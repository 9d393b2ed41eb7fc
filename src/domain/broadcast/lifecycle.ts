import type { Decision } from '../decider.ts';
import { Rejection } from '../rejection.ts';
import type { SealedSecret } from '../sealing.ts';
import {
  type Broadcast,
  type BroadcastEvent,
  type BroadcastState,
  type BroadcastStatus,
  messagesOf,
  type SavedSegmentRevision,
  type TrackedClicks,
  unknownBroadcast,
} from './broadcast.ts';
import { trackLinks } from './tracked-links.ts';

/**
 * The steps of an activated broadcast, each from the statuses that it is allowed in. From any other status the step is a
 * conflict: another instance or a cancellation came first, and the log has which.
 *
 * ```
 * 1 -> 6 -> 7 -> 2 -> 3        1 -> 2: the audience is frozen from an earlier launch
 * 2, 8 -> 4                    8: a client has cancelled
 * 1, 6, 7, 2 -> 5
 * ```
 */

/**
 * 1 to 6; only if the audience is not frozen. A resolution that was broken off by a cancellation continues with the saved segments
 * that it began with: some chats may be frozen.
 * @param savedSegments the saved segments that the audience names, as they are now
 */
export function startResolution(
  state: BroadcastState,
  now: number,
  savedSegments: readonly SavedSegmentRevision[] = [],
): Decision<BroadcastEvent> {
  return step(state, [1], (id) => {
    if (state?.frozen !== null) return conflict(id, 'has its audience');
    const resolved = state.saved_segments ?? savedSegments;
    const named = resolved.length === 0 ? {} : { saved_segments: [...resolved] };
    return { type: 'broadcast_resolution_started', data: { id, ...named, at: now } };
  });
}

/** 6 to 7: `count` recipients. */
export function freezeAudience(state: BroadcastState, count: number, now: number): Decision<BroadcastEvent> {
  return step(state, [6], (id) => ({ type: 'broadcast_audience_frozen', data: { id, count, at: now } }));
}

/** 7 to 2; a later launch, whose audience is frozen, comes from 1. @param key of the click tokens of a launch that tracks clicks */
export function startSending(state: BroadcastState, now: number, key?: SealedSecret): Decision<BroadcastEvent> {
  return step(state, [7, 1], (id) =>
    state === null || state.frozen === null
      ? conflict(id, 'has no audience yet')
      : {
          type: 'broadcast_sending_started',
          data: {
            id,
            launch: state.launch,
            ...(key === undefined ? {} : { clicks: { key, links: trackedLinksOf(state) } }),
            at: now,
          },
        },
  );
}

/** 2 to 3: all recipients were attempted; 7 to 3: there is none. */
export function finishBroadcast(state: BroadcastState, now: number): Decision<BroadcastEvent> {
  return step(state, [2, 7], (id) =>
    state?.status === 7 && state.frozen !== 0
      ? conflict(id, 'has recipients and is not being sent')
      : { type: 'broadcast_finished', data: { id, at: now } },
  );
}

/** 8 to 4; 2 to 4 if the service stops it, with the reason in `error`. */
export function stopBroadcast(state: BroadcastState, error: string | null, now: number): Decision<BroadcastEvent> {
  return step(state, error === null ? [8] : [8, 2], (id) => ({
    type: 'broadcast_stopped',
    // A cancellation counts more than the reason of the service.
    data: { id, error: state?.status === 8 ? null : error, at: now },
  }));
}

/** To 5 from any status before its end. */
export function failBroadcast(state: BroadcastState, error: string, now: number): Decision<BroadcastEvent> {
  return step(state, [1, 6, 7, 2], (id) => ({ type: 'broadcast_failed', data: { id, error, at: now } }));
}

function step(
  state: BroadcastState,
  from: readonly BroadcastStatus[],
  to: (id: number) => BroadcastEvent | Rejection,
): Decision<BroadcastEvent> {
  if (state === null) return unknownBroadcast();
  const { id, status } = state;
  if (!from.includes(status)) return conflict(id, `is in status ${status}, not in ${from.join(' or ')}`);
  const event = to(id);
  return event instanceof Rejection ? event : [event];
}

function conflict(id: number, what: string): Rejection {
  return new Rejection('conflict', 'status', `broadcast ${id} ${what}`);
}

function trackedLinksOf(broadcast: Broadcast): TrackedClicks['links'] {
  const hasVariants = (broadcast.variants ?? []).length > 0;
  return messagesOf(broadcast).flatMap(({ message }, index) =>
    trackLinks(message).targets.map((target) => ({ target, variant: hasVariants ? index : null })),
  );
}
