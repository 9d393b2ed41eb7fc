import { hash } from 'node:crypto';

/** The Merkle tree of RFC 6962 over SHA-256: hashes of leaves and nodes, and checks of proofs. Leaves count from 0. */

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

/**
 * Whether the proof shows that the tree of this size and root has the leaf at `index` (RFC 9162, 2.1.3.2).
 * @param proof the siblings from the leaf up
 */
export function verifyInclusion(
  leaf: Hash,
  { index, size, root, proof }: { index: number; size: number; root: Hash; proof: readonly Hash[] },
): boolean {
  if (!isCount(index) || !isCount(size) || index >= size || ![leaf, ...proof].every(isHash)) return false;
  let [own, last] = [index, size - 1];
  let hashed = leaf;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (own % 2 === 1 || own === last) {
      hashed = nodeHash(sibling, hashed);
      while (own % 2 === 0 && own !== 0) [own, last] = [half(own), half(last)];
    } else hashed = nodeHash(hashed, sibling);
    [own, last] = [half(own), half(last)];
  }
  return last === 0 && isSameHash(hashed, root);
}

/**
 * Whether the proof shows that the tree `to` begins with the tree `from` (RFC 9162, 2.1.4.2). False for an empty `from`:
 * that each tree begins with the empty one says nothing.
 */
export function verifyConsistency(
  from: { readonly size: number; readonly root: Hash },
  to: { readonly size: number; readonly root: Hash },
  proof: readonly Hash[],
): boolean {
  if (!isCount(from.size) || !isCount(to.size) || from.size > to.size || !proof.every(isHash)) return false;
  if (from.size === 0) return false;
  if (from.size === to.size) return proof.length === 0 && isSameHash(from.root, to.root);
  let [own, last] = [from.size - 1, to.size - 1];
  while (own % 2 === 1) [own, last] = [half(own), half(last)];
  const rest = [...proof];
  // A tree of a power of two leaves is a node of the later tree, so the proof leaves its root out.
  const first = own === 0 ? from.root : rest.shift();
  if (first === undefined) return false;
  let [old, grown] = [first, first];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (own % 2 === 1 || own === last) {
      [old, grown] = [nodeHash(sibling, old), nodeHash(sibling, grown)];
      while (own % 2 === 0 && own !== 0) [own, last] = [half(own), half(last)];
    } else grown = nodeHash(grown, sibling);
    [own, last] = [half(own), half(last)];
  }
  return last === 0 && isSameHash(old, from.root) && isSameHash(grown, to.root);
}

const half = (count: number): number => Math.floor(count / 2);
const isCount = (count: number): boolean => Number.isSafeInteger(count) && count >= 0;
const isHash = (hash: Hash): boolean => hash.length === 32;
