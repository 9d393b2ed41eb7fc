import { type MapEntry, type MapStep, mapPartOf } from '../../src/proof/account-map.ts';
import { type Hash, isSameHash, nodeHash, sha256 } from '../../src/proof/merkle-tree.ts';

/** Checks of inclusion after the text of the RFC: the service makes these proofs, and bin/verify.mjs checks them by its own code. */

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

const half = (count: number): number => Math.floor(count / 2);
const isCount = (count: number): boolean => Number.isSafeInteger(count) && count >= 0;
const isHash = (hash: Hash): boolean => hash.length === 32;

/** Whether the steps lead from the account's entry to the root of the map. */
export function verifyMapPath(entry: MapEntry, steps: readonly MapStep[], root: Hash): boolean {
  let { hash } = mapPartOf(entry);
  let below = 256;
  for (const { depth, sibling } of steps) {
    if (!(depth >= 0 && depth < below) || !isHash(sibling)) return false;
    const isRight = (entry.key[depth >> 3]! >> (7 - (depth & 7))) & 1;
    const branches = isRight ? [sibling, hash] : [hash, sibling];
    hash = sha256(Buffer.concat([Buffer.from([1, depth >> 8, depth & 255]), ...branches]));
    below = depth;
  }
  return isSameHash(hash, root);
}
