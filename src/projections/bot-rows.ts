import type { ClientBase } from 'pg';
import { ofBot, onlyBot } from '../database/of-bot.ts';
import { nameOf } from './batch-sql.ts';

/** Ids of bots by public key, of all databases of this program: a guess, since a test may have several. */
const guesses = new Map<string, number>();

/** 100,000 take about 10 MB. */
const MOST_GUESSES = 100_000;

/**
 * Loads the rows of a read model's table `bots` with these public keys. A commit names its bot by public key. Where
 * statements name their bot ({@link onlyBot}), the row of one bot is also looked up by the bot's id, once an earlier batch has
 * shown the id.
 * @param name of the prepared statement
 * @param columns SQL, of rows `b`, given the bot that the statement names ({@link ofBot}); must include bot_id and public_key
 */
export async function loadBotRows<Row extends { readonly bot_id: number; readonly public_key: string }>(
  tx: ClientBase,
  name: string,
  columns: (only: number | null) => string,
  publicKeys: readonly string[],
): Promise<Row[]> {
  const load = async (only: number | null): Promise<Row[]> => {
    const text = `SELECT ${columns(only)} FROM bots b WHERE public_key = ANY ($1) AND ${ofBot('b.bot_id', only)}`;
    return (await tx.query<Row>({ name: nameOf(name, only), text, values: [publicKeys] })).rows;
  };
  const guess = publicKeys.length === 1 ? guesses.get(publicKeys[0]!) : undefined;
  const only = guess === undefined ? null : onlyBot(tx, [guess]);
  const found = await load(only);
  const rows = found.length > 0 || only === null ? found : await load(null);
  if (guesses.size >= MOST_GUESSES) guesses.clear();
  for (const { bot_id, public_key } of rows) if (onlyBot(tx, [bot_id]) !== null) guesses.set(public_key, bot_id);
  return rows;
}
