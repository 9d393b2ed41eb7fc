import type pg from 'pg';

/** The public key of a broadcast's bot; null: there is no such broadcast. */
export async function botOfBroadcast(
  { pool, broadcasts }: { readonly pool: pg.Pool; readonly broadcasts: string },
  id: number,
): Promise<string | null> {
  const { rows } = await pool.query<{ public_key: string }>({
    name: `${broadcasts}.bot_of_broadcast`,
    text: `SELECT public_key FROM ${broadcasts}.broadcasts WHERE id = $1`,
    values: [id],
  });
  return rows[0]?.public_key ?? null;
}
