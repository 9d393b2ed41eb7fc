import { decider } from '../decider.ts';
import type { EventOf } from '../event-type.ts';
import { refusalKey } from './sending-answer.ts';
import {
  batchAbandoned,
  batchAnswered,
  batchClaimed,
  type OUTCOMES,
  type Outcome,
  placesOf,
  recipientsReopened,
  sendingPaused,
  sendingResumed,
  usersUnreachable,
} from './sending-events.ts';

/**
 * Stream `sending-<bot>/<broadcast id>`: the claims and outcomes of a broadcast. No recipient is called before its claim is
 * in the log. A claim is appended on top of the stream's head, so two senders cannot claim the same recipient.
 */

const TYPES = [
  batchClaimed,
  batchAnswered,
  batchAbandoned,
  recipientsReopened,
  usersUnreachable,
  sendingPaused,
  sendingResumed,
] as const;
export type SendingEvent = EventOf<(typeof TYPES)[number]>;

/**
 * States of a recipient in `SendingState.places`; `refused`: not delivered, since the platform refused the message itself.
 */
export const PLACE = { waiting: 0, claimed: 1, delivered: 2, not_delivered: 3, unknown: 4, refused: 5 } as const;

const PLACE_OF: Readonly<Record<(typeof OUTCOMES)[number], number>> = {
  delivered: PLACE.delivered,
  not_delivered: PLACE.not_delivered,
  unknown: PLACE.unknown,
  returned: PLACE.waiting,
};

interface Claim {
  readonly sender: string;
  /** Places of recipients without an outcome. */
  readonly open: Set<number>;
}

export interface Pause {
  /** Milliseconds since 1970 UTC; null: until the platform can be reached again. */
  readonly until: number | null;
  readonly error: string | null;
}

export interface SendingState {
  /** The state of each recipient, by place; recipients beyond the end wait. */
  places: Uint8Array;
  /** No recipient before this place waits. */
  waitingFrom: number;
  /** Claims whose recipients do not all have an outcome, by their numbers. */
  readonly claims: Map<number, Claim>;
  lastClaim: number;
  readonly abandoned: Set<number>;
  /** How many recipients have an outcome that is final for the launch. */
  attempted: number;
  /** How many of the attempted recipients the platform refused because of the message itself. */
  refused: number;
  /** The last launch with an event in the stream: recipients reopened, a batch claimed or sending paused. */
  launch: number;
  /** The last launch that has claimed. */
  claimingLaunch: number;
  /** The first calls of the launch: how many were answered, and how many of these refused the message itself. */
  readonly first: { calls: number; refusals: number };
  readonly runs: RefusalRuns;
  /** Ids of files that were sent by URL, by the URL. */
  readonly files: Map<string, string>;
  paused: Pause | null;
  /** Whether the platform has asked this launch to slow down. */
  limited: boolean;
}

export const sending = decider(
  TYPES,
  (): SendingState => ({
    places: new Uint8Array(1024),
    waitingFrom: 0,
    claims: new Map(),
    lastClaim: 0,
    abandoned: new Set(),
    attempted: 0,
    refused: 0,
    launch: 0,
    claimingLaunch: 0,
    first: { calls: 0, refusals: 0 },
    runs: new Map(),
    files: new Map(),
    paused: null,
    limited: false,
  }),
  evolve,
);

function evolve(state: SendingState, event: SendingEvent): SendingState {
  switch (event.type) {
    case 'batch_claimed': {
      const { launch, claim, sender, recipients } = event.data;
      startLaunch(state, launch);
      state.claimingLaunch = launch;
      const open = new Set(placesOf(recipients));
      for (const place of open) mark(state, place, PLACE.claimed);
      state.waitingFrom = nextWaiting(state, state.waitingFrom);
      state.claims.set(claim, { sender, open });
      state.lastClaim = claim;
      return state;
    }
    case 'batch_answered': {
      const { claim, outcomes, files = [] } = event.data;
      for (const outcome of outcomes) answer(state, claim, outcome);
      extendRuns(state.runs, outcomes);
      for (const { url, file_id } of files) state.files.set(url, file_id);
      return state;
    }
    case 'batch_abandoned': {
      const { claim, recipients } = event.data;
      for (const place of placesOf(recipients)) settle(state, claim, place, PLACE.unknown);
      state.abandoned.add(claim);
      return state;
    }
    case 'recipients_reopened': {
      const { launch, recipients } = event.data;
      startLaunch(state, launch);
      for (const place of placesOf(recipients)) reopen(state, place);
      return state;
    }
    case 'sending_paused': {
      const { launch, until, limited, error } = event.data;
      startLaunch(state, launch);
      state.paused = { until, error };
      state.limited ||= limited && launch === state.launch;
      return state;
    }
    case 'sending_resumed':
      state.paused = null;
      return state;
    case 'users_unreachable':
      return state;
  }
}

/** Starts a launch, unless it or a later one has started. So a late event of an earlier launch does not restart it. */
function startLaunch(state: SendingState, launch: number): void {
  if (launch <= state.launch) return;
  state.launch = launch;
  state.limited = false;
  Object.assign(state.first, { calls: 0, refusals: 0 });
  state.runs.clear();
}

