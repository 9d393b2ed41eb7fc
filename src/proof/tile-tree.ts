import { LRUCache } from 'lru-cache';
import { EMPTY_ROOT, type Hash, nodeHash, splitOf } from './merkle-tree.ts';

/** The number of hashes in a full tile (C2SP tlog-tiles): the leaves of a subtree of height 8. */
export const TILE_WIDTH = 256;
const TILE_HEIGHT = 8;
const MAX_TILES = 200;

/**
 * Reads tile `n`: the hashes of consecutive full subtrees of `256 ** level` leaves. Resolves to the hashes that exist, at
 * least `width`.
 */
export type ReadTile = (level: number, n: number, width: number) => Promise<readonly Hash[]>;

/** Reads the tiles of a tree that has all its leaves in memory. */
export function tilesOf(leaves: readonly Hash[]): ReadTile {
  const levels = [leaves];
  for (let below = leaves; below.length >= TILE_WIDTH; below = levels.at(-1)!) {
    const full = Math.floor(below.length / TILE_WIDTH);
    levels.push(Array.from({ length: full }, (_, n) => rootOfTile(below.slice(n * TILE_WIDTH, (n + 1) * TILE_WIDTH))));
  }
  return async (level, n) => levels[level]?.slice(n * TILE_WIDTH, (n + 1) * TILE_WIDTH) ?? [];
}

/** A tree that reads its hashes in tiles. It keeps the computed hashes of the tiles used last, about 40 KB each. */
export interface TileTree {
  /** The root of the first `size` leaves. */
  root(size: number): Promise<Hash>;
  /** The proof that the tree of `size` leaves has the leaf at `index`: the siblings from the leaf up. */
  inclusion(index: number, size: number): Promise<Hash[]>;
  /** The proof that the tree of `to` leaves begins with the tree of `from` leaves. */
  consistency(from: number, to: number): Promise<Hash[]>;
}

export function tileTree(readTile: ReadTile): TileTree {
  const tiles = new LRUCache<string, { readonly width: number; readonly heights: readonly (readonly Hash[])[] }>({
    max: MAX_TILES,
  });

  async function folded(level: number, n: number, width: number): Promise<readonly (readonly Hash[])[]> {
    const name = `${level}/${n}`;
    const known = tiles.get(name);
    if (known !== undefined && known.width >= width) return known.heights;
    const hashes = await readTile(level, n, width);
    if (hashes.length < width) throw new Error(`tile ${name} has ${hashes.length} hashes of ${width}`);
    const heights = foldTile(hashes);
    tiles.set(name, { width: hashes.length, heights });
    return heights;
  }

  /** The hash of the full subtree of `2 ** height` leaves that is the `index`th of that height. */
  async function subtree(height: number, index: number): Promise<Hash> {
    const level = Math.floor(height / TILE_HEIGHT);
    const within = height - level * TILE_HEIGHT;
    const first = index * 2 ** within;
    const n = Math.floor(first / TILE_WIDTH);
    const offset = first - n * TILE_WIDTH;
    const heights = await folded(level, n, offset + 2 ** within);
    return heights[within]![offset / 2 ** within]!;
  }

  /** The hash of the leaves from `start` to before `end`. `start` is a multiple of the subtree's size, as RFC 6962 splits. */
  async function range(start: number, end: number): Promise<Hash> {
    const size = end - start;
    const height = Math.log2(size);
    if (Number.isInteger(height)) return subtree(height, start / size);
    const middle = start + splitOf(size);
    return nodeHash(await range(start, middle), await range(middle, end));
  }

  async function path(index: number, start: number, end: number): Promise<Hash[]> {
    if (end - start === 1) return [];
    const middle = start + splitOf(end - start);
    return index < middle
      ? [...(await path(index, start, middle)), await range(middle, end)]
      : [...(await path(index, middle, end)), await range(start, middle)];
  }

  /** RFC 6962, 2.1.2. @param isKnown whether the verifier has the hash of the leaves from `start` to before `from` */
  async function growth(from: number, start: number, end: number, isKnown: boolean): Promise<Hash[]> {
    if (from === end) return isKnown ? [] : [await range(start, end)];
    const middle = start + splitOf(end - start);
    return from <= middle
      ? [...(await growth(from, start, middle, isKnown)), await range(middle, end)]
      : [...(await growth(from, middle, end, false)), await range(start, middle)];
  }

  return {
    root: async (size) => (size === 0 ? EMPTY_ROOT : range(0, size)),
    inclusion: (index, size) => path(index, 0, size),
    consistency: async (from, to) => (from === 0 ? [] : growth(from, 0, to, true)),
  };
}

/** The hashes of a tile's full subtrees by height; height 0 has the hashes of the tile itself. */
function foldTile(hashes: readonly Hash[]): Hash[][] {
  const heights: Hash[][] = [[...hashes]];
  for (let below = heights[0]!; below.length > 1; ) {
    const next: Hash[] = [];
    for (let i = 1; i < below.length; i += 2) next.push(nodeHash(below[i - 1]!, below[i]!));
    heights.push(next);
    below = next;
  }
  return heights;
}

/** The root of a full tile: a hash of the tile above it. */
export function rootOfTile(hashes: readonly Hash[]): Hash {
  return foldTile(hashes)[TILE_HEIGHT]![0]!;
}
