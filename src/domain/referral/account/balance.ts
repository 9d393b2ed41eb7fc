import type Big from 'big.js';
import { type AccountState, accountTime, type UnitState } from './state.ts';

/** The balance of one unit. The four amounts add up to the sum of all accruals that are not cancelled. */
export interface Balance {
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
