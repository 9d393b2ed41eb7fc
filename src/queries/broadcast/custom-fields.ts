import type { Tables } from '../../database/tables.ts';
import { inTransaction } from '../../database/transaction.ts';

/**
 * Finds the custom fields that no user of the bot has. `users`: the schema of the read model.
 * @param withinMs after which the database gives up
 */
export async function unknownCustomFields(
  { pool, users }: Tables<'users'>,
  botId: number,
  names: readonly string[],
  withinMs: number,
): Promise<Set<string>> {
  const { rows } = await inTransaction(
    pool,
    (tx) =>
      tx.query<{ name: string }>(
        `SELECT name FROM unnest($2::text[]) AS n (name)
          WHERE NOT EXISTS (SELECT FROM ${users}.users AS u WHERE u.bot_id = $1 AND u.custom_fields ? n.name)`,
        [botId, names],
      ),
    `BEGIN READ ONLY; SET LOCAL statement_timeout = ${withinMs}`,
  );
  return new Set(rows.map(({ name }) => name));
}
