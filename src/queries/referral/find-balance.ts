import type { Pool } from 'pg';
import type { ReadTables, Tables } from '../../database/tables.ts';
import { HOLD_BITS } from '../../domain/referral/account/spans.ts';
import { type AccountName, accountTime } from './account-source.ts';

/** The balance of one unit. Amounts are decimal text in normal units. A unit of null: amounts without a unit. */
export interface BalanceRow {
  readonly unit_id: number | null;
  readonly available: string;
  readonly reserved: string;
  readonly paid: string;
  readonly on_hold: string;
}

/** The balance of a unit of one of several accounts. */
export interface AccountBalanceRow extends BalanceRow {
  readonly user_id: number;
  /** All accruals that were not cancelled. */
  readonly earned: string;
}

/** The balances of some of a bot's accounts, by unit. `now` in ms UTC decides which accruals are on hold. */
export async function balancesOf(
  { pool, accounts }: ReadTables<'accounts'>,
  bot: string,
  userIds: readonly number[],
  now: number,
): Promise<AccountBalanceRow[]> {
  const { rows } = await pool.query<AccountBalanceRow>({
    name: `${accounts}.balances`,
    text: `SELECT a.user_id::float8, trim_scale(b.accrued)::text AS earned, ${columns}
             ${fromBalances(accounts, 'user_id = ANY ($2::bigint[])')}
            ORDER BY a.user_id, b.unit`,
    values: [bot, [...userIds], now],
  });
  return rows;
}

/** One row for each unit that ever had an accrual. `now` in ms UTC decides which accruals are on hold. */
export async function balanceOf(
  { pool, accounts }: Tables<'accounts'>,
  { bot, userId }: AccountName,
  now: number,
): Promise<BalanceRow[]> {
  const { rows } = await pool.query<BalanceRow>({
    name: `${accounts}.balance`,
    text: `${balanceSql(accounts)} ORDER BY b.unit`,
    values: [bot, userId, now],
  });
  return rows;
}

/** SQL of the balances of user $2 of bot $1 at time $3, from all records. */
export const balanceSql = (accounts: string): string => `SELECT ${columns} ${fromBalances(accounts, 'user_id = $2')}`;

const columns = `
  nullif(b.unit, 0)::float8 AS unit_id,
  trim_scale(b.accrued - b.reserved - b.paid - h.on_hold)::text AS available,
  trim_scale(b.reserved)::text AS reserved, trim_scale(b.paid)::text AS paid, trim_scale(h.on_hold)::text AS on_hold`;

/** SQL of the balances at time $3 of accounts of bot $1. */
function fromBalances(accounts: string, which: string): string {
  return `
    FROM (SELECT *, ${accountTime('$3', 'clock')} AS t FROM ${accounts}.accounts WHERE public_key = $1 AND ${which}) a
    JOIN ${accounts}.balances b ON b.public_key = $1 AND b.user_id = a.user_id
   CROSS JOIN LATERAL (SELECT coalesce(sum(amount), 0) AS on_hold FROM (${onHold(accounts)}) held) h`;
}

/**
 * The balances of an account as they were at `until`, ms UTC: from the records up to then and the holds that had ended.
 */
export async function balanceAt(
  { pool, accounts }: Pick<Tables<'accounts'>, 'accounts'> & { readonly pool: Pick<Pool, 'query'> },
  { bot, userId }: AccountName,
  until: number,
): Promise<BalanceRow[]> {
  const { rows } = await pool.query<BalanceRow>({
    name: `${accounts}.balance_at`,
    text: `${balanceAtSql(accounts)} ORDER BY a.unit`,
    values: [bot, userId, until],
  });
  return rows;
}

/** SQL of the balances of user $2 of bot $1 at time $3, from the records up to then. */
export function balanceAtSql(accounts: string): string {
  const account = 'x.public_key = $1 AND x.user_id = $2';
  return `
      WITH accrued AS (
        SELECT unit, coalesce(sum(amount) FILTER (WHERE NOT gone), 0) AS amount,
               coalesce(sum(amount) FILTER (WHERE NOT gone AND available_at > x.at AND available_at > $3), 0) AS on_hold
          FROM (SELECT *, x.cancelled AND x.reversed_at <= $3 AS gone FROM ${accounts}.accruals x
                 WHERE ${account} AND x.at <= $3) x
         GROUP BY unit),
      requested AS (
        SELECT unit, sum(amount) FILTER (WHERE processed_at IS NULL OR processed_at > $3) AS reserved,
               sum(amount) FILTER (WHERE status = 2 AND processed_at <= $3) AS paid
          FROM ${accounts}.payouts x WHERE ${account} AND x.requested_at <= $3 GROUP BY unit)
      SELECT nullif(a.unit, 0)::float8 AS unit_id,
             trim_scale(a.amount - a.on_hold - coalesce(r.reserved, 0) - coalesce(r.paid, 0))::text AS available,
             trim_scale(coalesce(r.reserved, 0))::text AS reserved, trim_scale(coalesce(r.paid, 0))::text AS paid,
             trim_scale(a.on_hold)::text AS on_hold
        FROM accrued a LEFT JOIN requested r USING (unit)`;
}

/**
 * SQL of the amounts on hold of account `a` and unit `b` at `a.t`: the longest spans that begin later, the shorter spans up
 * to the first of those, and single accruals up to the first of the shortest spans.
 */
function onHold(accounts: string): string {
  const ofUnit = 'x.public_key = $1 AND x.user_id = a.user_id AND x.unit = b.unit';
  const spans = HOLD_BITS.map((bits, index) => {
    const longer = HOLD_BITS[index - 1];
    const until = longer === undefined ? '' : `AND x.bucket < ((a.t >> ${longer}) + 1) << ${longer - bits}`;
    return `SELECT amount FROM ${accounts}.holds x
             WHERE ${ofUnit} AND x.bits = ${bits} AND x.bucket > a.t >> ${bits} ${until}`;
  });
  const shortest = HOLD_BITS.at(-1)!;
  return `${spans.join(' UNION ALL ')}
    UNION ALL
    SELECT amount FROM ${accounts}.accruals x
     WHERE ${ofUnit} AND NOT x.cancelled AND x.available_at > x.at
       AND x.available_at > a.t AND x.available_at < ((a.t >> ${shortest}) + 1) << ${shortest}`;
}

/** The users of a bot with an available balance above zero at `now` (milliseconds UTC), in any unit. */
export async function usersWithAvailable(
  { pool, accounts }: Tables<'accounts'>,
  bot: string,
  now: number,
): Promise<number[]> {
  const { rows } = await pool.query<{ user_id: number }>(
    `SELECT DISTINCT b.user_id::float8 AS user_id
       FROM ${accounts}.balances b
      WHERE b.public_key = $1 AND b.accrued > b.reserved + b.paid
        AND b.accrued - b.reserved - b.paid > coalesce((
              SELECT sum(a.amount) FROM ${accounts}.accruals a
               WHERE a.public_key = $1 AND a.user_id = b.user_id AND a.unit = b.unit
                 AND NOT a.cancelled AND a.available_at > a.at AND a.available_at > $2), 0)
      ORDER BY 1`,
    [bot, now],
  );
  return rows.map(({ user_id }) => user_id);
}
