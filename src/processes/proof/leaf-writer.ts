import type pg from 'pg';
import { isOfCheckpoints } from '../../domain/streams.ts';
import type { CommitDigest, Cursor, Position } from '../../log/port.ts';
import { leafOf } from '../../proof/leaf.ts';
import { type Hash, leafHash } from '../../proof/merkle-tree.ts';
import { rootOfTile, TILE_WIDTH } from '../../proof/tile-tree.ts';
import type { Vrf } from '../../proof/vrf.ts';
import { leavesOf, storedTiles } from '../../queries/proof/stored-trees.ts';
import { AccountKeys } from './account-keys.ts';

/** The end of the tree of one partition. */
interface TreeEnd {
  /** The number of leaves that are saved. */
  saved: number;
  /** The position of the last leaf. */
  position: Position | null;
  /** The leaves from the last full bundle on, and their positions ('' of leaves that an earlier run saved). */
  leaves: { readonly leaf: Buffer; readonly position: Position }[];
}

/**
 * Appends leaves to the trees of all partitions. It keeps them in memory and saves many at a time. What a kill loses is read
 * from the log again.
 */
export class LeafWriter {
  /** The number of leaves that are not saved. */
  unsaved = 0;
  /** Whether a leaf since the last checkpoint is of something else than a checkpoint or its cosignatures. */
  hasNews = false;

  private constructor(
    private readonly trees: readonly TreeEnd[],
    private readonly accounts: AccountKeys,
  ) {}

  /** Continues the stored trees. */
  static async open(pool: pg.Pool, partitions: number, vrf: Vrf): Promise<LeafWriter> {
    const trees: TreeEnd[] = Array.from({ length: partitions }, () => ({ saved: 0, position: null, leaves: [] }));
    const { rows } = await pool.query<{ tree: number; size: string; position: Position; leaves: Buffer | null }>(
      `SELECT tree, size, position, leaves FROM proof.trees
        LEFT JOIN proof.bundles USING (tree) WHERE n = (size - 1) / ${TILE_WIDTH}`,
    );
    for (const { tree, size, position, leaves } of rows) {
      const end = trees[tree];
      if (end === undefined)
        throw new Error(`there is a tree of partition ${tree}; drop the schema proof to build it again`);
      end.saved = Number(size);
      end.position = position;
      const last = leavesOf(leaves!);
      if (last.length < TILE_WIDTH) end.leaves = last.map((leaf) => ({ leaf, position: '' }));
    }
    return new LeafWriter(trees, new AccountKeys(pool, vrf));
  }

  /** The number of leaves of each tree, saved or not. */
  sizes(): number[] {
    return this.trees.map(sizeOf);
  }

  /** Where reading continues. */
  cursor(): Cursor {
    return new Map(this.trees.flatMap(({ position }, tree) => (position === null ? [] : [[tree, position] as const])));
  }

  /** Appends the leaves of these commits, in the order of their partition. */
  async take(partition: number, commits: readonly CommitDigest[]): Promise<void> {
    await this.accounts.prepare(commits.map(({ stream }) => stream));
    const tree = this.trees[partition]!;
    for (const commit of commits) {
      const { position, stream, revision, digest } = commit;
      const leaf = leafOf(this.accounts.take(commit), revision ?? 0, digest);
      tree.leaves.push({ leaf, position });
      tree.position = position;
      this.hasNews ||= !isOfCheckpoints(stream);
    }
    this.unsaved += commits.length;
  }

  /**
   * Saves all leaves in the caller's transaction. If that fails, the writer must not be used again.
   * @throws Error another instance has saved leaves
   */
  async save(tx: pg.ClientBase): Promise<void> {
    for (const [number, tree] of this.trees.entries()) {
      const size = sizeOf(tree);
      if (size === tree.saved) continue;
      const first = Math.floor(tree.saved / TILE_WIDTH);
      const bundles = bundlesOf(tree).map((leaves, i) => ({ n: first + i, leaves }));
      await tx.query({
        name: 'proof_save_bundles',
        text: `INSERT INTO proof.bundles (tree, n, last_position, leaves)
               SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bytea[])
               ON CONFLICT (tree, n) DO UPDATE SET last_position = excluded.last_position, leaves = excluded.leaves`,
        values: [
          number,
          bundles.map(({ n }) => n),
          bundles.map(({ leaves }) => leaves.at(-1)!.position),
          bundles.map(({ leaves }) => Buffer.concat(leaves.map(({ leaf }) => leaf))),
        ],
      });
      const full = bundles.filter(({ leaves }) => leaves.length === TILE_WIDTH);
      for (const { n, leaves } of full)
        await addNode(tx, number, { n, root: rootOfTile(leaves.map(({ leaf }) => leafHash(leaf))) });
      const { rowCount } = await tx.query({
        name: 'proof_save_tree',
        text: `INSERT INTO proof.trees AS t (tree, size, position) VALUES ($1, $2, $3)
               ON CONFLICT (tree) DO UPDATE SET size = excluded.size, position = excluded.position WHERE t.size = $4`,
        values: [number, size, tree.position, tree.saved],
      });
      if (rowCount !== 1) throw new Error('another instance has appended to the trees');
      tree.saved = size;
      tree.leaves = tree.leaves.slice(full.length * TILE_WIDTH);
    }
    await this.accounts.save(tx);
    this.unsaved = 0;
  }
}

/** The leaves kept begin with a bundle. */
function sizeOf({ saved, leaves }: TreeEnd): number {
  return saved - (saved % TILE_WIDTH) + leaves.length;
}

function bundlesOf({ leaves }: TreeEnd): TreeEnd['leaves'][] {
  const count = Math.ceil(leaves.length / TILE_WIDTH);
  return Array.from({ length: count }, (_, i) => leaves.slice(i * TILE_WIDTH, (i + 1) * TILE_WIDTH));
}

/** Saves the root of a full tile of leaves, and the roots of the tiles above that it fills. */
export async function addNode(
  tx: pg.ClientBase,
  tree: number,
  { n, root, level = 1 }: { readonly n: number; readonly root: Hash; readonly level?: number },
): Promise<void> {
  await tx.query({
    name: 'proof_save_node',
    text: `INSERT INTO proof.nodes (tree, level, n, hash) VALUES ($1, $2, $3, $4)
           ON CONFLICT (tree, level, n) DO UPDATE SET hash = excluded.hash`,
    values: [tree, level, n, root],
  });
  if ((n + 1) % TILE_WIDTH !== 0) return;
  const above = Math.floor(n / TILE_WIDTH);
  const tile = await storedTiles(tx, tree)(level, above, TILE_WIDTH);
  await addNode(tx, tree, { n: above, root: rootOfTile(tile), level: level + 1 });
}
