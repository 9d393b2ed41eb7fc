import type { Tables } from '../../database/tables.ts';

/** The public keys of the bots of broadcasts, by the broadcasts' ids. An unknown id is absent. */
export async function botsOfBroadcasts(
  { pool, broadcasts }: Tables<'broadcasts'>,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await pool.query<{ id: number; public_key: string }>({
    name: `${broadcasts}.bots_of_broadcasts`,
    text: `SELECT id::float8, public_key FROM ${broadcasts}.broadcasts WHERE id = ANY ($1)`,
    values: [ids],
  });
  return new Map(rows.map(({ id, public_key }) => [id, public_key]));
}
