import type { Tables } from '../../database/tables.ts';
import type { Page } from './attribution.ts';
import { type AccountBalanceRow, balancesOf } from './balance.ts';

type ReferrersSource = Tables<'accounts' | 'referral' | 'users'>;

/** A user's names; null: unknown or erased. */
export interface Names {
  readonly first_name: string | null;
  readonly username: string | null;
}

export interface ReferrerRow extends Names {
  readonly user_id: number;
  /** The number of users that the user referred. */
  readonly referrals: number;
  readonly balance: readonly Omit<AccountBalanceRow, 'user_id'>[];
}

/** Orders by an amount of one unit, and the SQL of the amount: each has its own index. */
const AMOUNTS = { balance: 'accrued - reserved - paid', earned: 'accrued', paid: 'paid' } as const;
export const REFERRER_ORDERS = ['referrals', 'balance', 'earned', 'paid'] as const;

export interface ReferrersQuery extends Page {
  /** By the number of referrals, or by an amount of a unit (null: amounts without a unit), the largest first. */
  readonly by:
    | { readonly order: 'referrals' }
    | { readonly order: keyof typeof AMOUNTS; readonly unitId: number | null };
}

export interface BotName {
  readonly botId: number;
  /** The bot's public key. */
  readonly bot: string;
}

/** The referrers of a bot. `now` in ms UTC decides which accruals are on hold. */
export async function referrersOf(
  source: ReferrersSource,
  { botId, bot }: BotName,
  { by, limit, offset }: ReferrersQuery,
  now: number,
): Promise<ReferrerRow[]> {
  const { pool, accounts, referral } = source;
  const { rows } =
    by.order === 'referrals'
      ? await pool.query<{ user_id: number }>({
          name: `${referral}.referrers`,
          text: `SELECT user_id::float8 FROM ${referral}.referrers WHERE bot_id = $1
                  ORDER BY referrals DESC, referrers.user_id LIMIT $2 OFFSET $3`,
          values: [botId, limit, offset],
        })
      : await pool.query<{ user_id: number }>({
          name: `${accounts}.referrers_by_${by.order}`,
          text: `SELECT user_id::float8 FROM ${accounts}.balances WHERE public_key = $1 AND unit = $2
                  ORDER BY (${AMOUNTS[by.order]}) DESC, balances.user_id LIMIT $3 OFFSET $4`,
          values: [bot, by.unitId ?? 0, limit, offset],
        });
  const userIds = rows.map(({ user_id }) => user_id);
  return rowsOf(source, { botId, bot }, userIds, now);
}

/** One user as in the list of referrers; empty: the user has neither referrals nor accruals. */
export async function referrerOf(
  source: ReferrersSource,
  name: BotName,
  userId: number,
  now: number,
): Promise<ReferrerRow[]> {
  const rows = await rowsOf(source, name, [userId], now);
  return rows.filter(({ referrals, balance }) => referrals > 0 || balance.length > 0);
}

async function rowsOf(
  source: ReferrersSource,
  { botId, bot }: BotName,
  userIds: readonly number[],
  now: number,
): Promise<ReferrerRow[]> {
  const [balances, counts, names] = await Promise.all([
    balancesOf(source, bot, userIds, now),
    referralCounts(source, botId, userIds),
    namesOf(source, botId, userIds),
  ]);
  return userIds.map((user_id) => ({
    user_id,
    ...(names.get(user_id) ?? NO_NAMES),
    referrals: counts.get(user_id) ?? 0,
    balance: balances.filter((row) => row.user_id === user_id).map(({ user_id: _, ...row }) => row),
  }));
}

async function referralCounts(
  { pool, referral }: Tables<'referral'>,
  botId: number,
  userIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await pool.query<{ user_id: number; referrals: number }>({
    name: `${referral}.referral_counts`,
    text: `SELECT user_id::float8, referrals::float8 FROM ${referral}.referrers
            WHERE bot_id = $1 AND user_id = ANY ($2::bigint[])`,
    values: [botId, [...userIds]],
  });
  return new Map(rows.map(({ user_id, referrals }) => [user_id, referrals]));
}

export const NO_NAMES: Names = { first_name: null, username: null };

/** The names of the users that the bot knows. */
export async function namesOf(
  { pool, users }: Tables<'users'>,
  botId: number,
  userIds: readonly number[],
): Promise<Map<number, Names>> {
  const { rows } = await pool.query<Names & { user_id: number }>({
    name: `${users}.names`,
    text: `SELECT user_id::float8, first_name, username FROM ${users}.users
            WHERE bot_id = $1 AND user_id = ANY ($2::bigint[])`,
    values: [botId, [...userIds]],
  });
  return new Map(rows.map(({ user_id, first_name, username }) => [user_id, { first_name, username }]));
}
