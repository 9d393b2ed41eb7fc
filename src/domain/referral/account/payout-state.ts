import {
  type AccountEvent,
  type AccountState,
  type Accrual,
  PAYOUT_STATUS,
  type Payout,
  type RequestedPayout,
  type UnitState,
} from './state.ts';

/** The payouts of an account, and which of them has an accrual. */

/**
 * Adds a payout. It gets all confirmed accruals of its unit that no payout has: accruals that were never claimed, and
 * accruals of cancelled payouts.
 */
export function takeOver(state: AccountState, unit: UnitState, requested: RequestedPayout): void {
  const { payout_id, amount, requested_at } = requested;
  for (const freed of unit.freed) {
    state.payouts.get(freed)!.taken_over_by = payout_id;
    state.open.payouts.add(freed);
  }
  unit.freed.clear();
  unit.reserved = unit.reserved.plus(amount);
  state.open.payouts.add(payout_id);
  state.payouts.set(payout_id, {
    ...requested,
    count: state.count,
    taken_over_by: null,
    status: PAYOUT_STATUS.created,
    attempts: 0,
    unsent: 0,
    attempt: null,
    asked_at: requested_at,
    failures: 0,
    attempted_at: null,
    address: null,
    next_at: null,
    processed_at: null,
    error: null,
  });
}

/**
 * The payout that has an accrual now; null: none. It is the first one that was requested when the accrual was
 * confirmed, or the last payout that took over from it.
 */
export function payoutOf({ payouts }: AccountState, { number, unit_id, available_at }: Accrual): Payout | null {
  let payout: Payout | undefined;
  for (const each of payouts.values())
    if (each.unit_id === unit_id && each.count >= number && each.requested_at >= available_at) {
      payout = each;
      break;
    }
  while (payout?.status === PAYOUT_STATUS.cancelled)
    payout = payout.taken_over_by === null ? undefined : payouts.get(payout.taken_over_by);
  return payout ?? null;
}

type PayoutEvent = Extract<AccountEvent, { readonly data: { readonly payout_id: number } }>;

export function evolvePayout(state: AccountState, unit: UnitState, payout: Payout, event: PayoutEvent): void {
  state.open.payouts.add(payout.payout_id);
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
      unit.freed.add(payout.payout_id);
      return;
  }
}
