import { isCompensated, reverseAccrual as reverse } from '../../domain/referral/account/reverse.ts';
import type { CommandMeta, CommandResult } from '../decide-and-append.ts';
import type { AccountKey, Accounts } from './accounts.ts';

export interface ReverseAccrual extends AccountKey {
  readonly accrualId: number;
  readonly reason: string | null;
}

/** @throws Rejection not_found: not of this account; conflict: it cannot be reversed (again) */
export function reverseAccrual(
  accounts: Accounts,
  { accrualId, reason, ...key }: ReverseAccrual,
  meta: CommandMeta = {},
): Promise<CommandResult<unknown>> {
  return accounts.change(
    key,
    {
      needs: { kind: 'accrual', count: (state) => (isCompensated(state, accrualId) ? 1 : 0) },
      decide: (state, now, [compensation_id]) =>
        reverse(state, { accrual_id: accrualId, reason, compensation_id }, now),
    },
    meta,
  );
}
