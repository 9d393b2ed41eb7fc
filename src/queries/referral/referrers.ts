import type { Tables } from '../../database/tables.ts';
import { foundAmong, inSearch, type ListSearch } from '../users/search-users.ts';
import type { Page } from './find-attribution.ts';
import { type AccountBalanceRow, balancesOf } from './find-balance.ts';

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
  /** Undefined: all users. */
  readonly search?: ListSearch | undefined;
}

export interface BotName {
  readonly botId: number;
  /** The bot's public key. */
  readonly bot: string;
}

/**
 * The referrers of a bot.
 * @param now ms UTC; decides which accruals are on hold
 * @throws as of a search, if there is one
 */
export async function referrersOf(
  source: ReferrersSource,
  name: BotName,
  { search, ...query }: ReferrersQuery,
  now: number,
): Promise<ReferrerRow[]> {
  const userIds = await (search === undefined ? pageOf(source, name, query) : foundPage(source, name, query, search));
  return rowsOf(source, name, userIds, now);
}

type PageQuery = Omit<ReferrersQuery, 'search'>;

/** The ids of a page of the list that an order has. */
async function pageOf(source: ReferrersSource, name: BotName, { by, limit, offset }: PageQuery): Promise<number[]> {
  const { list, order, values } = listOf(source, name, by);
  const place = values.length;
  const { rows } = await source.pool.query<{ user_id: number }>({
    name: `${source.accounts}.${source.referral}.referrers_by_${by.order}`,
    text: `SELECT user_id::float8 ${list} ORDER BY ${order} DESC, list.user_id LIMIT $${place + 1} OFFSET $${place + 2}`,
    values: [...values, limit, offset],
  });
  return rows.map(({ user_id }) => user_id);
}

/** The ids of a page of the users of the list that a search finds. */
async function foundPage(
  source: ReferrersSource,
  name: BotName,
  { by, limit, offset }: PageQuery,
  search: ListSearch,
): Promise<number[]> {
  const { list, order, values } = listOf(source, name, by);
  const place = values.length;
  const found = foundAmong(source.users, name.botId, search.words, place + 3);
  const rows = await inSearch<{ user_id: number }>(
    search,
    `WITH listed AS MATERIALIZED (SELECT list.user_id, ${order} AS amount ${list})
     SELECT user_id::float8 FROM listed ${found.join}
      ORDER BY amount DESC, listed.user_id LIMIT $${place + 1} OFFSET $${place + 2}`,
    [...values, limit, offset, ...found.values],
  );
  return rows.map(({ user_id }) => user_id);
}

/** SQL of the list of an order, and of the amount that it is ordered by. */
function listOf({ accounts, referral }: ReferrersSource, { botId, bot }: BotName, by: ReferrersQuery['by']) {
  return by.order === 'referrals'
    ? { list: `FROM ${referral}.referrers list WHERE bot_id = $1`, order: 'referrals', values: [botId] }
    : {
        list: `FROM ${accounts}.balances list WHERE public_key = $1 AND unit = $2`,
        order: `(${AMOUNTS[by.order]})`,
        values: [bot, by.unitId ?? 0],
      };
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
