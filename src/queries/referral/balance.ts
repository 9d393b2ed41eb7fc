import type { Pool } from 'pg';
import { HOLD_BITS } from '../../domain/referral/account/spans.ts';
import { type AccountName, type AccountSource, accountTime } from './account-source.ts';

/** The balance of one unit. Amounts are decimal text in normal units. A unit of null: amounts without a unit. */
export interface BalanceRow {
  readonly unit_id: number | null;
  readonly available: string;
  readonly reserved: string;
  readonly paid: string;
  readonly on_hold: string;
}

/** One row for each unit that ever had an accrual. `now` in ms UTC decides which accruals are on hold. */
export async function balanceOf(
  { pool, accounts }: AccountSource,
  { bot, userId }: AccountName,
  now: number,
): Promise<BalanceRow[]> {
  const { rows } = await pool.query<BalanceRow>({
    name: `${accounts}.balance`,
    text: `
      SELECT nullif(b.unit, 0)::float8 AS unit_id,
             trim_scale(b.accrued - b.reserved - b.paid - h.on_hold)::text AS available,
             trim_scale(b.reserved)::text AS reserved, trim_scale(b.paid)::text AS paid,
             trim_scale(h.on_hold)::text AS on_hold
        FROM (SELECT *, ${accountTime('$3', 'clock')} AS t FROM ${accounts}.accounts
               WHERE public_key = $1 AND user_id = $2) a
        JOIN ${accounts}.balances b USING (public_key, user_id)
       CROSS JOIN LATERAL (SELECT coalesce(sum(amount), 0) AS on_hold FROM (${onHold(accounts)}) held) h
       ORDER BY b.unit`,
    values: [bot, userId, now],
  });
  return rows;
}

/**
 * SQL of the amounts on hold of account `a` and unit `b` at `a.t`: the longest spans that begin later, the shorter spans up
 * to the first of those, and single accruals up to the first of the shortest spans.
 */
function onHold(accounts: string): string {
  const ofUnit = 'x.public_key = a.public_key AND x.user_id = a.user_id AND x.unit = b.unit';
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
  { pool, schema }: { readonly pool: Pool; readonly schema: string },
  bot: string,
  now: number,
): Promise<number[]> {
  const { rows } = await pool.query<{ user_id: number }>(
    `SELECT DISTINCT b.user_id::float8 AS user_id
       FROM ${schema}.balances b
      WHERE b.public_key = $1 AND b.accrued > b.reserved + b.paid
        AND b.accrued - b.reserved - b.paid > coalesce((
              SELECT sum(a.amount) FROM ${schema}.accruals a
               WHERE a.public_key = b.public_key AND a.user_id = b.user_id AND a.unit = b.unit
                 AND NOT a.cancelled AND a.available_at > a.at AND a.available_at > $2), 0)
      ORDER BY 1`,
    [bot, now],
  );
  return rows.map(({ user_id }) => user_id);
}
