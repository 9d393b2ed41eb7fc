import { type Cursor, hasPassedAll } from '../../log/port.ts';
import { BadCommitError } from './bad-commit.ts';
import type { Version } from './versions.ts';

/**
 * The states of a projector that follows one version of a read model, and the transitions between them. Pure:
 * `follow.ts` carries the actions out.
 *
 *   building --reached a log end--> catching up --no deferred work, close to the log end--> following
 *   each of them --signal, lost lease, dropped version, bad event, failure--> stopped
 *   building or catching up --paused--> stopped
 *
 * Builders share the build of a version up to a goal (build-units.ts). From there on one projector builds it, all partitions
 * together, and stops when the version is built. Then any number of projectors follow it, each with some of the partitions.
 */
export type FollowState =
  /** Applies the log from its checkpoint to `goal`; null: the log end is not known yet. */
  | { readonly name: 'building'; readonly goal: Goal | null }
  /** Has reached a goal once. Does its deferred work, then chases the log end until it is less than `CLOSE_MS` behind. */
  | { readonly name: 'catching up'; readonly goal: Goal }
  /** The version is built, ready or live. Applies commits as they come. */
  | { readonly name: 'following' };

/** The log end, and when it was noted. */
export interface Goal {
  readonly end: Cursor;
  readonly notedAtMs: number;
}

/** The last state: nothing runs any more. */
export interface Stopped {
  readonly name: 'stopped';
  readonly reason: StopReason;
}

type StopReason =
  /** The signal aborted, or the lease is lost. */
  | 'interrupted'
  /** The version is built. */
  | 'built'
  /** The version is gone. */
  | 'dropped'
  /** The version has recorded an event that it cannot apply, and waits for an operator. */
  | 'bad event'
  /** An operator has paused the build. */
  | 'paused'
  /** An error that says nothing about the commits. */
  | 'failed';

export const INTERRUPTED: Stopped = { name: 'stopped', reason: 'interrupted' };
export const BUILT: Stopped = { name: 'stopped', reason: 'built' };
export const DROPPED: Stopped = { name: 'stopped', reason: 'dropped' };
export const AT_BAD_EVENT: Stopped = { name: 'stopped', reason: 'bad event' };
export const PAUSED: Stopped = { name: 'stopped', reason: 'paused' };

/** Why a builder must not begin to build a version; null: it may. */
export function whyNotToBuild(found: Pick<Version, 'state' | 'error' | 'paused'> | null): Stopped | null {
  if (found === null) return DROPPED;
  if (found.error !== null) return AT_BAD_EVENT;
  if (found.state !== 'building') return BUILT;
  return found.paused ? PAUSED : null;
}

/** Whether it is the reason of a follower that ends by itself. */
export function isStopped(reason: unknown): reason is Stopped {
  return [BUILT, DROPPED, AT_BAD_EVENT, PAUSED].some((each) => each === reason);
}

/** How a state treats commits. */
export interface Conduct {
  /** Reads the next commits while it writes the present ones, even if it does not know of more. */
  readonly readsAhead: boolean;
  /** Leaves deferred work that is cheaper if done once for all commits (`behind` of `ReadModel.idle`). */
  readonly defersMore: boolean;
  /** Stops at a bad event whatever the policy says: only an operator decides which commits a rebuild leaves out. */
  readonly isStrict: boolean;
  /** Pauses after a small batch, so that commits that come during the pause share a transaction. */
  readonly pauses: boolean;
}

export const CONDUCT: Readonly<Record<FollowState['name'], Conduct>> = {
  building: { readsAhead: true, defersMore: true, isStrict: true, pauses: false },
  'catching up': { readsAhead: true, defersMore: false, isStrict: true, pauses: false },
  following: { readsAhead: false, defersMore: false, isStrict: false, pauses: true },
};

/** A version is built if it reaches a log end within this time after it was noted. */
export const CLOSE_MS = 1000;

/** The state to begin with. */
export function initialState(isBuilding: boolean): FollowState {
  return isBuilding ? { name: 'building', goal: null } : { name: 'following' };
}

export interface FollowProgress {
  /** The checkpoint of the version. */
  readonly applied: Cursor;
  readonly hasDeferredWork: boolean;
  readonly nowMs: number;
}

/** The next step towards a built version, besides applying commits. */
export type Todo = 'nothing' | 'note the log end' | 'do deferred work' | 'finish building';

/** The state that follows from the progress, and what to do in it. */
export function advance(
  state: FollowState,
  { applied, hasDeferredWork, nowMs }: FollowProgress,
): { readonly state: FollowState; readonly todo: Todo } {
  if (state.name === 'following') return { state, todo: 'nothing' };
  const { goal } = state;
  if (goal === null) return { state, todo: 'note the log end' };
  if (!hasPassedAll(applied, goal.end)) return { state, todo: 'nothing' };
  if (state.name === 'building') return { state: { name: 'catching up', goal }, todo: 'do deferred work' };
  if (hasDeferredWork) return { state, todo: 'nothing' };
  return { state, todo: nowMs - goal.notedAtMs < CLOSE_MS ? 'finish building' : 'note the log end' };
}

/** The log end was noted. */
export function aimAt(state: FollowState, goal: Goal): FollowState {
  return state.name === 'following' ? state : { ...state, goal };
}

/** The version was recorded as built. */
export function finish(state: FollowState): FollowState {
  return state.name === 'catching up' ? { name: 'following' } : state;
}

/** @param isDropped whether the version is gone: then that caused the error */
export function stoppedBy(error: unknown, isDropped: boolean): Stopped {
  if (isDropped) return { name: 'stopped', reason: 'dropped' };
  return { name: 'stopped', reason: error instanceof BadCommitError ? 'bad event' : 'failed' };
}

export function afterStop({
  reason,
}: Stopped): 'end' | 'take the lease again' | 'wait until it is resumed' | 'retry after a pause' {
  switch (reason) {
    case 'interrupted':
    case 'built':
      return 'take the lease again'; // unless the signal has aborted
    case 'paused':
      return 'wait until it is resumed';
    case 'failed':
      return 'retry after a pause';
    default:
      return 'end';
  }
}
