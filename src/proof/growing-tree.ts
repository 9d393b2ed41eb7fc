import { EMPTY_ROOT, type Hash, nodeHash } from './merkle-tree.ts';

/** A tree that takes one leaf after another and keeps only the roots of its full subtrees, the largest first. */
export class GrowingTree {
  size = 0;
  readonly #full: Hash[] = [];

  push(leaf: Hash): void {
    let hash = leaf;
    for (let pairs = this.size; pairs % 2 === 1; pairs = Math.floor(pairs / 2))
      hash = nodeHash(this.#full.pop()!, hash);
    this.#full.push(hash);
    this.size++;
  }

  root(): Hash {
    return this.size === 0 ? EMPTY_ROOT : this.#full.reduceRight((right, left) => nodeHash(left, right));
  }
}
