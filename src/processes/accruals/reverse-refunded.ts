import type { Accounts } from '../../commands/referral/accounts.ts';
import { reverseAccrual } from '../../commands/referral/accrue-rewards.ts';
import { Rejection } from '../../domain/rejection.ts';
import { within } from '../../log/port.ts';
import { accountsManifest } from '../../projections/accounts/manifest.ts';
import { servedProgress, waitForReadModels } from '../../projections/runtime/wait-for-read-models.ts';
import type { EarningsSource } from '../../queries/referral/earnings.ts';
import { accrualsOfPayment, type RefundRow } from '../../queries/referral/refunds.ts';
import type { ProcessContext } from '../process.ts';
import { isUnreadable } from '../unreadable-account.ts';

/** The reason of the reversals. */
const REFUNDED = 'the payment was refunded';

/**
 * Reverses what refunded payments earned (decisions.md#refunds). First waits until the read model `accounts` has all accruals
 * of these payments. An accrual that is reversed already stays as it is.
 * @returns false: the signal aborted before all was done
 */
export async function reverseRefunded(
  { accounts, log, pool, partitions, served }: ProcessContext,
  source: EarningsSource,
  rows: readonly RefundRow[],
  signal: AbortSignal,
  unreadable: (account: { readonly bot: string; readonly user: number }, error: Error) => void,
): Promise<boolean> {
  if (rows.length === 0) return true;
  const end = within(partitions, await log.endCursor());
  if ((await waitForReadModels([servedProgress(pool, accountsManifest, false)], end, { signal })) === null)
    return false;
  const { quarantined } = (await served(accountsManifest))!;
  for (const row of rows) {
    if (signal.aborted) return false;
    const { bot, referrer_id: userId } = row;
    if (quarantined.has(bot)) {
      unreadable({ bot, user: userId }, new Error(`the bot is quarantined in the read model ${accountsManifest.name}`));
      continue;
    }
    try {
      for (const accrualId of await accrualsOfPayment(source, row)) await reverse(accounts, { bot, userId }, accrualId);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      unreadable({ bot, user: userId }, error);
    }
  }
  return true;
}

async function reverse(
  accounts: Accounts,
  account: { readonly bot: string; readonly userId: number },
  accrualId: number,
): Promise<void> {
  try {
    await reverseAccrual(accounts, { ...account, accrualId, reason: REFUNDED });
  } catch (error) {
    // Another instance, or an operator, has reversed it since it was read.
    if (!(error instanceof Rejection && error.code === 'conflict')) throw error;
  }
}
