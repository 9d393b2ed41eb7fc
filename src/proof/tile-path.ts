import { TILE_WIDTH } from './tile-tree.ts';

/** A tile of a tree, or its entries (C2SP tlog-tiles). */
export interface TilePath {
  readonly level: number | 'entries';
  readonly n: number;
  /** The number of hashes or entries; 256 of a full tile. */
  readonly width: number;
}

/**
 * Parses the part of a path after `/tile/`, such as `0/x001/x234/067.p/8` or `entries/005`.
 * @returns null: the path is not of that form
 */
export function parseTilePath(path: string): TilePath | null {
  const match = /^(entries|[0-9]|[1-5]\d|6[0-3])\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(path);
  if (match === null) return null;
  const [, level, groups, partial] = match;
  if (groups!.startsWith('x000')) return null;
  const n = Number(groups!.replace(/[x/]/g, ''));
  const width = partial === undefined ? TILE_WIDTH : Number(partial);
  if (partial !== undefined && width >= TILE_WIDTH) return null;
  return { level: level === 'entries' ? 'entries' : Number(level), n, width };
}

/** The bytes of a bundle of entries: before each its length, of 16 bits. */
export function bundleOf(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );
}
