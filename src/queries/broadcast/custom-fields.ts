import type pg from 'pg';

/** Of the names of custom fields, those that no user of the bot has. `users`: the schema of the read model. */
export async function unknownCustomFields(
  { pool, users }: { readonly pool: pg.Pool; readonly users: string },
  botId: number,
  names: readonly string[],
): Promise<Set<string>> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT name FROM unnest($2::text[]) AS n (name)
      WHERE NOT EXISTS (SELECT FROM ${users}.users AS u WHERE u.bot_id = $1 AND u.custom_fields ? n.name)`,
    [botId, names],
  );
  return new Set(rows.map(({ name }) => name));
}
