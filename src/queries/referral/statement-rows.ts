import type pg from 'pg';
import { cursorRows, type TextRow } from '../../database/cursor-rows.ts';
import type { HistoryRow } from '../../domain/referral/account/history.ts';
import type { AccountName } from './account-source.ts';
import { historySelect } from './history-rows.ts';

/** The reason of an accrual. */
export interface AccrualCause {
  /** The event that earned it; null: a compensation. */
  readonly commit_id: string | null;
  readonly index: number | null;
  /** The user whose event it was. */
  readonly user_id: number;
  readonly rule_id: number;
  /** The accrual that a compensation makes good. */
  readonly compensates: number | null;
}

/** A row of an account's history, with the cause of its accrual; null: the row has no accrual. */
export interface StatementRow extends HistoryRow {
  readonly cause: AccrualCause | null;
}

/** The number of the account's commits, and the time of the last one; null: the read model does not know the account. */
export async function findAccount(
  tx: pg.ClientBase,
  accounts: string,
  { bot, userId }: AccountName,
): Promise<{ readonly revision: number; readonly clock: number } | null> {
  const { rows } = await tx.query<{ revision: number; clock: number }>(
    `SELECT revision::float8, clock::float8 FROM ${accounts}.accounts WHERE public_key = $1 AND user_id = $2`,
    [bot, userId],
  );
  return rows[0] ?? null;
}

/**
 * Reads the history of an account from `from` to `until`, milliseconds UTC, both included, the oldest row first, in the
 * transaction that the caller has begun. It needs the memory of one page.
 */
export async function* statementRows(
  tx: pg.ClientBase,
  {
    accounts,
    account,
    pageRows,
  }: { readonly accounts: string; readonly account: AccountName; readonly pageRows: number },
  { from, until }: { readonly from: number; readonly until: number },
): AsyncGenerator<readonly StatementRow[]> {
  const cause = `, (SELECT json_build_object('commit_id', c.event_commit, 'index', c.event_idx, 'user_id', c.referral_id,
                           'rule_id', c.rule_id, 'compensates', c.compensates)
                      FROM ${accounts}.accruals c WHERE c.public_key = $1 AND c.accrual_id = s.accrual_id) AS cause`;
  const { text, values } = historySelect(accounts, account, { until, limit: null, offset: 0 }, until, cause);
  const select = {
    text: `SELECT * FROM (${text}) h WHERE date >= $${values.length + 1}::bigint`,
    values: [...values, from],
  };
  for await (const page of cursorRows(tx, select, pageRows)) yield page.map(rowOf);
}

function rowOf(columns: TextRow): StatementRow {
  const [position, date, event, accrual, payout, amount, unit, reason, on_hold, available, reserved, paid, cause] =
    columns;
  return {
    ...{ position: numberOf(position), date: Number(date), event: event as HistoryRow['event'] },
    ...{ accrual_id: numberOf(accrual), payout_id: numberOf(payout), amount: amount!, unit_id: numberOf(unit) },
    ...{ on_hold: on_hold!, available: available!, reserved: reserved!, paid: paid!, reason: reason ?? null },
    cause: cause == null ? null : (JSON.parse(cause) as AccrualCause),
  };
}

const numberOf = (text: string | null | undefined): number | null => (text == null ? null : Number(text));
