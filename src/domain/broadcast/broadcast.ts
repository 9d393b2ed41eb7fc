import { type Decision, decider, withChanges } from '../decider.ts';
import type { DataOf, EventOf } from '../event-type.ts';
import { Rejection } from '../rejection.ts';
import {
  broadcastActivated,
  broadcastArchived,
  broadcastAudienceFrozen,
  broadcastCancelRequested,
  broadcastCreated,
  broadcastDeleted,
  broadcastFailed,
  broadcastFinished,
  broadcastLeft,
  broadcastResolutionStarted,
  broadcastSaved,
  broadcastSendingStarted,
  broadcastStopped,
} from './broadcast-events.ts';
import { type BroadcastStatus, ENDED_STATUSES, OPEN_STATUSES, Status } from './broadcast-status.ts';
import { divideAlike } from './variants.ts';

/**
 * Stream `broadcast-<bot>/<id>`: a broadcast and its statuses (interface.md, "Broadcast status codes";
 * decisions.md#broadcast-status). The commands of owners are below, the commands of the service in `lifecycle.ts`.
 */

export type TrackedClicks = NonNullable<DataOf<typeof broadcastSendingStarted>['clicks']>;

type Created = DataOf<typeof broadcastCreated>;

/** A broadcast without its statistics. Times are milliseconds since 1970 UTC. */
export interface Broadcast extends Omit<Created, 'at'> {
  readonly status: BroadcastStatus;
  /** Once it has ended: the status that it ended in; else null. */
  readonly status_before: BroadcastStatus | null;
  readonly date_create: number;
  readonly date_activate: number | null;
  /** When it ended. */
  readonly date_finish: number | null;
  /** Why it failed, or why the service stopped it. */
  readonly error: string | null;
  /** How often it was activated, without activations that were cancelled before a sender began them. */
  readonly launch: number;
  /** When it is scheduled: not before; null: at once. */
  readonly due: number | null;
  /** The id under which it counts against the owner’s broadcasts of a month; null: it does not count. */
  readonly activation: string | null;
  /** The size of the audience; null until it is frozen. */
  readonly frozen: number | null;
  /** The saved segments that its audience is resolved with; absent: it names none, or the resolution has not begun. */
  readonly saved_segments?: readonly SavedSegmentRevision[];
  /** Of the launch that is being sent, or was last; absent: it tracks no clicks. */
  readonly clicks?: TrackedClicks;
  /** Absent: it is not in the archive. */
  readonly archived?: true;
}

/** A saved segment with the conditions that its stream has up to the revision. */
export interface SavedSegmentRevision {
  readonly saved_segment_id: number;
  readonly revision: number;
}

/** Null: not created yet, or deleted. */
export type BroadcastState = Broadcast | null;

const TYPES = [
  broadcastCreated,
  broadcastSaved,
  broadcastActivated,
  broadcastResolutionStarted,
  broadcastAudienceFrozen,
  broadcastSendingStarted,
  broadcastCancelRequested,
  broadcastStopped,
  broadcastFinished,
  broadcastFailed,
  broadcastLeft,
  broadcastArchived,
  broadcastDeleted,
] as const;

export type BroadcastEvent = EventOf<(typeof TYPES)[number]>;

export const broadcast = decider(TYPES, (): BroadcastState => null, evolveBroadcast);

