import { inTransaction } from '../../database/transaction.ts';
import { deadLetterSkipped } from '../../domain/operations/dead-letter-events.ts';
import { isOfBot, projectionStream } from '../../domain/streams.ts';
import { type EventLog, partitionOf, type RecordedCommit } from '../../log/port.ts';
import type { ReadModel } from '../read-model.ts';
import { applyLate, CheckpointTakenError, type Target } from './apply.ts';
import { BadCommitError } from './bad-commit.ts';
import { lockCheckpoint, MOST_PARTITIONS } from './checkpoint.ts';
import { addDeadLetter, commitsToRetry, removeDeadLetter, setRetryFailed } from './dead-letters.ts';
import type { OnBadEvent } from './projector-options.ts';
import { noteError, setSearchPath } from './versions.ts';

/**
 * Records that the version stops at a commit: its dead letter and its error, in one transaction. The lock on the checkpoint
 * keeps other projectors from applying the commit until the letter is written.
 * @param key of the checkpoint of the commit's bot
 * @throws CheckpointTakenError another projector has passed the commit
 */
export async function recordStop(
  { pool, model, schema }: Target,
  version: number,
  commit: RecordedCommit,
  error: BadCommitError,
  key = partitionOf(commit.position),
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await setSearchPath(tx, schema);
    const applied = await lockCheckpoint(tx, schema, key);
    const isJoined = applied === undefined && key >= MOST_PARTITIONS;
    if (isJoined || (applied !== undefined && applied >= commit.position))
      throw new CheckpointTakenError(`checkpoint of ${schema} has passed ${commit.position}`, { cause: error });
    await addDeadLetter(tx, commit, error.message, true);
    await noteError(tx, model.name, version, error.message);
  });
}

/**
 * Applies the dead letters that an operator asked to retry, except those of quarantined bots: these catch up in order.
 * @param isOwn whether a commit is for this projector to apply late: of a partition that it follows, and of no quarantined bot
 * @param skipped ids of commits that the log says to skip: their letters go away, also after a skip that was interrupted
 * @returns whether one was applied
 */
export async function retryDeadLetters(
  target: Target,
  isOwn: (commit: RecordedCommit) => boolean,
  skipped: ReadonlySet<string>,
): Promise<boolean> {
  const { pool, schema } = target;
  let applied = false;
  for (const commit of await commitsToRetry(pool, schema, isOwn)) {
    try {
      if (skipped.has(commit.id)) await removeDeadLetter(pool, schema, commit.id);
      else if (await applyLate(target, commit)) applied = true;
    } catch (error) {
      if (!(error instanceof BadCommitError)) throw error;
      await setRetryFailed(pool, schema, commit.id, error.message);
    }
  }
  return applied;
}

/** Chooses the action of a built version at a commit that it cannot apply. A commit that belongs to no bot stops all of them. */
export function remedyOf(
  { isolatesBots }: Pick<ReadModel, 'isolatesBots'>,
  onBadEvent: OnBadEvent,
  { stream }: Pick<RecordedCommit, 'stream'>,
): OnBadEvent {
  return onBadEvent === 'quarantine' && !(isolatesBots === true && isOfBot(stream)) ? 'stop' : onBadEvent;
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
