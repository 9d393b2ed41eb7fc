import type { Tables } from '../../database/tables.ts';
import type { HistoryRow } from '../../domain/referral/account/history.ts';
import { type AccountName, accountTime } from './account-source.ts';
import { balanceAtSql, balanceSql } from './find-balance.ts';

export interface HistoryQuery {
  /** Null: amounts without a unit; undefined: every unit. */
  readonly unitId?: number | null | undefined;
  /** Commits and ends of holds up to this time, ms UTC; undefined: up to now. */
  readonly until?: number | undefined;
  /** The newest first. */
  readonly descending?: boolean;
  /** Null: all. */
  readonly limit: number | null;
  readonly offset: number;
}

/** A place is the revision times this number, plus the index of the event (projections/accounts/read-model.ts). */
export const PER_COMMIT = 1_000_000;

/**
 * The changes of an account's balances, each with the balance of its unit after it: from the oldest on the sum of the changes so
 * far, from the newest on the balance without the changes that came later. Either way a page reads no more than it reaches.
 */
export async function historyRows(
  { pool, accounts }: Tables<'accounts'>,
  account: AccountName,
  query: HistoryQuery,
  now: number,
): Promise<HistoryRow[]> {
  // Not a prepared statement: the best plan depends on the number of rows asked for.
  const { rows } = await pool.query<HistoryRow>(historySelect(accounts, account, query, now));
  return rows;
}

/** A SELECT of {@link historyRows}. @param more SQL of further columns about a row `s` of bot $1, each after a comma */
export function historySelect(
  accounts: string,
  { bot, userId }: AccountName,
  { unitId, until, descending = false, limit, offset }: HistoryQuery,
  now: number,
  more = '',
): { readonly text: string; readonly values: unknown[] } {
  const order = ['s.date', 'recorded', 'place', 'coalesce(payout_id, 0)']
    .map((column) => `${column} ${descending ? 'DESC' : 'ASC'}`)
    .join(', ');
  const after = (name: string): string => {
    const sum = descending
      ? `t.${name}::numeric - coalesce(sum(s.${name}) OVER passed, 0)`
      : `sum(s.${name}) OVER passed`;
    return `trim_scale(${sum})::text AS ${name}`;
  };
  return {
    text: `
      WITH account AS (
        SELECT CASE WHEN $7::boolean THEN ${accountTime('$3', 'clock')} ELSE $3::bigint END AS until, $7::boolean AS whole
          FROM ${accounts}.accounts WHERE public_key = $1 AND user_id = $2),
      steps AS (
        ${steps(accounts, descending).join(' UNION ALL ')})
      ${descending ? `, totals AS (${until === undefined ? balanceSql(accounts) : balanceAtSql(accounts)})` : ''}
      SELECT CASE recorded WHEN 1 THEN (place / ${PER_COMMIT})::float8 END AS position, s.date::float8, event,
             accrual_id::float8, payout_id::float8, trim_scale(amount)::text AS amount, nullif(unit, 0)::float8 AS unit_id, reason,
             ${['on_hold', 'available', 'reserved', 'paid'].map(after).join(', ')}${more}
        FROM steps s ${descending ? 'JOIN totals t ON coalesce(t.unit_id, 0) = s.unit' : ''}
      WINDOW passed AS (PARTITION BY unit ORDER BY ${order}
                        ROWS BETWEEN UNBOUNDED PRECEDING AND ${descending ? '1 PRECEDING' : 'CURRENT ROW'})
       ORDER BY ${order} LIMIT $5::bigint OFFSET $6::bigint`,
    values: [bot, userId, until ?? now, unitId === null ? 0 : unitId, limit, offset, until === undefined],
  };
}

/**
 * SQL of each kind of change, limited to the rows that a page may reach: sums over the rows before it need no
 * more. Within an account, the times of commits rise with their places.
 */
function steps(accounts: string, descending: boolean): string[] {
  const kind = (table: string, order: string, columns: string, condition: string, recorded = true): string => `(
    SELECT ${columns} FROM ${accounts}.${table} x, account
     WHERE x.public_key = $1 AND x.user_id = $2 AND ($4::bigint IS NULL OR x.unit = $4) AND ${condition}
       AND (${columns.split(/,| AS /, 1)[0]} <= account.until ${recorded ? 'OR account.whole' : ''})
     ORDER BY ${descending ? order.replaceAll(/(?=,|$)/g, ' DESC') : order} LIMIT $5::bigint + $6::bigint)`;
  return [
    kind(
      'accruals',
      'x.place',
      // The first kind names the columns. Names of the CTE itself are lost on the way to a node of a cluster.
      `x.at AS date, 1 AS recorded, x.place, CASE WHEN x.compensates IS NULL THEN 'accrued' ELSE 'compensated' END AS event,
       x.accrual_id, NULL::bigint AS payout_id, x.unit, x.amount,
       CASE WHEN x.available_at > x.at THEN x.amount ELSE 0 END AS on_hold,
       CASE WHEN x.available_at > x.at THEN 0 ELSE x.amount END AS available, 0 AS reserved, 0 AS paid,
       CASE WHEN x.compensates IS NOT NULL THEN (SELECT o.reason FROM ${accounts}.accruals o
         WHERE o.accrual_id = x.compensates AND o.public_key = x.public_key) END AS reason`,
      'true',
    ),
    kind(
      'accruals',
      'x.available_at, x.place',
      `x.available_at, 0, x.place, 'hold_passed', x.accrual_id, NULL, x.unit, x.amount, -x.amount, x.amount, 0, 0, NULL`,
      'x.available_at > x.at AND NOT (x.cancelled AND x.reversed_at < x.available_at)',
      false,
    ),
    kind(
      'accruals',
      'x.reversed_place',
      `x.reversed_at, 1, x.reversed_place, 'cancelled', x.accrual_id, NULL, x.unit, -x.amount,
       CASE WHEN x.available_at > x.reversed_at THEN -x.amount ELSE 0 END,
       CASE WHEN x.available_at > x.reversed_at THEN 0 ELSE -x.amount END, 0, 0, x.reason`,
      'x.cancelled',
    ),
    kind(
      'payouts',
      'x.place, x.payout_id',
      `x.requested_at, 1, x.place, 'payout_requested', NULL, x.payout_id, x.unit, x.amount, 0, -x.amount, x.amount, 0, NULL`,
      'true',
    ),
    kind(
      'payouts',
      'x.processed_place',
      `x.processed_at, 1, x.processed_place, CASE x.status WHEN 2 THEN 'payout_paid' ELSE 'payout_cancelled' END, NULL,
       x.payout_id, x.unit, x.amount, 0, CASE x.status WHEN 2 THEN 0 ELSE x.amount END, -x.amount,
       CASE x.status WHEN 2 THEN x.amount ELSE 0 END, x.reason`,
      'x.processed_at IS NOT NULL',
    ),
  ];
}
