import { hash } from 'node:crypto';

/** The Merkle tree of RFC 6962 over SHA-256: hashes of leaves and nodes. Leaves count from 0. */

export type Hash = Uint8Array;

/** The root of the tree without leaves. */
export const EMPTY_ROOT: Hash = sha256('');

export function sha256(data: Uint8Array | string): Hash {
  return hash('sha256', data, 'buffer');
}

/** The leaf's hash of an entry. */
export function leafHash(entry: Uint8Array): Hash {
  const bytes = new Uint8Array(1 + entry.length);
  bytes.set(entry, 1);
  return sha256(bytes);
}

/** Reused: the hash copies it, and nothing waits in between. */
const node = new Uint8Array(65);
node[0] = 1;

export function nodeHash(left: Hash, right: Hash): Hash {
  node.set(left, 1);
  node.set(right, 33);
  return sha256(node);
}

/** The largest power of two below `size`: where a tree of that size splits. `size` is at least 2. */
export function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

export function isSameHash(one: Hash, other: Hash): boolean {
  return Buffer.compare(one, other) === 0;
}
