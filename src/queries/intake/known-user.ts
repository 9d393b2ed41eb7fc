import { type CatalogSource, rowsOf } from '../catalog/catalog-source.ts';

/** Whether the bot knows, or once knew, the user. @param source the read model `users` */
export async function isKnownUser(source: CatalogSource, publicKey: string, userId: number): Promise<boolean> {
  const { schema } = source;
  const rows = await rowsOf(
    source,
    'is_known_user',
    `SELECT FROM ${schema}.users JOIN ${schema}.bots USING (bot_id) WHERE public_key = $1 AND user_id = $2`,
    [publicKey, userId],
  );
  return rows.length > 0;
}
