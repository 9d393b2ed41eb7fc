import type pg from 'pg';
import { cancellable } from '../../database/cancellable.ts';

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
  const from = `FROM ${users}.users WHERE bot_id = $1 AND ${words.map((_, index) => matches(index + 2)).join(' AND ') || 'true'}`;
  const values = [botId, ...words.map((word) => word.replace(/[\\%_]/g, '\\$&'))];
  return cancellable(counts, { others, timeoutMs, signal }, async (client) => {
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

/** SQL: the word of the parameter is in the user's texts. The username may be written with its sign. */
function matches(parameter: number): string {
  const word = `$${parameter}::text`;
  return `(full_name ILIKE '%' || ${word} || '%' OR username ILIKE '%' || ltrim(${word}, '@') || '%'
    OR user_id::text LIKE ${word} || '%')`;
}
