import type pg from 'pg';
import { partitionOf } from '../../log/port.ts';
import type { CheckpointKeys } from '../../proof/checkpoint-keys.ts';
import { leafOf, NO_KEY } from '../../proof/leaf.ts';
import { parseReceipt } from '../../proof/receipt.ts';
import { isSignedBy, parseNote, parseVerifier } from '../../proof/signed-note.ts';
import { lastCheckpoint } from '../../queries/proof/last-checkpoint.ts';
import { findLeaf, leafFinder } from '../../queries/proof/stored-trees.ts';

/** Whether the promise of a receipt is kept. `open`: its time has not come. */
export interface CheckedReceipt {
  readonly state: 'kept' | 'open' | 'broken';
  readonly position: string;
  /** Hex SHA-256 of the stored commit, and of the request's body. */
  readonly commit: string;
  readonly request: string;
  /** Milliseconds UTC. */
  readonly at: number;
  readonly dueAt: number;
  /** The leaf in the signed tree; null: the tree does not have it. */
  readonly leaf: { readonly tree: number; readonly index: number; readonly checkpoint: number } | null;
}

export interface CheckReceiptContext {
  readonly pool: pg.Pool;
  readonly keys: CheckpointKeys;
  /** Verifier keys of replaced keys. */
  readonly formerKeys: readonly string[];
  readonly now: () => number;
}

/** The file is no receipt, or this log did not sign it. The message says why. */
export class NoReceiptError extends Error {
  override readonly name = 'NoReceiptError';
}

/**
 * Compares a receipt of intake with the trees of the last checkpoint.
 * @param text of a signed note
 * @throws NoReceiptError
 */
export async function checkReceipt(
  { pool, keys, formerKeys, now }: CheckReceiptContext,
  text: string,
): Promise<CheckedReceipt> {
  const note = parseNote(text);
  const receipt = note === null ? null : parseReceipt(note.text);
  if (note === null || receipt === null) throw new NoReceiptError('the file is no receipt of this format');
  const trusted = [...keys.signers.map(({ verifierKey }) => verifierKey), ...formerKeys];
  if (receipt.origin !== keys.origin || !trusted.some((key) => isSignedBy(note, parseVerifier(key)!)))
    throw new NoReceiptError(
      `the receipt is not signed by a key of ${keys.origin}; name a replaced key with --log-key`,
    );
  const last = await lastCheckpoint(pool);
  const leaf = leafOf(NO_KEY, 0, receipt.commit);
  const tree = partitionOf(receipt.position);
  const near = await leafFinder(pool, tree)(leaf, receipt.position);
  // A log that was copied to another engine has other positions.
  const found = near === null ? await findLeaf(pool, leaf) : { tree, index: near };
  const isSigned = found !== null && found.index < (last?.entry.trees[found.tree]?.size ?? 0);
  const missing = now() < receipt.dueAt ? 'open' : 'broken';
  return {
    state: isSigned ? 'kept' : missing,
    position: receipt.position,
    commit: Buffer.from(receipt.commit).toString('hex'),
    request: Buffer.from(receipt.request).toString('hex'),
    at: receipt.at,
    dueAt: receipt.dueAt,
    leaf: isSigned ? { ...found, checkpoint: last!.size } : null,
  };
}