function answer(state: SendingState, claim: number, { outcome, of_message, without_call, recipients }: Outcome): void {
  for (const place of placesOf(recipients)) {
    const isRefused = outcome === 'not_delivered' && of_message === true;
    settle(state, claim, place, isRefused ? PLACE.refused : PLACE_OF[outcome]);
    if (outcome === 'returned' || without_call === true || state.first.calls >= FIRST_CALLS) continue;
    state.first.calls++;
    if (of_message === true) state.first.refusals++;
  }
}

function settle(state: SendingState, claim: number, place: number, as: number): void {
  const open = state.claims.get(claim)?.open;
  open?.delete(place);
  if (open?.size === 0) state.claims.delete(claim);
  mark(state, place, as);
  if (as !== PLACE.waiting) state.attempted++;
  if (as === PLACE.refused) state.refused++;
}

function reopen(state: SendingState, place: number): void {
  mark(state, place, PLACE.waiting);
  state.attempted--;
  state.refused--;
}

function mark(state: SendingState, place: number, as: number): void {
  if (place >= state.places.length) {
    const places = new Uint8Array(Math.max(2 * state.places.length, place + 1));
    places.set(state.places);
    state.places = places;
  }
  state.places[place] = as;
  if (as === PLACE.waiting && place < state.waitingFrom) state.waitingFrom = place;
}

/** The first place at or after `from` whose recipient waits: it was never claimed, or was returned. */
export function nextWaiting({ places }: SendingState, from: number): number {
  const found = places.indexOf(PLACE.waiting, from);
  return found === -1 ? Math.max(from, places.length) : found;
}

/** The first calls of a launch. If the platform refuses the message itself in all answers so far, no other call begins. */
export const FIRST_CALLS = 10;

/** Whether the platform refuses the message of the launch itself. */
export function isMessageRefused({ launch: present, runs }: SendingState, launch: number): boolean {
  return launch === present && hasLongRun(runs);
}

/** Whether the launch still has to make one of its first ten calls. */
export function isBeginning(state: SendingState, launch: number): boolean {
  return firstOf(state, launch).calls < FIRST_CALLS;
}

/** The first calls of the launch. */
export function firstOf(state: SendingState, launch: number): SendingState['first'] {
  return launch === state.launch ? state.first : { calls: 0, refusals: 0 };
}

/** Whether all recipients have a final outcome. */
export function isAllAttempted(state: SendingState, audience: number): boolean {
  return state.attempted === audience;
}

/** How many recipients are claimed and have no outcome. */
export function openPlaces({ claims }: SendingState): number {
  let open = 0;
  for (const claim of claims.values()) open += claim.open.size;
  return open;
}

/** Pauses, unless the log has the pause already or a later launch has begun. */
export function pauseSending(
  state: SendingState,
  broadcast_id: number,
  launch: number,
  pause: Pause & { readonly limited: boolean },
): SendingEvent[] {
  const { until, error, limited } = pause;
  if (launch < state.launch) return [];
  const known = state.launch === launch && state.paused?.until === until && state.paused.error === error;
  if (known && (state.limited || !limited)) return [];
  return [{ type: 'sending_paused', data: { broadcast_id, launch, until, limited, error } }];
}

export function resumeSending(state: SendingState, broadcast_id: number): SendingEvent[] {
  return state.paused === null ? [] : [{ type: 'sending_resumed', data: { broadcast_id } }];
}

/** Refusals of one variant's message itself since its last delivery in the launch. */
interface RefusalRun {
  hasDelivered: boolean;
  /** By `refusalKey`. */
  readonly refusals: Map<string, number>;
}

/** By the index of the variant; 0 for a single message. */
export type RefusalRuns = Map<number, RefusalRun>;

/** Counts a batch. Its order is unknown, so any delivery ends the variant's run. Refusals of single chats do not count. */
export function extendRuns(runs: RefusalRuns, outcomes: readonly Outcome[]): void {
  const delivered = new Set(
    outcomes.filter(({ outcome }) => outcome === 'delivered').map(({ variant = 0 }) => variant),
  );
  for (const variant of delivered) runs.set(variant, { hasDelivered: true, refusals: new Map() });
  for (const { of_message, reason, recipients, variant = 0 } of outcomes) {
    if (of_message !== true || delivered.has(variant)) continue;
    const run = runs.get(variant) ?? { hasDelivered: false, refusals: new Map() };
    runs.set(variant, run);
    const key = refusalKey(reason ?? '');
    const count = recipients.reduce((sum, [first, last]) => sum + last - first + 1, 0);
    run.refusals.set(key, (run.refusals.get(key) ?? 0) + count);
  }
}

/**
 * So many equal refusals end the launch (decisions.md#refused-for-the-message). After the first delivery of the launch or
 * of the variant, the limit is higher: the platform accepts the message for some recipients.
 */
const BEFORE_DELIVERY = 10;
const AFTER_DELIVERY = 100;

export function hasLongRun(runs: RefusalRuns): boolean {
  const all = [...runs.values()];
  const ofVariants = all.some(({ hasDelivered, refusals }) => {
    return most(refusals) >= (hasDelivered ? AFTER_DELIVERY : BEFORE_DELIVERY);
  });
  if (ofVariants || all.some(({ hasDelivered }) => hasDelivered)) return ofVariants;
  const together = new Map<string, number>();
  for (const { refusals } of all)
    for (const [key, count] of refusals) together.set(key, (together.get(key) ?? 0) + count);
  return most(together) >= BEFORE_DELIVERY;
}

const most = (refusals: ReadonlyMap<string, number>): number => Math.max(0, ...refusals.values());
