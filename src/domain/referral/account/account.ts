import Big from 'big.js';
import { decider } from '../../decider.ts';
import type { DataOf, EventOf } from '../../event-type.ts';
import * as events from '../account-events.ts';
import { Accruals, type Claim, type NewAccrual } from './accruals.ts';
import { Column } from './column.ts';
import { Earned } from './earned.ts';
import { Holds } from './holds.ts';

/**
 * Stream `account-<bot>/<user id>`: a referrer's account. The fold changes its state in place, since an account may have a
 * million accruals. Times are in the events, so the fold gives the same holds whenever it runs.
 */

export type RateLock = DataOf<typeof events.rewardRateLocked>;
export type PayoutMethod = DataOf<typeof events.payoutRequested>['method'];
export type PayoutInitiator = DataOf<typeof events.payoutRequested>['initiated_by'];

/** interface.md leaves the numbers open; decisions.md#payout-states gives them. */
export const PAYOUT_STATUS = { created: 0, processing: 1, paid: 2, failed: 3, cancelled: 4 } as const;
type PayoutStatus = (typeof PAYOUT_STATUS)[keyof typeof PAYOUT_STATUS];

export interface Payout {
  readonly payout_id: number;
  readonly unit_id: number | null;
  readonly amount: string;
  readonly method: PayoutMethod;
  readonly initiated_by: PayoutInitiator;
  readonly requested_at: number;
  readonly claims: Claim[];
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

export interface UnitState {
  /** Sums of the accruals that are not cancelled, split by whether they were on hold at the last event of the unit. */
  confirmed: Big;
  held: Big;
  /** Rows of accruals. */
  readonly holds: Holds;
  /** Sum of the payouts that are neither paid nor cancelled. */
  reserved: Big;
  paid: Big;
  /** Rows of the accruals that are confirmed and were never claimed. */
  readonly unclaimed: Column<Uint32Array>;
  /** Claims of payouts that were cancelled; the next payout takes them. */
  free: Claim[];
}

export interface AccountState {
  /** Time of the last event. */
  clock: number;
  readonly accruals: Accruals;
  /** Pairs of rule and event that have earned a reward or were refused one. */
  readonly earned: Earned;
  /** By rule. */
  readonly locks: Map<number, RateLock>;
  readonly payouts: Map<number, Payout>;
  /** By unit id. */
  readonly units: Map<number | null, UnitState>;
}

export type AccountEvent = EventOf<
  | typeof events.rewardAccrued
  | typeof events.rewardRateLocked
  | typeof events.rewardRefused
  | typeof events.payoutRequested
  | typeof events.payoutAttempted
  | typeof events.payoutAttemptFailed
  | typeof events.payoutAccepted
  | typeof events.payoutPaid
  | typeof events.payoutFailed
  | typeof events.payoutRetried
  | typeof events.payoutCancelled
  | typeof events.accrualReversed
>;

export const account = decider(
  [
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
  ],
  (): AccountState => ({
    clock: 0,
    accruals: new Accruals(),
    earned: new Earned(),
    locks: new Map(),
    payouts: new Map(),
    units: new Map(),
  }),
  evolve,
);

/**
 * The time that decisions on an account use. A clock that is behind another writer's does not restore a hold that has ended
 * before.
 */
export function accountTime(state: AccountState, now: number): number {
  return Math.max(state.clock, now);
}

function evolve(state: AccountState, event: AccountEvent): AccountState {
  state.clock = accountTime(state, event.data.at);
  switch (event.type) {
    case 'reward_accrued': {
      const { accrual_id, rule_id, amount, unit_id, available_at } = event.data;
      state.earned.add(rule_id, event.data.event);
      addAccrual(state, accrual_id, { amount, unit_id, available_at, compensates: null });
      return state;
    }
    case 'reward_rate_locked':
      state.locks.set(event.data.rule_id, event.data);
      return state;
    case 'reward_refused':
      state.earned.add(event.data.rule_id, event.data.event);
      return state;
    case 'payout_requested':
      for (const { payout_id, amount, unit_id } of event.data.payouts) {
        const { method, initiated_by, at } = event.data;
        const unit = unitOf(state, unit_id);
        const claims = claim(state, unit, payout_id);
        const order = { payout_id, unit_id, amount, method, initiated_by, requested_at: at, claims };
        const attempts = {
          attempts: 0,
          unsent: 0,
          attempt: null,
          asked_at: at,
          failures: 0,
          attempted_at: null,
          address: null,
          next_at: null,
        };
        state.payouts.set(payout_id, { ...order, status: 0, ...attempts, processed_at: null, error: null });
        unit.reserved = unit.reserved.plus(amount);
      }
      return state;
    case 'accrual_reversed':
      reverse(state, event.data);
      return state;
    default:
      evolvePayout(state, state.payouts.get(event.data.payout_id)!, event);
      return state;
  }
}

type PayoutEvent = Extract<AccountEvent, { readonly data: { readonly payout_id: number } }>;

function evolvePayout(state: AccountState, payout: Payout, event: PayoutEvent): void {
  const unit = unitOf(state, payout.unit_id);
  switch (event.type) {
    case 'payout_attempted':
      payout.status = PAYOUT_STATUS.processing;
      payout.attempts = event.data.attempt;
      payout.attempt = 'open';
      payout.attempted_at = event.data.at;
      // The retry delays belong to an address: a new address begins with the first.
      if (payout.address !== null && payout.address !== event.data.address) payout.failures = 0;
      payout.address = event.data.address;
      return;
    case 'payout_attempt_failed':
      payout.attempt = 'failed';
      payout.error = event.data.error;
      payout.failures++;
      if (!event.data.sent) payout.unsent++;
      payout.next_at = event.data.next_at;
      return;
    case 'payout_accepted':
      payout.attempt = 'accepted';
      payout.error = null;
      return;
    case 'payout_failed':
      payout.status = PAYOUT_STATUS.failed;
      payout.attempt = null;
      payout.error = event.data.error;
      return;
    case 'payout_retried':
      payout.status = PAYOUT_STATUS.created;
      payout.error = null;
      payout.attempt = null;
      payout.asked_at = event.data.at;
      payout.next_at = event.data.at;
      payout.failures = 0;
      return;
    case 'payout_paid':
      payout.status = PAYOUT_STATUS.paid;
      payout.attempt = null;
      payout.error = null;
      payout.processed_at = event.data.at;
      unit.reserved = unit.reserved.minus(payout.amount);
      unit.paid = unit.paid.plus(payout.amount);
      return;
    case 'payout_cancelled':
      payout.status = PAYOUT_STATUS.cancelled;
      payout.processed_at = event.data.at;
      unit.reserved = unit.reserved.minus(payout.amount);
      for (const each of payout.claims.splice(0)) {
        state.accruals.moveClaim(each, null);
        unit.free.push(each);
      }
      return;
  }
}

function addAccrual(state: AccountState, accrualId: number, accrual: NewAccrual): void {
  const row = state.accruals.add(accrualId, accrual);
  const unit = unitOf(state, accrual.unit_id);
  if (accrual.available_at > state.clock) {
    unit.holds.add(row);
    unit.held = unit.held.plus(accrual.amount);
  } else {
    unit.unclaimed.push(row);
    unit.confirmed = unit.confirmed.plus(accrual.amount);
  }
}

function reverse(state: AccountState, reversed: DataOf<typeof events.accrualReversed>): void {
  const row = state.accruals.rowOf(reversed.accrual_id)!;
  const { amount, unit_id, available_at } = state.accruals.at(row);
  if (reversed.compensation_id !== null) {
    state.accruals.setState(row, 'reversed');
    const compensation = { amount: negated(amount), unit_id, available_at: reversed.at };
    addAccrual(state, reversed.compensation_id, { ...compensation, compensates: reversed.accrual_id });
    return;
  }
  const unit = unitOf(state, unit_id);
  confirm(state, unit);
  state.accruals.setState(row, 'cancelled');
  if (available_at > state.clock) unit.held = unit.held.minus(amount);
  else unit.confirmed = unit.confirmed.minus(amount);
}

export const negated = (decimal: string): string => new Big(decimal).times(-1).toFixed();

/** Confirms the accruals of the unit whose hold has ended. */
function confirm({ accruals, clock }: AccountState, unit: UnitState): void {
  const passed = unit.holds.take(clock).filter((row) => accruals.stateAt(row) !== 'cancelled');
  const sum = accruals.sum(passed);
  unit.held = unit.held.minus(sum);
  unit.confirmed = unit.confirmed.plus(sum);
  for (const row of passed) unit.unclaimed.push(row);
}

/** Gives a payout all accruals that are confirmed and unclaimed. */
function claim(state: AccountState, unit: UnitState, payoutId: number): Claim[] {
  confirm(state, unit);
  const claims = [state.accruals.claim(unit.unclaimed, payoutId), ...unit.free];
  for (const each of unit.free) state.accruals.moveClaim(each, payoutId);
  unit.unclaimed.clear();
  unit.free = [];
  return claims;
}

const ZERO = new Big(0);

function unitOf(state: AccountState, unitId: number | null): UnitState {
  const known = state.units.get(unitId);
  if (known !== undefined) return known;
  const unit: UnitState = {
    confirmed: ZERO,
    held: ZERO,
    holds: new Holds((row) => state.accruals.availableAt(row)),
    reserved: ZERO,
    paid: ZERO,
    unclaimed: new Column(new Uint32Array(0)),
    free: [],
  };
  state.units.set(unitId, unit);
  return unit;
}
