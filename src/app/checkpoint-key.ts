import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { giveToOwnerOf } from '../database/embedded/access-file.ts';
import { newCheckpointKeys } from '../proof/checkpoint-keys.ts';

/** Makes the keys of checkpoints of a new installation, unless the file exists. Only its owner may read it. */
export async function makeCheckpointKeys(file: string): Promise<void> {
  const text = newCheckpointKeys(`localhost/botledger-${randomBytes(4).toString('hex')}`, randomBytes);
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw error;
  }
  await giveToOwnerOf(dirname(file), file);
}
