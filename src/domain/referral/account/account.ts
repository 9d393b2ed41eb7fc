import Big from 'big.js';
import { decider } from '../../decider.ts';
import type { DataOf } from '../../event-type.ts';
import type * as events from '../account-events.ts';
import { earningKey } from './earned.ts';
import { evolvePayout, takeOver } from './payout-state.ts';
import {
  type AccountEvent,
  type AccountState,
  type Accrual,
  accountEvents,
  accountTime,
  initialState,
  type UnitState,
  unitOf,
} from './state.ts';

/** Stream `account-<bot>/<user id>`: a referrer's account. */
export const account = decider(accountEvents, initialState, evolve);

/** The weight of a payout's event in accruals: a closing has the whole payout again. */
const PAYOUT_WEIGHT = 10;
/** The weight of the reversal of an accrual in a closed block: each fold of it reads that block again. */
const RECALL_WEIGHT = 2000;

function evolve(state: AccountState, event: AccountEvent): AccountState {
  state.clock = accountTime(state, event.data.at);
  state.open.weight++;
  switch (event.type) {
    case 'reward_accrued': {
      const { accrual_id, rule_id, amount, unit_id, available_at } = event.data;
      state.open.earned.add(earningKey(rule_id, event.data.event));
      addAccrual(state, accrual_id, { amount, unit_id, available_at, compensates: null });
      return state;
    }
    case 'reward_rate_locked':
      state.locks.set(event.data.rule_id, event.data);
      return state;
    case 'reward_refused':
      state.open.earned.add(earningKey(event.data.rule_id, event.data.event));
      return state;
    case 'payout_requested':
      for (const { payout_id, amount, unit_id } of event.data.payouts) {
        const { method, initiated_by, at } = event.data;
        const unit = unitOf(state, unit_id);
        confirm(state, unit);
        takeOver(state, unit, { payout_id, unit_id, amount, method, initiated_by, requested_at: at });
        state.open.weight += PAYOUT_WEIGHT;
      }
      return state;
    case 'accrual_reversed':
      reverse(state, event.data);
      return state;
    default: {
      const payout = state.payouts.get(event.data.payout_id)!;
      evolvePayout(state, unitOf(state, payout.unit_id), payout, event);
      state.open.weight += PAYOUT_WEIGHT;
      return state;
    }
  }
}

function addAccrual(state: AccountState, accrualId: number, given: Omit<Accrual, 'number'>): void {
  const { amount, unit_id, available_at, compensates } = given;
  state.count++;
  state.open.accruals.set(accrualId, { amount, unit_id, available_at, compensates, number: state.count });
  const unit = unitOf(state, unit_id);
  if (available_at > state.clock) {
    unit.holds.add({ time: available_at, amount });
    unit.held = unit.held.plus(amount);
  } else unit.confirmed = unit.confirmed.plus(amount);
}

function reverse(state: AccountState, reversed: DataOf<typeof events.accrualReversed>): void {
  const { accrual_id, compensation_id, at } = reversed;
  const accrual = state.open.accruals.get(accrual_id) ?? recalled(state, accrual_id);
  const { amount, unit_id, available_at } = accrual;
  state.open.reversed.push(accrual_id);
  state.reversals.set(accrual_id, compensation_id === null ? 'cancelled' : 'reversed');
  if (compensation_id !== null) {
    addAccrual(state, compensation_id, { amount: negated(amount), unit_id, available_at: at, compensates: accrual_id });
    return;
  }
  const unit = unitOf(state, unit_id);
  confirm(state, unit);
  if (available_at > state.clock) {
    unit.holds.add({ time: available_at, amount: negated(amount) });
    unit.held = unit.held.minus(amount);
  } else unit.confirmed = unit.confirmed.minus(amount);
}

function recalled(state: AccountState, accrualId: number): Accrual {
  const accrual = state.recalled.get(accrualId);
  if (accrual === undefined) throw new Error(`accrual ${accrualId} of a reversal is not in the account`);
  state.open.weight += RECALL_WEIGHT;
  return accrual;
}

export const negated = (decimal: string): string => new Big(decimal).times(-1).toFixed();

/** Confirms the accruals of the unit whose hold has ended. */
export function confirm({ clock }: AccountState, unit: UnitState): void {
  const passed = unit.holds.take(clock);
  unit.held = unit.held.minus(passed);
  unit.confirmed = unit.confirmed.plus(passed);
}

/** The balance of one unit. The four amounts add up to the sum of all accruals that are not cancelled. */
interface Balance {
  /** May be paid out. Below zero only after a reversal. */
  readonly available: Big;
  /** Sum of the payouts that are neither paid nor cancelled. */
  readonly reserved: Big;
  readonly paid: Big;
  readonly on_hold: Big;
}

/** By unit id; `now` milliseconds UTC. */
export function balances(state: AccountState, now: number): Map<number | null, Balance> {
  const time = accountTime(state, now);
  return new Map([...state.units].map(([unitId, unit]) => [unitId, balanceOf(unit, time)]));
}

function balanceOf({ confirmed, held, holds, reserved, paid }: UnitState, time: number): Balance {
  const passed = holds.passed(time);
  return {
    available: confirmed.plus(passed).minus(reserved).minus(paid),
    reserved,
    paid,
    on_hold: held.minus(passed),
  };
}
