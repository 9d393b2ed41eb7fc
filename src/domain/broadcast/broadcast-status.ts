/** The statuses of a broadcast (interface.md, "Broadcast status codes"; the last three: decisions.md#broadcast-status). */
export const Status = {
  draft: 0,
  scheduled: 1,
  sending: 2,
  finished: 3,
  stopped: 4,
  failed: 5,
  /** Its audience is being resolved. */
  resolving: 6,
  /** Its audience is frozen. */
  frozen: 7,
  stopping: 8,
} as const;

export type BroadcastStatus = (typeof Status)[keyof typeof Status];

export const BROADCAST_STATUSES: readonly BroadcastStatus[] = Object.values(Status);

/** Only a new activation continues such a broadcast. */
export const ENDED_STATUSES: readonly BroadcastStatus[] = [Status.finished, Status.stopped, Status.failed];

/** The service has a step to take now, or when the broadcast is due. */
export const OPEN_STATUSES: readonly BroadcastStatus[] = [
  Status.scheduled,
  Status.sending,
  Status.resolving,
  Status.frozen,
  Status.stopping,
];
