import type { LedgerEvent } from '../ledger-events.ts';
import type { CustomEventItem, SealedUpdateItem, TargetEventItem, UpdateItem } from './intake-events.ts';
import { parseUtm, type Separators, type Utm } from './utm.ts';

/**
 * Decides, item by item in the order of a bot's log, which parts of its intake count: repeats, known users, events that
 * wait for their user, visits. The read models `users`, `events` and `referral` all decide by this fold. Each of them
 * loads the part of the state that its batch names and stores the additions of the batch.
 *
 * The functions change the state in place: see Decider.
 */

const DAY_MS = 24 * 60 * 60 * 1000;
/** After a week without updates the platform starts again at a random update id, so older ids must be forgotten. */
export const UPDATE_MEMORY_MS = 7 * DAY_MS;
/** How long an event waits for its user (decisions.md#late-user). */
export const LATE_USER_MS = DAY_MS;
/** How long bot errors are kept (decisions.md#late-user). */
export const ERROR_MEMORY_MS = 90 * DAY_MS;

export interface IntakeState {
  /**
   * The latest receipt so far, ms UTC. Time limits are measured by it, since the receipts of several instances need not
   * come in order.
   */
  clock: number;
  /** Receipts of remembered updates, by update id. */
  readonly updates: Map<number, number>;
  /** Those of them that this fold added. */
  readonly addedUpdates: Map<number, number>;
  readonly knownUsers: Set<number>;
  readonly eventKeys: Set<string>;
}

export function intakeState(clock: number): IntakeState {
  return {
    clock,
    updates: new Map(),
    addedUpdates: new Map(),
    knownUsers: new Set(),
    eventKeys: new Set(),
  };
}

/** Moves the clock to a receipt, unless it is later already. */
export function advanceClock(state: IntakeState, receivedAt: number): void {
  state.clock = Math.max(state.clock, receivedAt);
}

/** Whether a custom or target event counts, and why not. */
export type EventVerdict =
  /** Its `event_key` was used before: it changes nothing. */
  | 'repeat'
  | 'counts'
  /** Its user is unknown: a bot error, and the event counts if the user appears in time. */
  | 'waits'
  /** Its user is unknown, and it is too old to wait: a bot error. */
  | 'unknown_user'
  /** Its user is unknown, and it is too old even for a bot error. */
  | 'forgotten';

export function acceptEvent(
  state: IntakeState,
  { user_id, event_key }: Pick<CustomEventItem & TargetEventItem, 'user_id' | 'event_key'>,
  receivedAt: number,
): EventVerdict {
  if (event_key !== undefined) {
    if (state.eventKeys.has(event_key)) return 'repeat';
    state.eventKeys.add(event_key);
  }
  if (state.knownUsers.has(user_id)) return 'counts';
  if (isInTime(state, receivedAt)) return 'waits';
  return state.clock - receivedAt <= ERROR_MEMORY_MS ? 'unknown_user' : 'forgotten';
}

/** Whether an event of an unknown user, received at `receivedAt`, counts if the user appears now. */
export function isInTime({ clock }: IntakeState, receivedAt: number): boolean {
  return clock - receivedAt <= LATE_USER_MS;
}

/** An update that counts. */
export interface AcceptedUpdate {
  /** Whether the bot knows the user from this update on. */
  readonly userAppears: boolean;
  /** The code of the visit that the update is; null: it is none. */
  readonly visitBy: string | null;
}

/**
 * @returns null for an update that changes nothing: a repeat within 7 days (decisions.md#platform-updates), a service message
 * of the bot itself, or an update from a group about a user that the bot does not know
 */
export function acceptUpdate(
  state: IntakeState,
  item: UpdateItem | SealedUpdateItem,
  receivedAt: number,
): AcceptedUpdate | null {
  if (isRepeat(state, item.update_id, receivedAt) || isOfBotItself(item)) return null;
  const userAppears = item.makes_user && acceptUser(state, item.user_id);
  if (!userAppears && !state.knownUsers.has(item.user_id)) return null;
  const visitBy = item.start_param ?? null;
  return userAppears || visitBy !== null ? { userAppears, visitBy } : ONLY_COUNTS;
}

/**
 * Whether the item is a service message of a private chat with the bot itself as its actor (decisions.md#actor). Only older
 * logs have such items. An item of another bot has `own_chat`.
 */
function isOfBotItself({ is_bot, chat_type, own_chat }: UpdateItem | SealedUpdateItem): boolean {
  return is_bot && chat_type === 'private' && own_chat !== true;
}

