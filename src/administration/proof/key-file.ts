import { readFile } from 'node:fs/promises';
import { type CheckpointKeys, parseCheckpointKeys } from '../../proof/checkpoint-keys.ts';

/** Reads the file of CHECKPOINT_KEY. @throws Error it is missing or wrong; the message names the variable, and no secret */
export async function readCheckpointKeys(file: string): Promise<CheckpointKeys> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Error(`CHECKPOINT_KEY: failed to read ${file}`, { cause: error });
  });
  const keys = parseCheckpointKeys(text);
  if (typeof keys === 'string') throw new Error(`CHECKPOINT_KEY: ${file} is no file of checkpoint keys: ${keys}`);
  return keys;
}
