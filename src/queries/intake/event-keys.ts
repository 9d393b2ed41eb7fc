import type pg from 'pg';

/** The read model `events`. */
export interface EventTables {
  readonly pool: pg.Pool;
  readonly schema: string;
}

/** Those of the keys with which an event of the bot has come (decisions.md#event-key). @param bot public key */
export async function usedEventKeys(
  { pool, schema }: EventTables,
  bot: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<[string]>({
    text: `SELECT k.event_key FROM ${schema}.event_keys k JOIN ${schema}.bots b USING (bot_id)
            WHERE b.public_key = $1 AND k.event_key = ANY ($2::text[])`,
    values: [bot, keys],
    rowMode: 'array',
  });
  return new Set(rows.map(([key]) => key));
}
