import { inTransaction } from '../../database/transaction.ts';
import { deadLetterSkipped } from '../../domain/operations/dead-letters.ts';
import { projectionStream } from '../../domain/streams.ts';
import type { EventLog, RecordedCommit } from '../../log/port.ts';
import { applyLate, BadCommitError, type Target } from './apply.ts';
import { addDeadLetter, commitsToRetry } from './dead-letters.ts';
import { setError, setSearchPath } from './versions.ts';

/** Records that the version stops at a commit: its dead letter and its error, in one transaction. */
export async function recordStop(
  { pool, model, schema }: Target,
  version: number,
  commit: RecordedCommit,
  error: BadCommitError,
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await setSearchPath(tx, schema);
    await addDeadLetter(tx, commit, error.message, true);
    await setError(tx, model.name, version, error.message);
  });
}

/**
 * Applies the dead letters that an operator asked to retry.
 * @param isOwn whether they are of a partition that this projector follows
 * @returns whether one was applied
 */
export async function retryDeadLetters(target: Target, isOwn: (partition: number) => boolean): Promise<boolean> {
  let applied = false;
  for (const commit of await commitsToRetry(target.pool, target.schema, isOwn)) {
    try {
      if (await applyLate(target, commit)) applied = true;
    } catch (error) {
      if (!(error instanceof BadCommitError)) throw error;
      await inTransaction(target.pool, async (tx) => {
        await setSearchPath(tx, target.schema);
        await addDeadLetter(tx, commit, error.message, false);
      });
    }
  }
  return applied;
}

/** The ids of commits that operators decided to skip. They are in the log, so that a replay skips them too. */
export async function skippedCommits(log: EventLog, name: string): Promise<ReadonlySet<string>> {
  const { commits } = await log.read(projectionStream(name));
  const skipped = commits
    .flatMap(({ events }) => events)
    .filter(({ type }) => type === deadLetterSkipped.type)
    .map((event) => deadLetterSkipped.read(event).data.commit_id);
  return new Set(skipped);
}
