import type pg from 'pg';
import { snapshot } from '../../database/snapshot.ts';

export const USER_ORDERS = ['newest', 'active', 'name'] as const;
type UserOrder = (typeof USER_ORDERS)[number];

export interface UserSearch {
  readonly botId: number;
  /** The schema of the read model `users`. */
  readonly users: string;
  /** Each is in a name or the username of a user, or begins their id; the case is ignored. */
  readonly words: readonly string[];
  readonly order: UserOrder;
  readonly limit: number;
  readonly offset: number;
  readonly timeoutMs: number;
  /** Cancels the statement. */
  readonly signal: AbortSignal;
}

export interface FoundUsers {
  readonly ids: readonly number[];
  /** On all pages. */
  readonly total: number;
}

const ORDERED: Readonly<Record<UserOrder, string>> = {
  newest: 'date_create DESC',
  active: 'date_last_active DESC NULLS LAST',
  name: 'full_name NULLS LAST',
};

/**
 * Finds a page of a bot's users, and how many there are on all pages. A search reads all users of the bot.
 * @param counts connections only for counts: other requests do not wait for them
 * @param others another pool, to cancel a search
 * @throws StatementTimeoutError it took too long; the signal's reason
 */
export async function searchUsers(
  counts: pg.Pool,
  others: pg.Pool,
  { botId, users, words, order, limit, offset, timeoutMs, signal }: UserSearch,
): Promise<FoundUsers> {
  const from = `FROM ${users}.users WHERE bot_id = $1 AND ${matchesAll(words, 2)}`;
  const values = [botId, ...words.map(escaped)];
  return snapshot(counts, { timeoutMs, cancel: { signal, others } }, async ({ transaction }) => {
    const client = await transaction();
    const { rows } = await client.query<{ readonly user_id: number }>(
      `SELECT user_id::float8 ${from} ORDER BY ${ORDERED[order]}, user_id LIMIT ${limit} OFFSET ${offset}`,
      values,
    );
    const ids = rows.map(({ user_id }) => user_id);
    // A page that is neither empty nor full is the last one.
    if (ids.length > 0 && ids.length < limit) return { ids, total: offset + ids.length };
    const counted = await client.query<{ readonly total: number }>(`SELECT count(*)::float8 AS total ${from}`, values);
    return { ids, total: counted.rows[0]!.total };
  });
}

/** A search among the users of a list: the list is read, searched, ordered and cut by one statement, within one time. */
export interface ListSearch extends Pick<UserSearch, 'words' | 'timeoutMs' | 'signal'> {
  /** Connections only for counts: other requests do not wait for them. */
  readonly counts: pg.Pool;
  /** Another pool, to cancel a search. */
  readonly others: pg.Pool;
}

/**
 * SQL: the users of a list, which has a column `user_id`, that a search finds. A user without names has only the id.
 * The list must be a materialized part of the statement: on a cluster it lies on another node than the users.
 * @param first the number of the first parameter
 */
export function foundAmong(
  users: string,
  botId: number,
  words: readonly string[],
  first: number,
): { readonly join: string; readonly values: readonly unknown[] } {
  return {
    join: `LEFT JOIN (SELECT user_id, full_name, username FROM ${users}.users WHERE bot_id = $${first}) named
             USING (user_id) WHERE ${matchesAll(words, first + 1)}`,
    values: [botId, ...words.map(escaped)],
  };
}

/** Runs the statement of a search in a list. @throws as of searchUsers */
export function inSearch<Row extends pg.QueryResultRow>(
  { counts, others, timeoutMs, signal }: ListSearch,
  text: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  return snapshot(counts, { timeoutMs, cancel: { signal, others } }, async ({ transaction }) => {
    const client = await transaction();
    const { rows } = await client.query<Row>(text, [...values]);
    return rows;
  });
}

/** `%` and `_` are letters. */
const escaped = (word: string): string => word.replace(/[\\%_]/g, '\\$&');

/** SQL: every word matches. The parameters of the words begin at `first`. */
const matchesAll = (words: readonly string[], first: number): string =>
  words.map((_, index) => matches(first + index)).join(' AND ') || 'true';

/** SQL: the word of the parameter is in the user's texts. The username may be written with its sign. */
function matches(parameter: number): string {
  const word = `$${parameter}::text`;
  return `(full_name ILIKE '%' || ${word} || '%' OR username ILIKE '%' || ltrim(${word}, '@') || '%'
    OR user_id::text LIKE ${word} || '%')`;
}
