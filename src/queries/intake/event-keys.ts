import { type CatalogSource, rowsOf } from '../catalog/catalog-source.ts';

/**
 * Those of the keys with which an event of the bot has come (decisions.md#event-key).
 * @param source the read model `events`
 * @param bot public key
 */
export async function usedEventKeys(
  source: CatalogSource,
  bot: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const { schema } = source;
  const rows = await rowsOf<{ event_key: string }>(
    source,
    'used_event_keys',
    `SELECT k.event_key FROM ${schema}.event_keys k JOIN ${schema}.bots b USING (bot_id)
      WHERE b.public_key = $1 AND k.event_key = ANY ($2::text[])`,
    [bot, keys],
  );
  return new Set(rows.map(({ event_key }) => event_key));
}
