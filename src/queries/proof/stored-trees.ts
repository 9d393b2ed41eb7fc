import type pg from 'pg';
import { LEAF_BYTES } from '../../proof/leaf.ts';
import { type Hash, leafHash } from '../../proof/merkle-tree.ts';
import type { TilePath } from '../../proof/tile-path.ts';
import { bundleOf } from '../../proof/tile-path.ts';
import { type ReadTile, TILE_WIDTH } from '../../proof/tile-tree.ts';

export type Db = Pick<pg.Pool, 'query'>;

/** The number of the output log among the trees. The others are numbered as the partitions. */
export const OUTPUT_TREE = -1;

/** Reads the tiles of a stored tree. */
export function storedTiles(db: Db, tree: number): ReadTile {
  return async (level, n) => {
    if (level === 0) return (await entriesOf(db, tree, n)).map(leafHash);
    const { rows } = await db.query<{ hash: Hash }>({
      name: 'proof_nodes',
      text: 'SELECT hash FROM proof.nodes WHERE tree = $1 AND level = $2 AND n >= $3 AND n < $4 ORDER BY n',
      values: [tree, level, n * TILE_WIDTH, (n + 1) * TILE_WIDTH],
    });
    return rows.map(({ hash }) => hash);
  };
}

/** The entries of the leaves of tile `n`. */
async function entriesOf(db: Db, tree: number, n: number): Promise<Buffer[]> {
  if (tree === OUTPUT_TREE) {
    const { rows } = await db.query<{ entry: string }>({
      name: 'proof_output_entries',
      text: 'SELECT entry FROM proof.checkpoints WHERE n >= $1 AND n < $2 ORDER BY n',
      values: [n * TILE_WIDTH, (n + 1) * TILE_WIDTH],
    });
    return rows.map(({ entry }) => Buffer.from(entry));
  }
  const { rows } = await db.query<{ leaves: Buffer }>({
    name: 'proof_bundle',
    text: 'SELECT leaves FROM proof.bundles WHERE tree = $1 AND n = $2',
    values: [tree, n],
  });
  return leavesOf(rows[0]?.leaves ?? Buffer.alloc(0));
}

/**
 * Finds the indexes of leaves by their positions in the log, asked for in ascending order. It reads a bundle once.
 * @returns resolves to null: the tree does not have the leaf there
 */
export function leafFinder(db: Db, tree: number): (leaf: Buffer, position: string) => Promise<number | null> {
  let bundle: { readonly n: number; readonly last: string; readonly leaves: readonly Buffer[] } | null = null;
  return async (leaf, position) => {
    if (bundle === null || position > bundle.last) {
      const { rows } = await db.query<{ n: string; last: string; leaves: Buffer }>({
        name: 'proof_bundle_at',
        text: `SELECT n, last_position AS last, leaves FROM proof.bundles WHERE tree = $1 AND last_position >= $2
                ORDER BY tree, last_position LIMIT 1`,
        values: [tree, position],
      });
      const row = rows[0];
      if (row === undefined) return null;
      bundle = { n: Number(row.n), last: row.last, leaves: leavesOf(row.leaves) };
    }
    const index = bundle.leaves.findIndex((each) => each.equals(leaf));
    return index < 0 ? null : bundle.n * TILE_WIDTH + index;
  };
}

/** Finds a leaf in all trees. Reads every bundle. */
export async function findLeaf(
  db: Db,
  leaf: Buffer,
): Promise<{ readonly tree: number; readonly index: number } | null> {
  const { rows } = await db.query<{ tree: number; n: string; leaves: Buffer }>({
    name: 'proof_find_leaf',
    text: 'SELECT tree, n, leaves FROM proof.bundles WHERE position($1::bytea IN leaves) > 0',
    values: [leaf],
  });
  for (const { tree, n, leaves } of rows) {
    const index = leavesOf(leaves).findIndex((each) => each.equals(leaf));
    if (index >= 0) return { tree, index: Number(n) * TILE_WIDTH + index };
  }
  return null;
}

/** Cuts the bytes of a bundle into leaves. */
export function leavesOf(bundle: Buffer): Buffer[] {
  return Array.from({ length: bundle.length / LEAF_BYTES }, (_, i) =>
    bundle.subarray(i * LEAF_BYTES, (i + 1) * LEAF_BYTES),
  );
}

/**
 * The bytes of a public tile or bundle of entries.
 * @param size of the tree at the last checkpoint: what follows is not public yet
 * @returns null: the tree has no tile of that width
 */
export async function tileBytes(db: Db, tree: number, size: number, path: TilePath): Promise<Buffer | null> {
  const { level, n, width } = path;
  const hashes = Math.floor(size / TILE_WIDTH ** (level === 'entries' ? 0 : level));
  if (n * TILE_WIDTH + width > hashes) return null;
  if (level === 'entries') return bundleOf((await entriesOf(db, tree, n)).slice(0, width));
  return Buffer.concat((await storedTiles(db, tree)(level, n, width)).slice(0, width));
}
