import { readFile } from 'node:fs/promises';
import { type CheckpointKeys, parseCheckpointKeys } from '../../proof/checkpoint-keys.ts';
import { parsePolicy, type WitnessPolicy } from '../../proof/witness-policy.ts';

/** Reads the file of CHECKPOINT_KEY. @throws Error it is missing or wrong; the message names the variable, and no secret */
export async function readCheckpointKeys(file: string): Promise<CheckpointKeys> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Error(`CHECKPOINT_KEY: failed to read ${file}`, { cause: error });
  });
  const keys = parseCheckpointKeys(text);
  if (typeof keys === 'string') throw new Error(`CHECKPOINT_KEY: ${file} is no file of checkpoint keys: ${keys}`);
  return keys;
}

/** Reads the file of WITNESS_POLICY; null: there is none. @throws Error it is wrong, or its logs lack the key of this log */
export async function readWitnessPolicy(
  file: string | undefined,
  { signers }: CheckpointKeys,
): Promise<WitnessPolicy | null> {
  if (file === undefined) return null;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Error(`WITNESS_POLICY: failed to read ${file}`, { cause: error });
  });
  const policy = parsePolicy(text);
  if (typeof policy === 'string') throw new Error(`WITNESS_POLICY: ${file}: ${policy}`);
  if (policy.logs.length > 0 && !signers.some(({ verifierKey }) => policy.logs.includes(verifierKey)))
    throw new Error(`WITNESS_POLICY: ${file} has lines log, and none has the verifier key ${signers[0]!.verifierKey}`);
  return policy;
}
