import type { DataOf } from '../../domain/event-type.ts';
import type { PayloadState } from '../../domain/intake/intake-fold.ts';
import type { Utm } from '../../domain/intake/utm.ts';
import type { rewardRefused } from '../../domain/referral/account-events.ts';
import type { Position } from '../../log/port.ts';
import type { BotIntake } from '../intake-state.ts';
import type { EventDraft } from './draft.ts';

/** The shapes of a batch: the bots and users that it loads, and the outcome of its fold. */

/** A bot at the current position of the log, and the additions of one batch. Settings apply to later items of the log. */
export interface Bot {
  readonly bot_id: number;
  readonly public_key: string;
  readonly owner_id: number;
  readonly intake: BotIntake;
  readonly payloads: PayloadState;
  /** The bot's own units, by code. */
  readonly units: Map<string, Unit>;
  /** The rules of the referral program, by id. */
  readonly rules: Map<number, RuleName>;
  readonly properties: PropertyNames;
  utmCount: number;
  /** How many users the bot knows. */
  userCount: number;
  /** The transaction that wrote the bot's row last; null: there is no row yet. */
  readonly writer: string | null;
  /** The date of its last archived event; null: none is archived. */
  readonly archivedUntil: number | null;
  /** UTM combinations of the batch's visits, by their text. The id is set before rows are written. */
  readonly utms: Map<string, UtmUse>;
  readonly users: Map<number, User>;
  /** Charges of payments that the batch names, by the platform's id. */
  readonly charges: Map<string, Charge>;
}

/** A unit of the bot, and since when its code is known. */
export interface Unit {
  /** Decimals of a normal unit. */
  readonly scale: number;
  /** `ord` and receipt of its creation. Both are 0 if the code is also a currency's and so was known before. */
  readonly ord: number;
  readonly at: number;
}

export interface UtmUse {
  readonly utm: Utm;
  id: number;
}

export interface User {
  readonly bot: Bot;
  readonly user_id: number;
  /** Index among the bot's known users; -1: unknown user. */
  idx: number;
  /** The user's last event in the table; null: none. */
  readonly tail: Tail | null;
  /** Events that wait for the user. */
  readonly pending: EventDraft[];
  /** Events and visits that the batch adds. */
  readonly events: EventDraft[];
  readonly visits: Visit[];
}

export interface Tail {
  readonly date: number;
  readonly ord: number;
  readonly session: number;
  readonly utm_id: number | null;
  readonly user_idx: number;
}

interface Visit {
  readonly date: number;
  readonly ord: number;
  readonly commit_id: string;
  readonly idx: number;
  readonly code: string;
  readonly utm: UtmUse | null;
  readonly first_seen: boolean;
}

/** The fields of a reward rule that this read model uses. */
export interface RuleName {
  readonly name: string;
  /** The event id that triggers it. */
  readonly trigger: number;
}

/** The property names of a bot that occur in a batch. */
export interface PropertyNames {
  readonly known: Set<string>;
  /** The names that the batch adds. */
  readonly added: string[];
  /** How many property names the bot has in total. */
  count: number;
}

/** Identifies the event of a payment. */
interface Payment {
  readonly user_id: number;
  /** Receipt, ms UTC. */
  readonly received: number;
  readonly commit_id: string;
  readonly idx: number;
}

interface Charge {
  /** Null: only the refund has arrived. */
  payment: Payment | null;
  refunded: boolean;
  changed: boolean;
}

/** The changes of a batch, except its events and visits: those are in `Bot.users`. */
export interface Outcome {
  readonly bots: Map<string, Bot>;
  readonly newUsers: { readonly user: User; readonly since: number }[];
  readonly eventTypes: EventTypeRow[];
  readonly eventKeys: { readonly bot: Bot; readonly event_key: string }[];
  /** Errors that the batch opens, by event. */
  readonly errors: Map<EventDraft, UnknownUserError>;
  readonly propertyErrors: PropertyError[];
  /** Events that wait since an earlier batch and count from now on. */
  readonly released: { readonly event: EventDraft; readonly at: number }[];
  /** New units. Events with their codes need revaluation. */
  readonly newUnits: NewUnit[];
  readonly rewardable: Rewardable[];
  readonly refusals: Refusal[];
  readonly refundedPayments: RefundedPayment[];
}

export interface UnknownUserError {
  readonly event: EventDraft;
  /** All properties as sent, as JSON text; null: none. */
  readonly sent: string | null;
  /** Whether the event counts if its user appears. */
  readonly waits: boolean;
  resolved_at: number | null;
}

/** An event with properties whose names are beyond the bot's limit. */
export interface PropertyError {
  readonly event: EventDraft;
  /** All properties as sent, as JSON text. */
  readonly sent: string;
  readonly beyond: readonly string[];
}

export interface EventTypeRow {
  readonly bot_id: number;
  readonly event_id: number;
  readonly kind: 'system' | 'target' | 'custom';
  readonly name: string;
  readonly target_id: number | null;
}

/** A new unit of a bot. */
export interface NewUnit {
  readonly bot_id: number;
  readonly unit: string;
  /** Receipt of its creation. */
  readonly at: number;
}

export interface Rewardable {
  readonly event: EventDraft;
  /** In normal units, converted by the bot's units at this position. */
  readonly value: string | null;
  readonly position: Position;
  readonly trace: string | undefined;
}

/** An event that earned nothing by a rule. It becomes a bot error if a unit or an exchange rate is missing. */
export interface Refusal {
  readonly bot_id: number;
  /** The commit of the refusal. It identifies the error. */
  readonly commit_id: string;
  readonly idx: number;
  readonly at: number;
  readonly refused: DataOf<typeof rewardRefused>;
  /** The rule's name at that time. */
  readonly rule: string;
}

export interface RefundedPayment extends Payment {
  readonly bot_id: number;
  readonly position: Position;
}
