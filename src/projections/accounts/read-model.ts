import type { ClientBase } from 'pg';
import { categoryOf, keyOf } from '../../log/stream-name.ts';
import { findByKey } from '../batch-sql.ts';
import type { ReadCommit, ReadModel } from '../read-model.ts';
import { type AccountCommit, accountCommit, placeOf } from './account-commit.ts';
import { addAccrual, addLock, applyReversal, type Earnings, noEarnings, writeEarnings } from './accrual-rows.ts';
import { accountsManifest } from './manifest.ts';
import { applyAddress, applyPayoutEvent, applyRequest } from './payout-rows.ts';
import { ACCOUNTS_DDL, ACCOUNTS_PLACEMENT } from './tables.ts';

/** Referrers' accounts: accruals, balances, payouts and their attempts; and how often each bot has set its webhook. */
export const accountsReadModel: ReadModel = {
  ...accountsManifest,
  isolatesBots: true,
  events: [
    'reward_accrued',
    'reward_rate_locked',
    'reward_refused',
    'payout_requested',
    'payout_attempted',
    'payout_attempt_failed',
    'payout_accepted',
    'payout_paid',
    'payout_failed',
    'payout_retried',
    'payout_cancelled',
    'accrual_reversed',
    'payout_webhook_set',
  ],
  ddl: ACCOUNTS_DDL,
  placement: ACCOUNTS_PLACEMENT,
  async apply(tx, commits) {
    await findByKey(tx);
    const earnings = noEarnings();
    const heads = new Map<string, Head>();
    for (const commit of commits) {
      if (categoryOf(commit.stream) === 'webhook') {
        for (const _ of commit.events) await applyAddress(tx, keyOf(commit.stream), commit.at);
        continue;
      }
      const account = accountCommit(commit);
      for (const [index, event] of commit.events.entries())
        await applyEvent(tx, earnings, account, placeOf(account.revision, index), event);
      const at = commit.events.reduce((last, { data }) => ('at' in data ? Math.max(last, data.at) : last), 0);
      heads.set(commit.stream, { ...account, clock: Math.max(at, heads.get(commit.stream)?.clock ?? 0) });
    }
    await writeEarnings(tx, earnings);
    await writeHeads(tx, [...heads.values()]);
  },
};

type Head = AccountCommit & { readonly clock: number };

async function applyEvent(
  tx: ClientBase,
  earnings: Earnings,
  account: AccountCommit,
  place: number,
  event: ReadCommit['events'][number],
): Promise<void> {
  switch (event.type) {
    case 'reward_accrued':
      return addAccrual(earnings, account, place, event.data);
    case 'reward_rate_locked':
      return addLock(earnings, account, event.data);
    case 'payout_requested':
      await writeEarnings(tx, earnings);
      return applyRequest(tx, account, place, event.data);
    case 'accrual_reversed':
      await writeEarnings(tx, earnings);
      return applyReversal(tx, account, place, event.data);
    case 'payout_attempted':
    case 'payout_attempt_failed':
    case 'payout_accepted':
    case 'payout_paid':
    case 'payout_failed':
    case 'payout_retried':
    case 'payout_cancelled':
      return applyPayoutEvent(tx, account, place, event);
    default:
      return;
  }
}

async function writeHeads(tx: ClientBase, heads: readonly Head[]): Promise<void> {
  if (heads.length === 0) return;
  await tx.query({
    name: 'accounts.save_heads',
    text: `INSERT INTO accounts SELECT * FROM jsonb_populate_recordset(NULL::accounts, $1)
           ON CONFLICT (public_key, user_id) DO UPDATE
             SET revision = EXCLUDED.revision, clock = greatest(accounts.clock, EXCLUDED.clock)`,
    values: [JSON.stringify(heads)],
  });
}
