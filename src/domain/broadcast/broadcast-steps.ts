import type { Decision } from '../decider.ts';
import { Rejection } from '../rejection.ts';
import type { SealedSecret } from '../sealing.ts';
import {
  type Broadcast,
  type BroadcastEvent,
  type BroadcastState,
  messagesOf,
  type SavedSegmentRevision,
  type TrackedClicks,
  unknownBroadcast,
} from './broadcast.ts';
import { type BroadcastStatus, OPEN_STATUSES, Status } from './broadcast-status.ts';
import { trackLinks } from './tracked-links.ts';

/**
 * The steps of an activated broadcast, each from the statuses that it is allowed in. From any other status the step is a
 * conflict: another instance or a cancellation came first, and the log has which.
 *
 * ```
 * scheduled -> resolving -> frozen -> sending -> finished
 * scheduled -> sending                                     the audience is frozen from an earlier launch
 * sending, stopping -> stopped                             stopping: a client has cancelled
 * scheduled, resolving, frozen, sending -> failed
 * ```
 */

/**
 * Scheduled to resolving; only if the audience is not frozen. A resolution that was broken off by a cancellation continues with the saved segments
 * that it began with: some chats may be frozen.
 * @param savedSegments the saved segments that the audience names, as they are now
 */
export function startResolution(
  state: BroadcastState,
  now: number,
  savedSegments: readonly SavedSegmentRevision[] = [],
): Decision<BroadcastEvent> {
  return step(state, [Status.scheduled], (id) => {
    if (state?.frozen !== null) return conflict(id, 'has its audience');
    const resolved = state.saved_segments ?? savedSegments;
    const named = resolved.length === 0 ? {} : { saved_segments: [...resolved] };
    return { type: 'broadcast_resolution_started', data: { id, ...named, at: now } };
  });
}

/** Resolving to frozen: `count` recipients. */
export function freezeAudience(state: BroadcastState, count: number, now: number): Decision<BroadcastEvent> {
  return step(state, [Status.resolving], (id) => ({ type: 'broadcast_audience_frozen', data: { id, count, at: now } }));
}

/**
 * Frozen to sending. A later launch, whose audience is frozen, is scheduled before.
 * @param key of the click tokens of a launch that tracks clicks
 */
export function startSending(state: BroadcastState, now: number, key?: SealedSecret): Decision<BroadcastEvent> {
  return step(state, [Status.frozen, Status.scheduled], (id) =>
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

/** To finished: all recipients were attempted, or a frozen audience has none. */
export function finishBroadcast(state: BroadcastState, now: number): Decision<BroadcastEvent> {
  return step(state, [Status.sending, Status.frozen], (id) =>
    state?.status === Status.frozen && state.frozen !== 0
      ? conflict(id, 'has recipients and is not being sent')
      : { type: 'broadcast_finished', data: { id, at: now } },
  );
}

/** Stopping to stopped; sending to stopped if the service stops it, with the reason in `error`. */
export function stopBroadcast(state: BroadcastState, error: string | null, now: number): Decision<BroadcastEvent> {
  return step(state, error === null ? [Status.stopping] : [Status.stopping, Status.sending], (id) => ({
    type: 'broadcast_stopped',
    // A cancellation counts more than the reason of the service.
    data: { id, error: state?.status === Status.stopping ? null : error, at: now },
  }));
}

/** To failed from any status before its end. */
export function failBroadcast(state: BroadcastState, error: string, now: number): Decision<BroadcastEvent> {
  return step(state, [Status.scheduled, Status.resolving, Status.frozen, Status.sending], (id) => ({
    type: 'broadcast_failed',
    data: { id, error, at: now },
  }));
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

/** Owners tidy their broadcasts (decisions.md#broadcast-archive). */

/** Puts a broadcast into the archive, or takes it out. One that is scheduled or being sent cannot go there. */
export function archiveBroadcast(state: BroadcastState, archived: boolean, now: number): Decision<BroadcastEvent> {
  if (state === null) return unknownBroadcast();
  const { id } = state;
  if ((state.archived ?? false) === archived) return [];
  if (archived && OPEN_STATUSES.includes(state.status))
    return new Rejection('conflict', 'id', `broadcast ${id} is scheduled or being sent`);
  return [{ type: 'broadcast_archived', data: { id, archived, at: now } }];
}

/** Only a draft can be deleted: what was sent stays in the statistics. */
export function deleteBroadcast(state: BroadcastState, now: number): Decision<BroadcastEvent> {
  if (state === null) return unknownBroadcast();
  const { id } = state;
  if (state.status !== Status.draft)
    return new Rejection('conflict', 'id', `broadcast ${id} is not a draft; when it is over it can be archived`);
  return [{ type: 'broadcast_deleted', data: { id, at: now } }];
}
