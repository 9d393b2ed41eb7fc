import { preparedRows, type Tables } from '../../database/tables.ts';

/**
 * Those of the keys with which an event of the bot has come (decisions.md#event-key).
 * @param bot public key
 */
export async function usedEventKeys(
  { pool, events }: Tables<'events'>,
  bot: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await preparedRows<{ event_key: string }>(
    pool,
    `${events}.used_event_keys`,
    `SELECT k.event_key FROM ${events}.event_keys k JOIN ${events}.bots b USING (bot_id)
      WHERE b.public_key = $1 AND k.event_key = ANY ($2::text[])`,
    [bot, keys],
  );
  return new Set(rows.map(({ event_key }) => event_key));
}