/** Read models fold with this too. It changes nothing in place. */
export function evolveBroadcast(state: BroadcastState, event: BroadcastEvent): BroadcastState {
  if (event.type === 'broadcast_created') return created(event.data);
  if (state === null) throw new TypeError(`${event.type} of a broadcast that was not created`);
  switch (event.type) {
    case 'broadcast_saved':
      return withChanges<Broadcast>(state, {
        ...alternative(state, event.data),
        ...event.data,
        settings: event.data.settings && { ...keptSettings(state), ...event.data.settings },
      });
    case 'broadcast_activated': {
      const { launch, date_send: due, at } = event.data;
      const activation = event.data.activation ?? state.activation;
      const begun = { status_before: null, date_activate: at, date_finish: null, error: null };
      return { ...withArchived(state, false), ...begun, status: Status.scheduled, launch, due, activation };
    }
    case 'broadcast_resolution_started': {
      const { saved_segments } = event.data;
      return { ...state, status: Status.resolving, ...(saved_segments === undefined ? {} : { saved_segments }) };
    }
    case 'broadcast_audience_frozen':
      return { ...state, status: Status.frozen, frozen: event.data.count };
    case 'broadcast_sending_started': {
      const { clicks: _, ...others } = state;
      const { clicks } = event.data;
      return { ...others, status: Status.sending, ...(clicks === undefined ? {} : { clicks }) };
    }
    case 'broadcast_cancel_requested':
      return cancelled(state, event.data.at);
    case 'broadcast_stopped':
    case 'broadcast_failed': {
      const { error, at } = event.data;
      return ended(state, event.type === 'broadcast_failed' ? Status.failed : Status.stopped, at, error);
    }
    case 'broadcast_finished':
      return ended(state, Status.finished, event.data.at, state.error);
    case 'broadcast_archived':
      return withArchived(state, event.data.archived);
    case 'broadcast_deleted':
      return null;
    case 'broadcast_left':
      return state;
  }
}

/** The fields that a type, a message or variants take away from the broadcast. */
function alternative(state: Broadcast, { type, message, variants = [] }: BroadcastContent): BroadcastContent {
  if (variants.length > 0) return { message: {} };
  const isOther = type !== undefined && type !== state.type;
  const emptied = isOther ? { message: {} } : {};
  return (message === undefined && !isOther) || state.variants === undefined ? emptied : { ...emptied, variants: [] };
}

function withArchived({ archived: _, ...others }: Broadcast, archived: boolean): Broadcast {
  return archived ? { ...others, archived } : others;
}

/** A client that does not know the setting does not change it. */
function keptSettings({ settings: { track_clicks } }: Broadcast): Partial<Broadcast['settings']> {
  return track_clicks === undefined ? {} : { track_clicks };
}

function created({ at, ...content }: Created): Broadcast {
  return {
    ...content,
    status: Status.draft,
    status_before: null,
    date_create: at,
    date_activate: null,
    date_finish: null,
    error: null,
    launch: 0,
    due: null,
    activation: null,
    frozen: null,
  };
}

function cancelled(state: Broadcast, at: number): Broadcast {
  if (state.status !== Status.scheduled) return { ...state, status: Status.stopping };
  const launch = state.launch - 1;
  if (launch === 0) return { ...state, status: Status.draft, launch, due: null, activation: null, date_activate: null };
  return { ...ended(state, Status.stopped, at, state.error), launch, due: null };
}

function ended(state: Broadcast, status: BroadcastStatus, date_finish: number, error: string | null): Broadcast {
  return { ...state, status, status_before: state.status, date_finish, error };
}

/** A message, and its path in a request. */
export interface MessageAt {
  readonly message: Created['message'];
  readonly path: string;
}

/** The messages of a broadcast: the messages of its variants, or the only one. */
export function messagesOf({ message, variants = [] }: Pick<BroadcastContent, 'message' | 'variants'>): MessageAt[] {
  if (variants.length === 0) return message === undefined ? [] : [{ message, path: 'message' }];
  return variants.map((variant, index) => ({ message: variant.message, path: `variants.${index}.message` }));
}

/** The fields that create, save and activate may change. */
export type BroadcastContent = Omit<DataOf<typeof broadcastSaved>, 'id'>;

/** @param command with checked content (`message.ts`, `audience.ts`, `settings.ts`) */
export function createBroadcast(state: BroadcastState, command: Created): Decision<BroadcastEvent> {
  if (state !== null) return new Rejection('conflict', 'id', `broadcast ${command.id} exists`);
  return [{ type: 'broadcast_created', data: command }];
}

