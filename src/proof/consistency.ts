import { type Hash, isSameHash, nodeHash } from './merkle-tree.ts';

/** The size and root of a tree. */
export interface TreeHead {
  readonly size: number;
  readonly root: Hash;
}

/**
 * Whether the proof shows that the tree `to` begins with the tree `from` (RFC 9162, 2.1.4.2). False for an empty `from`:
 * that each tree begins with the empty one says nothing.
 */
export function verifyConsistency(from: TreeHead, to: TreeHead, proof: readonly Hash[]): boolean {
  if (!isCount(from.size) || !isCount(to.size) || from.size > to.size) return false;
  if (from.size === 0 || proof.some((hash) => hash.length !== 32)) return false;
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
