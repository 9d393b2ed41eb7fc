import type pg from 'pg';
import { readCheckpointKeys } from '../administration/proof/key-file.ts';
import type { ProofSource } from '../api/proof/serve-proof.ts';
import type { Config } from '../config.ts';
import type { EventLog } from '../log/port.ts';
import type { CheckpointKeys } from '../proof/checkpoint-keys.ts';

/** Gets the parts that the api makes proofs from. It reads the file of keys when it is first needed. */
export function proofSource(
  { PROOF, CHECKPOINT_KEY }: Pick<Config, 'PROOF' | 'CHECKPOINT_KEY'>,
  log: EventLog,
  pool: pg.Pool,
): ProofSource {
  if (PROOF === 'off') return null;
  let keys: CheckpointKeys | undefined;
  return async () => {
    keys ??= await readCheckpointKeys(CHECKPOINT_KEY!);
    return { log, pool, keys };
  };
}
