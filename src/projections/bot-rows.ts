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
 * shown the id. There it is also locked: a transaction that was cut between its phases keeps its rows from view until the cluster
 * finishes it. So this waits for it, and what is read next has its rows.
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
    const lock = only === null ? '' : ' FOR NO KEY UPDATE OF b';
    const text = `SELECT ${columns(only)} FROM bots b WHERE public_key = ANY ($1) AND ${ofBot('b.bot_id', only)}${lock}`;
    return (await tx.query<Row>({ name: nameOf(name, only), text, values: [publicKeys] })).rows;
  };
  const guess = publicKeys.length === 1 ? guesses.get(publicKeys[0]!) : undefined;
  const only = guess === undefined ? null : onlyBot(tx, [guess]);
  const guessed = only === null ? [] : await load(only);
  if (guessed.length > 0) return guessed;
  const found = await load(null);
  const [first] = found;
  const id = found.length === 1 ? onlyBot(tx, [first!.bot_id]) : null;
  if (id === null) return found;
  if (guesses.size >= MOST_GUESSES) guesses.clear();
  guesses.set(first!.public_key, id);
  return load(id);
}
