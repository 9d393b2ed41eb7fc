import type pg from 'pg';
import { readCheckpointKeys, readWitnessPolicy } from '../administration/proof/key-file.ts';
import type { ProofContext } from '../administration/proof/prove-account.ts';
import type { ProofSource } from '../api/proof/prove-for-caller.ts';
import type { Config } from '../config.ts';
import type { EventLog } from '../log/port.ts';

/** Gets the parts that the api makes proofs from. It reads the files of keys and policy when they are first needed. */
export function proofSource(
  { PROOF, CHECKPOINT_KEY, WITNESS_POLICY }: Pick<Config, 'PROOF' | 'CHECKPOINT_KEY' | 'WITNESS_POLICY'>,
  log: EventLog,
  pool: pg.Pool,
): ProofSource {
  if (PROOF === 'off') return null;
  let files: Pick<ProofContext, 'keys' | 'policy'> | undefined;
  return async () => {
    if (files === undefined) {
      const keys = await readCheckpointKeys(CHECKPOINT_KEY!);
      files = { keys, policy: await readWitnessPolicy(WITNESS_POLICY, keys) };
    }
    return { log, pool, ...files };
  };
}
