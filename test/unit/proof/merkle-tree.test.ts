import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyConsistency } from '../../../src/proof/consistency.ts';
import { GrowingTree } from '../../../src/proof/growing-tree.ts';
import { EMPTY_ROOT, type Hash, leafHash, nodeHash } from '../../../src/proof/merkle-tree.ts';
import { rootOfTile, TILE_WIDTH, tileTree } from '../../../src/proof/tile-tree.ts';
import { verifyInclusion } from '../../support/verify-proofs.ts';

const LEAVES = 700;
const leaves: readonly Hash[] = Array.from({ length: LEAVES }, (_, i) => leafHash(Buffer.from(`leaf ${i}`)));

/** The root as RFC 6962, 2.1 defines it. */
function defined(hashes: readonly Hash[]): Hash {
  if (hashes.length === 0) return EMPTY_ROOT;
  if (hashes.length === 1) return hashes[0]!;
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return nodeHash(defined(hashes.slice(0, split)), defined(hashes.slice(split)));
}

const roots = Array.from({ length: 301 }, (_, size) => defined(leaves.slice(0, size)));

/** Tiles as a store has them: of level 1 only the roots of full tiles. */
const tree = tileTree(async (level, n) => {
  if (level === 0) return leaves.slice(n * TILE_WIDTH, (n + 1) * TILE_WIDTH);
  const full = Array.from({ length: Math.floor(LEAVES / TILE_WIDTH) }, (_, tile) =>
    rootOfTile(leaves.slice(tile * TILE_WIDTH, (tile + 1) * TILE_WIDTH)),
  );
  return level === 1 ? full.slice(n * TILE_WIDTH) : [];
});

it('a growing tree has the defined root at each size from 0 to 300', () => {
  const growing = new GrowingTree();
  for (const [size, root] of roots.entries()) {
    expect(growing.root(), `size ${size}`).toEqual(root);
    growing.push(leaves[size]!);
  }
});

describe('a tree of tiles', () => {
  it('has the defined root at each size from 0 to 300, and at the end', async () => {
    expect(EMPTY_ROOT).toEqual(Buffer.from('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'hex'));
    for (const [size, root] of roots.entries()) expect(await tree.root(size), `size ${size}`).toEqual(root);
    expect(await tree.root(LEAVES)).toEqual(defined(leaves));
  });

  it('proves each leaf of each tree of up to 300 leaves', async () => {
    for (let size = 1; size <= 300; size += size < 70 ? 1 : 23)
      for (let index = 0; index < size; index++) {
        const proof = await tree.inclusion(index, size);
        const claim = { index, size, root: roots[size]!, proof };
        if (!verifyInclusion(leaves[index]!, claim)) expect.fail(`leaf ${index} of ${size}`);
        if (verifyInclusion(leaves[index + 1]!, claim)) expect.fail(`the next leaf at ${index} of ${size}`);
      }
  });

  it('proves that each tree of up to 300 leaves begins with each smaller one', async () => {
    for (let to = 1; to <= 300; to += to < 70 ? 1 : 23)
      for (let from = 1; from <= to; from++) {
        const proof = await tree.consistency(from, to);
        const [old, grown] = [
          { size: from, root: roots[from]! },
          { size: to, root: roots[to]! },
        ];
        if (!verifyConsistency(old, grown, proof)) expect.fail(`${from} to ${to}`);
        if (verifyConsistency({ ...old, root: roots[from - 1]! }, grown, proof)) expect.fail(`${from}, ${to}`);
      }
  });

  it('gives proofs that no changed bit survives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 300 }), fc.nat(), fc.nat(), async (size, chosen, flipped) => {
        const index = chosen % size;
        const proof = await tree.inclusion(index, size);
        const bit = flipped % (proof.length * 256);
        const hash = Buffer.from(proof[bit >> 8]!);
        hash[(bit & 255) >> 3]! ^= 1 << (bit & 7);
        proof[bit >> 8] = hash;
        return !verifyInclusion(leaves[index]!, { index, size, root: roots[size]!, proof });
      }),
    );
  });
});

interface Vectors {
  readonly inclusion: readonly {
    readonly name: string;
    readonly leafIdx: number;
    readonly treeSize: number;
    readonly root: string | null;
    readonly leafHash: string | null;
    readonly proof: readonly string[] | null;
    readonly wantErr: boolean;
  }[];
  readonly consistency: readonly {
    readonly name: string;
    readonly size1: number;
    readonly size2: number;
    readonly root1: string | null;
    readonly root2: string | null;
    readonly proof: readonly string[] | null;
    readonly wantErr: boolean;
  }[];
}

describe('the vectors of transparency-dev/merkle', () => {
  const vectors: Vectors = JSON.parse(readFileSync(new URL('merkle-vectors.json', import.meta.url), 'utf8'));
  const bytes = (text: string | null): Buffer => Buffer.from(text ?? '', 'base64');
  const all = (texts: readonly string[] | null): Buffer[] => (texts ?? []).map(bytes);

  it('of inclusion pass and fail as wanted', () => {
    expect(vectors.inclusion.length).toBeGreaterThan(90);
    const verdicts = vectors.inclusion.map(({ name, leafIdx, treeSize, root, leafHash, proof }) => [
      name,
      verifyInclusion(bytes(leafHash), { index: leafIdx, size: treeSize, root: bytes(root), proof: all(proof) }),
    ]);
    expect(verdicts).toEqual(vectors.inclusion.map(({ name, wantErr }) => [name, !wantErr]));
  });

  it('of consistency pass and fail as wanted', () => {
    expect(vectors.consistency.length).toBeGreaterThan(90);
    const verdicts = vectors.consistency.map(({ name, size1, size2, root1, root2, proof }) => [
      name,
      verifyConsistency({ size: size1, root: bytes(root1) }, { size: size2, root: bytes(root2) }, all(proof)),
    ]);
    expect(verdicts).toEqual(vectors.consistency.map(({ name, wantErr }) => [name, !wantErr]));
  });
});
