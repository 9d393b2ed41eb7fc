import type { Config } from '../../config.ts';
import { receiptText } from '../../proof/receipt.ts';
import { signNote } from '../../proof/signed-note.ts';
import type { SignReceipt } from '../intake/acknowledge.ts';
import type { ProofSource } from './prove-for-caller.ts';

/** A checkpoint may fail a few times, or the process may change its instance, before a promise is broken. */
const CHECKPOINTS_IN_TIME = 3;
const MARGIN_MS = 60_000;

/** Signs receipts of intake with the keys of checkpoints (decisions.md#receipts). */
export function receiptSigner(
  source: ProofSource,
  { CHECKPOINT_SECONDS }: Pick<Config, 'CHECKPOINT_SECONDS'>,
  now: () => number,
): SignReceipt {
  if (source === null) return null;
  const dueMs = CHECKPOINTS_IN_TIME * CHECKPOINT_SECONDS * 1000 + MARGIN_MS;
  return async (promised) => {
    const { keys } = await source();
    const at = now();
    return signNote(receiptText({ ...promised, origin: keys.origin, at, dueAt: at + dueMs }), keys.signers);
  };
}
