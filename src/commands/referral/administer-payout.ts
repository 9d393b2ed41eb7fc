import { cancelPayout, confirmPayout, failPayout, retryPayout } from '../../domain/referral/account/payout.ts';
import type { CommandResult } from '../decide-and-append.ts';
import type { AccountKey, Accounts } from './accounts.ts';

/** What an administrator can do to a payout. */
export const PAYOUT_ACTIONS = ['confirm', 'fail', 'retry', 'cancel'] as const;
export type PayoutAction = (typeof PAYOUT_ACTIONS)[number];

const DECISIONS = { confirm: confirmPayout, fail: failPayout, retry: retryPayout, cancel: cancelPayout };

export interface AdministerPayout extends AccountKey {
  readonly payoutId: number;
  readonly action: PayoutAction;
  /** Of a cancellation: even though the client may have paid. */
  readonly force: boolean;
}

/** @throws Rejection not_found, or conflict: not in the state that it is in */
export function administerPayout(
  accounts: Accounts,
  { payoutId: payout_id, action, force, ...key }: AdministerPayout,
): Promise<CommandResult<unknown>> {
  return accounts.change(key, {
    decide: (state, now) => DECISIONS[action](state, { payout_id, force }, now),
  });
}