/** Only a draft takes changes. Any other broadcast stays as it is, without an error (interface.md). */
export function saveBroadcast(state: BroadcastState, changes: BroadcastContent): Decision<BroadcastEvent> {
  if (state === null) return unknownBroadcast();
  return state.status === Status.draft ? saved(state, changes) : [];
}

/** Why a broadcast cannot be sent as it is; undefined: it can. */
export type Readiness = (broadcast: Broadcast) => Rejection | undefined;

/**
 * A draft is saved and scheduled. A broadcast that was stopped or failed resumes, with the message and settings given; its
 * name, audience and date stay. Any other broadcast stays as it is.
 * @param ready checks the broadcast with the changes
 * @param activation a new id, under which a first launch counts
 */
export function activateBroadcast(
  state: BroadcastState,
  changes: BroadcastContent,
  ready: Readiness,
  activation: string,
  now: number,
): Decision<BroadcastEvent> {
  if (state === null) return unknownBroadcast();
  if (!isLaunchable(state)) return [];
  const isFirst = state.status === Status.draft;
  const { message, variants, settings } = changes;
  if (!isFirst && !keepsDivision(state, changes)) return otherDivision(state, changes);
  if (!isFirst && (changes.type ?? state.type) !== state.type)
    return new Rejection('invalid', 'type', 'the type of a broadcast that was launched cannot change');
  const events = saved(state, isFirst ? changes : { message, variants, settings });
  const changed = events.reduce<BroadcastState>(evolveBroadcast, state)!;
  const problem = ready(changed);
  if (problem !== undefined) return problem;
  const { id, date_send } = changed;
  const due = isFirst && date_send !== null && date_send > now ? date_send : null;
  const counted = isFirst ? activation : null;
  const data = { id, launch: state.launch + 1, date_send: due, activation: counted, at: now };
  return [...events, { type: 'broadcast_activated', data }];
}

/** Whether it has ended. */
export function isOver({ status }: Broadcast): boolean {
  return ENDED_STATUSES.includes(status);
}

/** Whether activating it changes anything. */
export function isLaunchable({ status }: Broadcast): boolean {
  return status === Status.draft || status === Status.stopped || status === Status.failed;
}

/**
 * Goes back to the status before the activation if no sender has begun it, else to its stop. Any other broadcast stays as
 * it is.
 */
export function cancelBroadcast(state: BroadcastState, now: number): Decision<BroadcastEvent> {
  if (state === null) return unknownBroadcast();
  const { id, status } = state;
  const isOnItsWay = OPEN_STATUSES.includes(status) && status !== Status.stopping;
  return isOnItsWay ? [{ type: 'broadcast_cancel_requested', data: { id, at: now } }] : [];
}

/** @param key the name of its id in the request */
export function unknownBroadcast(key: 'id' | 'task_id' = 'id'): Rejection {
  return new Rejection('not_found', key, 'there is no such broadcast');
}

/** Whether each recipient keeps its variant (decisions.md#variants). */
function keepsDivision({ variants = [] }: Broadcast, { message, variants: given }: BroadcastContent): boolean {
  if (message !== undefined && variants.length > 0) return false;
  return given === undefined || divideAlike(given, variants);
}

function otherDivision({ variants = [] }: Broadcast, { variants: given }: BroadcastContent): Rejection {
  if (given === undefined)
    return new Rejection(
      'invalid',
      'message',
      'the broadcast has variants: a relaunch may change the messages of these',
    );
  return new Rejection(
    'invalid',
    'variants',
    variants.length === 0
      ? 'the broadcast has no variants, and a relaunch cannot add any'
      : 'a relaunch may change the messages of variants, not their names, shares and order',
  );
}

function saved({ id }: Broadcast, changes: BroadcastContent): BroadcastEvent[] {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return Object.keys(given).length === 0 ? [] : [{ type: 'broadcast_saved', data: { ...given, id } }];
}
