import type pg from 'pg';
import { mapRoot } from '../../proof/account-map.ts';
import type { OutputEntry } from '../../proof/output-entry.ts';
import { tileTree } from '../../proof/tile-tree.ts';
import { mapPartsOf, partHash, partOf } from '../../queries/proof/stored-map.ts';
import { storedTiles } from '../../queries/proof/stored-trees.ts';

/** Updates the map of accounts with the changed leaves, in the caller's transaction. @returns its size and root */
export async function updateMap(tx: pg.ClientBase): Promise<OutputEntry['map']> {
  const { rows } = await tx.query<{ key: Buffer }>(
    `WITH changed AS (
       UPDATE proof.accounts SET is_mapped = true WHERE NOT is_mapped RETURNING key, revision, leaves
     )
     INSERT INTO proof.map (key, revision, leaves) SELECT key, revision, leaves FROM changed
     ON CONFLICT (key) DO UPDATE SET revision = excluded.revision, leaves = excluded.leaves
     RETURNING key`,
  );
  for (const part of new Set(rows.map(({ key }) => partOf(key)))) {
    const { key, hash } = (await partHash(tx, part))!;
    await tx.query({
      name: 'proof_save_part',
      text: `INSERT INTO proof.map_parts (part, key, hash) VALUES ($1, $2, $3)
             ON CONFLICT (part) DO UPDATE SET key = excluded.key, hash = excluded.hash`,
      values: [part, key, hash],
    });
  }
  const counted = await tx.query<{ accounts: string }>('SELECT count(*) AS accounts FROM proof.map');
  return { accounts: Number(counted.rows[0]!.accounts), root: mapRoot(await mapPartsOf(tx)) };
}

/** The roots of the saved trees at these sizes. */
export async function treesAt(tx: pg.ClientBase, sizes: readonly number[]): Promise<OutputEntry['trees']> {
  const trees: { size: number; root: Uint8Array }[] = [];
  for (const [tree, size] of sizes.entries())
    trees.push({ size, root: await tileTree(storedTiles(tx, tree)).root(size) });
  return trees;
}
