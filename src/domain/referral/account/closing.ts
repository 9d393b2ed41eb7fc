import Big from 'big.js';
import type { DataOf } from '../../event-type.ts';
import type { booksClosed } from '../books-events.ts';
import { confirm } from './account.ts';
import { hashOf, packHashes } from './earned.ts';
import { type AccountState, newOpenBlock, PAYOUT_STATUS, type Payout, unitOf } from './state.ts';

/** The closings of an account's books: a decision folds from the last one instead of the commits before. */

export type Closing = DataOf<typeof booksClosed>;

/**
 * The books are closed after the commit with which the open block reaches this weight. To fold so many accruals takes
 * about 60 ms: of every first decision, and of one that asks a closed block.
 */
export const BLOCK_WEIGHT = 10_000;

/**
 * Closes the open block of an account. Decisions on the state stay the same.
 * @param last the last commit that was folded
 */
export function closeBooks(state: AccountState, last: { readonly revision: number; readonly hash: string }): Closing {
  for (const unit of state.units.values()) confirm(state, unit);
  const { accruals, earned, payouts, reversed } = state.open;
  const closing: Closing = {
    revision: last.revision,
    hash: last.hash,
    at: state.clock,
    count: state.count,
    units: [...state.units].map(([unit_id, { confirmed, held, reserved, paid }]) => ({
      unit_id,
      confirmed: confirmed.toFixed(),
      held: held.toFixed(),
      reserved: reserved.toFixed(),
      paid: paid.toFixed(),
    })),
    locks: [...state.locks.values()],
    ids: rangeOf(accruals.keys()),
    earned: packHashes([...earned].map(hashOf)).toString('base64'),
    holds: holdsOf(state),
    payouts: [...payouts].map((payout_id): Payout => ({ ...state.payouts.get(payout_id)! })),
    cancelled: reversed.filter((accrual) => state.reversals.get(accrual) === 'cancelled'),
    reversed: reversed.filter((accrual) => state.reversals.get(accrual) === 'reversed'),
  };
  applyClosing(state, closing);
  return closing;
}

/**
 * The state after a closing. `state` is the state after all closings before it, or the fold of the commits that it
 * closes.
 */
export function applyClosing(state: AccountState, closing: Closing): void {
  const before = state.closed.at(-1);
  const earned = Buffer.from(closing.earned, 'base64');
  state.closedPairs.add(earned);
  state.closed.push({
    after: before?.last ?? { revision: 0, hash: '' },
    last: { revision: closing.revision, hash: closing.hash },
    count: state.count - state.open.accruals.size,
    ids: closing.ids,
    earned,
  });
  state.open = newOpenBlock();
  state.clock = closing.at;
  state.count = closing.count;
  for (const lock of closing.locks) state.locks.set(lock.rule_id, lock);
  for (const accrual of closing.cancelled) state.reversals.set(accrual, 'cancelled');
  for (const accrual of closing.reversed) state.reversals.set(accrual, 'reversed');
  for (const { unit_id, confirmed, held, reserved, paid } of closing.units) {
    const sums = {
      confirmed: new Big(confirmed),
      held: new Big(held),
      reserved: new Big(reserved),
      paid: new Big(paid),
    };
    const unit = Object.assign(unitOf(state, unit_id), sums);
    const added = closing.holds.find((each) => each.unit_id === unit_id);
    unit.holds.close(closing.at, timesOf(added?.times ?? []), added?.amounts ?? []);
  }
  for (const payout of closing.payouts) {
    state.payouts.set(payout.payout_id, { ...payout });
    const { freed } = unitOf(state, payout.unit_id);
    if (payout.status === PAYOUT_STATUS.cancelled && payout.taken_over_by === null) freed.add(payout.payout_id);
    else freed.delete(payout.payout_id);
  }
}

function rangeOf(ids: Iterable<number>): [number, number] | null {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, 0];
  for (const id of ids) {
    lowest = Math.min(lowest, id);
    highest = Math.max(highest, id);
  }
  return highest === 0 ? null : [lowest, highest];
}

function holdsOf({ units }: AccountState): Closing['holds'] {
  return [...units].flatMap(([unit_id, { holds }]) => {
    const sums = holds.openSums();
    if (sums.length === 0) return [];
    const times = sums.map(({ time }, index) => time - (index === 0 ? 0 : sums[index - 1]!.time));
    return [{ unit_id, times, amounts: sums.map(({ amount }) => amount) }];
  });
}

/** The ends of holds, from their differences. */
function timesOf(differences: readonly number[]): number[] {
  let time = 0;
  return differences.map((difference) => {
    time += difference;
    return time;
  });
}
