import type { ClientBase, Pool } from 'pg';
import { isCitus, isKnownAsCitus } from './citus.ts';

/**
 * SQL: a row belongs to the bot `only`. Null limits nothing.
 *
 * On a Citus cluster a statement names the bot of its rows, so that it goes to the node that has them. Elsewhere no statement
 * may: the planner would expect few rows of a bot in a table that grows, and compare all of them with all rows of a batch.
 */
export function ofBot(column: string, only: number | null): string {
  return only === null ? 'true' : `${column} = ${only}`;
}

/** The bot that a statement about rows of `botId` names; null: it names none. */
export async function namedBot(db: Pool | ClientBase, botId: number): Promise<number | null> {
  return (await isCitus(db)) ? botId : null;
}

/**
 * The bot that a statement about rows of these bots names; null: it names none, or the rows belong to several.
 * @param tx {@link namesBots} was looked up for it
 */
export function onlyBot(tx: ClientBase, ids: readonly number[]): number | null {
  const [first] = ids;
  return first !== undefined && isKnownAsCitus(tx) && ids.every((id) => id === first) ? first : null;
}

/** Whether statements on this connection name their bot. The look-up is for {@link onlyBot}, too. */
export function namesBots(tx: ClientBase): Promise<boolean> {
  return isCitus(tx);
}

/** Rows in groups that one statement may be about: all of them, or where statements name their bot, the rows of each bot. */
export async function groupsOfBots<Row>(
  tx: ClientBase,
  rows: readonly Row[],
  botOf: (row: Row) => number | string,
): Promise<Iterable<readonly Row[]>> {
  if (!(await namesBots(tx))) return [rows];
  const groups = new Map<number | string, Row[]>();
  for (const row of rows) {
    const bot = botOf(row);
    const group = groups.get(bot);
    if (group === undefined) groups.set(bot, [row]);
    else group.push(row);
  }
  return groups.values();
}
