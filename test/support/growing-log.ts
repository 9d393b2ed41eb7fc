import { addCheckpointText } from '../../src/proof/add-checkpoint.ts';
import { checkpointText } from '../../src/proof/checkpoint-text.ts';
import { type Hash, leafHash } from '../../src/proof/merkle-tree.ts';
import { type NoteSigner, parseSigner, privateKeyText, signNote } from '../../src/proof/signed-note.ts';
import { tilesOf, tileTree } from '../../src/proof/tile-tree.ts';

/** A log of up to 700 leaves that a test shows to witnesses. */
export interface GrowingLog {
  readonly signer: NoteSigner;
  /** The signed checkpoint of this size. */
  checkpoint(size: number): Promise<string>;
  /** The proof that the tree of `to` leaves begins with the tree of `from` leaves. */
  consistency(from: number, to: number): Promise<readonly Hash[]>;
  /** The body of `POST /add-checkpoint`. */
  request(oldSize: number, size: number): Promise<string>;
}

const LEAVES = 700;

/** @param differsFrom the leaf from which on the log differs from others: logs of one name are forks of each other */
export function growingLog(differsFrom = LEAVES, name = 'log.test/log'): GrowingLog {
  const leaves = Array.from({ length: LEAVES }, (_, i) =>
    leafHash(Buffer.from(i < differsFrom ? `leaf ${i}` : `other leaf ${i}`)),
  );
  const tree = tileTree(tilesOf(leaves));
  const signer = parseSigner(privateKeyText(name, Buffer.alloc(32, 1)))!;
  const checkpoint = async (size: number): Promise<string> =>
    signNote(checkpointText({ origin: name, size, root: await tree.root(size) }), [signer]);
  return {
    signer,
    checkpoint,
    consistency: tree.consistency,
    request: async (oldSize, size) =>
      addCheckpointText({
        oldSize,
        proof: await tree.consistency(oldSize, size),
        note: await checkpoint(size),
      }),
  };
}
