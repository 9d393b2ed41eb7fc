import type { Decision } from '../decider.ts';
import { Rejection } from '../rejection.ts';
import { type BroadcastEvent, type BroadcastState, unknownBroadcast } from './broadcast.ts';
import { OPEN_STATUSES, Status } from './broadcast-status.ts';

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
