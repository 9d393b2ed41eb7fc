import type { Decision } from '../../decider.ts';
import { Rejection } from '../../rejection.ts';
import { type AccountEvent, type AccountState, type Accrual, accountTime, PAYOUT_STATUS } from './account.ts';

export interface ReverseAccrual {
  readonly accrual_id: number;
  readonly reason: string | null;
  /** Taken where {@link isCompensated}. */
  readonly compensation_id?: number | undefined;
}

/** Whether a payout that claimed it was paid. */
export function isPaid(state: AccountState, { claim }: Accrual): boolean {
  const payoutId = claim?.payout_id ?? null;
  return payoutId !== null && state.payouts.get(payoutId)?.status === PAYOUT_STATUS.paid;
}

/** Whether a reversal of it makes a compensation; one that is refused makes none. */
export function isCompensated(state: AccountState, accrualId: number): boolean {
  const accrual = state.accruals.get(accrualId);
  if (accrual === undefined || accrual.compensates !== null || accrual.state !== 'live') return false;
  return isPaid(state, accrual);
}

/** Cancels what was not paid; makes good what was by an accrual of the opposite amount. A payout stays what it is. */
export function reverseAccrual(state: AccountState, command: ReverseAccrual, now: number): Decision<AccountEvent> {
  const { accrual_id, reason, compensation_id } = command;
  const accrual = state.accruals.get(accrual_id);
  if (accrual === undefined) return new Rejection('not_found', 'accrual_id', `there is no accrual ${accrual_id}`);
  const refused = (why: string): Rejection => new Rejection('conflict', 'accrual_id', `accrual ${accrual_id} ${why}`);
  if (accrual.compensates !== null) return refused('is a compensation');
  if (accrual.state !== 'live') return refused(`is ${accrual.state} already`);
  const paid = isPaid(state, accrual);
  const data = { accrual_id, reason, compensation_id: paid ? compensation_id! : null, at: accountTime(state, now) };
  return [{ type: 'accrual_reversed', data }];
}
