import type { ClientBase } from 'pg';
import { ofBot, onlyBot } from '../database/of-bot.ts';
import { nameOf, numbers } from './batch-sql.ts';

/** The rows of one table, by the bot and one key. */
export interface KeyedTable {
  readonly table: string;
  /** The column, a bigint or a text. */
  readonly key: string;
  /** SQL of what to read of a row, for example `refunded, received::float8`. */
  readonly columns?: string;
}

/**
 * Looks up rows by pairs of bot and key: `keys[i]` belongs to `bots[i]`.
 * @param name of the prepared statement
 * @returns for each row found, the index of its pair, and the columns
 */
export async function rowsByKey<Columns extends readonly unknown[] = []>(
  tx: ClientBase,
  name: string,
  { table, key, columns }: KeyedTable,
  bots: readonly { readonly bot_id: number }[],
  keys: readonly number[] | readonly string[],
): Promise<[index: number, ...Columns][]> {
  if (keys.length === 0) return [];
  const ids = bots.map(({ bot_id }) => bot_id);
  const only = onlyBot(tx, ids);
  const isText = typeof keys[0] === 'string';
  const { rows } = await tx.query<[index: number, ...Columns]>({
    name: nameOf(name, only),
    text: `SELECT (u.i - 1)::int${columns === undefined ? '' : `, ${columns}`}
             FROM unnest($1::int[], $2::${isText ? 'text' : 'bigint'}[]) WITH ORDINALITY AS u (bot_id, pair_key, i)
             JOIN ${table} x ON x.bot_id = u.bot_id AND x.${key} = u.pair_key WHERE ${ofBot('x.bot_id', only)}`,
    values: [numbers(ids), isText ? keys : numbers(keys as readonly number[])],
    rowMode: 'array',
  });
  return rows;
}
