import { EMPTY_ROOT, type Hash, sha256 } from './merkle-tree.ts';

/**
 * The map of accounts: a binary trie over the accounts' keys, in which each inner node has two branches. A node's hash holds
 * the number of leading bits that the keys below it share. So the way from the root by the bits of a key leads to one leaf,
 * and a root shows one value of each key.
 */

/** The value of an account. */
export interface MapEntry {
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** Of its last commit. */
  readonly revision: number;
  /** The number of its leaves in the tree of its partition. */
  readonly leaves: number;
}

/** A part of the trie that is hashed already, with one of its keys. */
export interface MapPart {
  readonly key: Uint8Array;
  readonly hash: Hash;
}

/** A step on the way from a leaf to the root. */
export interface MapStep {
  /** The number of bits that all keys below the node share; the next bit decides the branch. */
  readonly depth: number;
  /** The other branch. */
  readonly sibling: Hash;
}

export function mapPartOf({ key, revision, leaves }: MapEntry): MapPart {
  const bytes = Buffer.alloc(49);
  bytes.set(key, 1);
  bytes.writeBigUInt64BE(BigInt(revision), 33);
  bytes.writeBigUInt64BE(BigInt(leaves), 41);
  return { key, hash: sha256(bytes) };
}

/**
 * The root over these parts, sorted by key. A part with several accounts has all accounts whose keys begin with the bits
 * that its own keys share.
 */
export function mapRoot(parts: readonly MapPart[]): Hash {
  return parts.length === 0 ? EMPTY_ROOT : nodeOf(parts, 0, parts.length);
}

function nodeOf(parts: readonly MapPart[], start: number, end: number): Hash {
  if (end - start === 1) return parts[start]!.hash;
  const { depth, middle } = branchesOf(parts, start, end);
  return innerHash(depth, nodeOf(parts, start, middle), nodeOf(parts, middle, end));
}

/** The steps from the part at `index` to the root over the parts, sorted by key. */
export function mapPath(parts: readonly MapPart[], index: number): MapStep[] {
  const steps: MapStep[] = [];
  let [start, end] = [0, parts.length];
  while (end - start > 1) {
    const { depth, middle } = branchesOf(parts, start, end);
    const isLeft = index < middle;
    steps.push({ depth, sibling: isLeft ? nodeOf(parts, middle, end) : nodeOf(parts, start, middle) });
    if (isLeft) end = middle;
    else start = middle;
  }
  return steps.reverse();
}

function branchesOf(parts: readonly MapPart[], start: number, end: number): { depth: number; middle: number } {
  const depth = sharedBits(parts[start]!.key, parts[end - 1]!.key);
  // The first part with a 1 after the shared bits.
  let [low, high] = [start, end];
  while (low < high) {
    const at = Math.floor((low + high) / 2);
    if (bitOf(parts[at]!.key, depth) === 0) low = at + 1;
    else high = at;
  }
  return { depth, middle: low };
}

function innerHash(depth: number, left: Hash, right: Hash): Hash {
  const bytes = Buffer.alloc(67);
  bytes[0] = 1;
  bytes.writeUInt16BE(depth, 1);
  bytes.set(left, 3);
  bytes.set(right, 35);
  return sha256(bytes);
}

function bitOf(key: Uint8Array, index: number): number {
  return (key[index >> 3]! >> (7 - (index & 7))) & 1;
}

function sharedBits(one: Uint8Array, other: Uint8Array): number {
  const at = one.findIndex((byte, index) => byte !== other[index]);
  if (at < 0) throw new RangeError('two parts of the map of accounts have the same key');
  return at * 8 + Math.clz32(one[at]! ^ other[at]!) - 24;
}
