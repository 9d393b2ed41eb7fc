import Big from 'big.js';
import type { DataOf, EventOf } from '../../event-type.ts';
import * as events from '../account-events.ts';
import { ClosedPairs } from './earned.ts';
import { Holds } from './holds.ts';

export const accountEvents = [
  events.rewardAccrued,
  events.rewardRateLocked,
  events.rewardRefused,
  events.payoutRequested,
  events.payoutAttempted,
  events.payoutAttemptFailed,
  events.payoutAccepted,
  events.payoutPaid,
  events.payoutFailed,
  events.payoutRetried,
  events.payoutCancelled,
  events.accrualReversed,
] as const;

export type AccountEvent = EventOf<(typeof accountEvents)[number]>;

/**
 * The state of stream `account-<bot>/<user id>`: a referrer's account. The fold changes it in place, since an account may have
 * a million accruals. Times are in the events, so the fold gives the same holds whenever it runs.
 *
 * The state has all entries after the last closing of the books (closing.ts). Of the closed blocks it has sums, open items and
 * hashes. A decision that needs more of a closed block reads the block from the log (recall.ts).
 */

export type RateLock = DataOf<typeof events.rewardRateLocked>;

export type PayoutMethod = DataOf<typeof events.payoutRequested>['method'];
export type PayoutInitiator = DataOf<typeof events.payoutRequested>['initiated_by'];

/** interface.md leaves the numbers open; decisions.md#payout-states gives them. */
export const PAYOUT_STATUS = { created: 0, processing: 1, paid: 2, failed: 3, cancelled: 4 } as const;
type PayoutStatus = (typeof PAYOUT_STATUS)[keyof typeof PAYOUT_STATUS];

export interface RequestedPayout {
  readonly payout_id: number;
  readonly unit_id: number | null;
  readonly amount: string;
  readonly method: PayoutMethod;
  readonly initiated_by: PayoutInitiator;
  readonly requested_at: number;
}

export interface Payout extends RequestedPayout {
  /** Number of the account's accruals at its request. */
  readonly count: number;
  /** The payout that took over its accruals after it was cancelled. */
  taken_over_by: number | null;
  status: PayoutStatus;
  /** Number of attempts over the payout's whole life. */
  attempts: number;
  /** Number of attempts that certainly did not reach the client. */
  unsent: number;
  /** State of the last attempt while the status is 1. */
  attempt: 'open' | 'failed' | 'accepted' | null;
  /** Time of the request or of the last retry. */
  asked_at: number;
  /** Attempts that have failed since `asked_at`. */
  failures: number;
  /** Time when the last attempt began. */
  attempted_at: number | null;
  /** Number of the bot's address that the last attempt called, from 1; null: it was not recorded. */
  address: number | null;
  /** Time of the next attempt after a failed one or a retry. */
  next_at: number | null;
  processed_at: number | null;
  /** Why the last attempt, or the payout, failed. */
  error: string | null;
}

export interface Accrual {
  /** Decimal text; negative for a compensation. */
  readonly amount: string;
  readonly unit_id: number | null;
  readonly available_at: number;
  /** The accrual that this one compensates. */
  readonly compensates: number | null;
  /** Its place among the account's accruals, from 1. */
  readonly number: number;
}

export interface UnitState {
  /** Sums of the accruals that are not cancelled, split by whether they were on hold at the last event of the unit. */
  confirmed: Big;
  held: Big;
  readonly holds: Holds;
  /** Sum of the payouts that are neither paid nor cancelled. */
  reserved: Big;
  paid: Big;
  /** Cancelled payouts whose accruals the next payout takes over. */
  readonly freed: Set<number>;
}

/** A cancelled accrual counts nowhere. A reversed one counts, and so does its compensation. */
type Reversal = 'cancelled' | 'reversed';

/** The part of the account after the last closing. */
export interface OpenBlock {
  /** By id. */
  readonly accruals: Map<number, Accrual>;
  /** Keys of the pairs of rule and event that have earned a reward or were refused one. */
  readonly earned: Set<string>;
  /** Payouts that were requested or have changed. */
  readonly payouts: Set<number>;
  /** Accruals that were reversed. */
  readonly reversed: number[];
  /** How much there is to read again, in accruals. */
  weight: number;
}

/** A block of commits that is closed. */
export interface ClosedBlock {
  /** The commit before its first one, and its last one. */
  readonly after: { readonly revision: number; readonly hash: string };
  readonly last: { readonly revision: number; readonly hash: string };
  /** Number of the account's accruals before it. */
  readonly count: number;
  /** The lowest and the highest id of its accruals; null: it has none. */
  readonly ids: readonly [number, number] | null;
  /** Hashes of the pairs of rule and event that it decided on (earned.ts). */
  readonly earned: Buffer;
}

export interface AccountState {
  /** Time of the last event. */
  clock: number;
  /** Number of accruals, compensations included. */
  count: number;
  open: OpenBlock;
  readonly closed: ClosedBlock[];
  readonly closedPairs: ClosedPairs;
  /** By accrual. */
  readonly reversals: Map<number, Reversal>;
  /** By rule. */
  readonly locks: Map<number, RateLock>;
  readonly payouts: Map<number, Payout>;
  /** By unit id. */
  readonly units: Map<number | null, UnitState>;
  /** Accruals of closed blocks, by id, that the next commit reverses. They are read before that commit is folded. */
  readonly recalled: Map<number, Accrual>;
}

export const newOpenBlock = (): OpenBlock => ({
  accruals: new Map(),
  earned: new Set(),
  payouts: new Set(),
  reversed: [],
  weight: 0,
});

export const initialState = (): AccountState => ({
  clock: 0,
  count: 0,
  open: newOpenBlock(),
  closed: [],
  closedPairs: new ClosedPairs(),
  reversals: new Map(),
  locks: new Map(),
  payouts: new Map(),
  units: new Map(),
  recalled: new Map(),
});

/**
 * The time that decisions on an account use. A clock that is behind another writer's does not restore a hold that has ended
 * before.
 */
export function accountTime(state: AccountState, now: number): number {
  return Math.max(state.clock, now);
}

export function unitOf(state: AccountState, unitId: number | null): UnitState {
  const known = state.units.get(unitId);
  if (known !== undefined) return known;
  const zero = new Big(0);
  const unit = {
    confirmed: zero,
    held: zero,
    holds: new Holds(),
    reserved: zero,
    paid: zero,
    freed: new Set<number>(),
  };
  state.units.set(unitId, unit);
  return unit;
}