/** Most updates: one object for all of them costs nothing. */
const ONLY_COUNTS: AcceptedUpdate = { userAppears: false, visitBy: null };

/** Makes the user known. @returns whether the user was unknown */
export function acceptUser({ knownUsers }: IntakeState, userId: number): boolean {
  if (knownUsers.has(userId)) return false;
  knownUsers.add(userId);
  return true;
}

/** Remembers the update, unless it is too old for that. */
function isRepeat(state: IntakeState, updateId: number, receivedAt: number): boolean {
  const seenAt = state.updates.get(updateId);
  if (seenAt !== undefined && state.clock - seenAt <= UPDATE_MEMORY_MS) return true;
  if (state.clock - receivedAt <= UPDATE_MEMORY_MS) {
    state.updates.set(updateId, receivedAt);
    state.addedUpdates.set(updateId, receivedAt);
  }
  return false;
}

/**
 * How a bot's start payloads are read as UTM: a visit by a referral code without a pair of UTM has no source
 * (decisions.md#start-payload). A code that only a visit made known is no referral code here.
 */
export interface PayloadState {
  separators: Separators;
  /** Referral codes of the bot. */
  readonly codes: Set<string>;
  /** Those of them that this fold added. */
  readonly addedCodes: string[];
}

export function payloadState(separators: Separators): PayloadState {
  return { separators, codes: new Set(), addedCodes: [] };
}

/** The events that bring referral codes. */
export const CODE_EVENTS = ['referral_code_created', 'referral_code_owners_set', 'referral_marked'] as const;

/** Learns from `bot_changed` and {@link CODE_EVENTS}. */
export function learnPayloads(state: PayloadState, event: LedgerEvent): void {
  if (event.type === 'bot_changed') {
    const { pair, value } = state.separators;
    state.separators = { pair: event.data.pair_separator ?? pair, value: event.data.value_separator ?? value };
  }
  for (const code of codesIn(event)) {
    if (state.codes.has(code)) continue;
    state.codes.add(code);
    state.addedCodes.push(code);
  }
}

/** The UTM of a visit by this payload; null: it has none. */
export function utmOfVisit({ separators, codes }: PayloadState, payload: string): Utm | null {
  return parseUtm(payload, separators, codes.has(payload));
}

/** The code that a mark offers counts even if the mark has no effect: no client then learns it, so no visit uses it. */
function codesIn(event: LedgerEvent): string[] {
  switch (event.type) {
    case 'referral_code_created':
      return [event.data.code];
    case 'referral_code_owners_set':
      return event.data.elements.map(({ code }) => code);
    case 'referral_marked':
      return event.data.new_code === null ? [] : [event.data.new_code];
    default:
      return [];
  }
}

/** The keys by which events ask for parts of the states above: what must be loaded before the events are folded. */
export interface NamedKeys {
  readonly users: Set<number>;
  readonly updateIds: Set<number>;
  readonly eventKeys: Set<string>;
  /** Start payloads, of visits or as codes. */
  readonly payloads: Set<string>;
  /** Users of updates with a start payload, who may be referred. */
  readonly visitors: Set<number>;
}

export function namedKeys(): NamedKeys {
  return { users: new Set(), updateIds: new Set(), eventKeys: new Set(), payloads: new Set(), visitors: new Set() };
}

export function nameKeys({ users, updateIds, eventKeys, payloads, visitors }: NamedKeys, event: LedgerEvent): void {
  switch (event.type) {
    case 'custom_events_received':
    case 'target_events_received':
    case 'events_imported':
      for (const { user_id, event_key } of event.data.items) {
        users.add(user_id);
        if (event_key !== undefined) eventKeys.add(event_key);
      }
      return;
    case 'updates_received':
      for (const { user_id, update_id, start_param } of event.data.items) {
        users.add(user_id);
        updateIds.add(update_id);
        if (start_param === undefined) continue;
        payloads.add(start_param);
        visitors.add(user_id);
      }
      return;
    case 'users_imported':
    case 'referrals_imported':
      for (const { user_id } of event.data.items) users.add(user_id);
      return;
    default:
      for (const code of codesIn(event)) payloads.add(code);
  }
}

/** Adds the users that the event may make known: only their waiting events must be loaded. */
export function nameAppearing(appearing: Set<number>, event: LedgerEvent): void {
  switch (event.type) {
    case 'updates_received':
      for (const { user_id, makes_user } of event.data.items) if (makes_user) appearing.add(user_id);
      return;
    case 'users_imported':
    case 'events_imported':
    case 'referrals_imported':
      for (const { user_id } of event.data.items) appearing.add(user_id);
  }
}
