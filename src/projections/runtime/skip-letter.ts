import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../database/transaction.ts';
import { partitionOf } from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import { schemaOf } from '../read-model.ts';
import { lockCheckpoint } from './checkpoint.ts';
import {
  askProjectors,
  type DeadLetter,
  findDeadLetter,
  type LetterName,
  placeOfLetter,
  removeDeadLetter,
} from './dead-letters.ts';
import { checkpointKeyOf } from './sections.ts';
import { allVersions, clearError } from './versions.ts';

/**
 * Removes a dead letter from every version of the read model. A version that waits at the commit resumes and skips it.
 * @param decide records the skip in the log. Until the letters are removed, locks keep projectors from applying the commit: a
 * replay would lose an applied commit
 * @returns false: the version has no such letter any more, or has applied the commit; nothing was decided
 */
export async function skipLetter(
  pool: Pool,
  { name, version, commitId }: LetterName,
  decide: (letter: DeadLetter) => Promise<void>,
): Promise<boolean> {
  const versions = (await allVersions(pool)).filter((each) => each.name === name);
  return inTransaction(pool, async (tx) => {
    const letters = new Map<number, DeadLetter>();
    for (const each of versions) {
      const letter = await lockLetter(tx, schemaOf(name, each.version), commitId);
      if (letter !== undefined) letters.set(each.version, letter);
    }
    const letter = letters.get(version);
    if (letter === undefined) return false;
    await decide(letter);
    for (const [each, { blocking }] of letters) {
      await removeDeadLetter(tx, schemaOf(name, each), commitId);
      if (blocking) await clearError(tx, name, each);
      else await askProjectors(tx, name, each); // a bot that waits at the commit continues
    }
    return true;
  });
}

/**
 * Keeps projectors from applying the commit of a dead letter until the transaction ends.
 * @returns undefined: there is no letter, or it is out of date since the version has applied the commit that it stopped at
 */
async function lockLetter(tx: ClientBase, schema: string, commitId: string): Promise<DeadLetter | undefined> {
  const place = await placeOfLetter(tx, schema, commitId);
  if (place === undefined) return undefined;
  const { position, stream } = place;
  const key = await checkpointKeyOf(tx, schema, partitionOf(position), keyOf(stream));
  const applied = await lockCheckpoint(tx, schema, key);
  const letter = await findDeadLetter(tx, schema, commitId);
  return letter?.blocking && applied !== undefined && applied >= position ? undefined : letter;
}
