import type { Batch, Cursor, Position, RecordedCommit } from '../../log/port.ts';
import { applyBatch, applyCommits, BadCommitError, type Target } from './apply.ts';
import { addDeadLetter } from './dead-letters.ts';
import { parts } from './parts.ts';

export interface WriterOptions {
  readonly target: Target;
  readonly checkpoint: Cursor;
  /** Ids of commits to pass over. */
  readonly skipped: ReadonlySet<string>;
  /** Told of a commit that the read model cannot take. It is set aside if this resolves; what this throws, `write` throws. */
  readonly onBadCommit: (commit: RecordedCommit, error: BadCommitError) => Promise<void>;
}

/** Writes what the log brings into a version of a read model. */
export interface Writer {
  /** How far the version holds the log. */
  readonly written: Cursor;
  /** Every part of the batch in a transaction of its own, with the checkpoint. @throws CheckpointTakenError */
  write(batch: Batch): Promise<void>;
}

export function createWriter({ target, checkpoint, skipped, onBadCommit }: WriterOptions): Writer {
  const written = new Map<number, Position>(checkpoint);

  async function writePart({ lane, commits, last }: Batch): Promise<void> {
    for (let rest = commits; ; ) {
      try {
        await applyBatch(target, { lane, commits: rest, last }, written.get(lane));
        written.set(lane, last);
        return;
      } catch (error) {
        if (!(error instanceof BadCommitError) || error.commit === undefined) throw error;
        const bad = rest.indexOf(error.commit);
        if (bad > 0) written.set(lane, rest[bad - 1]!.position);
        await onBadCommit(error.commit, error);
        await setAside(lane, error.commit, error.message);
        rest = rest.slice(bad + 1);
      }
    }
  }

  async function setAside(lane: number, commit: RecordedCommit, error: string): Promise<void> {
    const nothing = { lane, commits: [], last: commit.position };
    await applyCommits(target, nothing, written.get(lane), (tx) => addDeadLetter(tx, commit, error, false));
    written.set(lane, commit.position);
  }

  return {
    written,
    async write(batch) {
      const wanted = batch.commits.filter(({ id }) => !skipped.has(id));
      // Each part commits by itself: the Postgres log shows nothing newer than the oldest open transaction, so that a
      // long one keeps all readers of the log waiting, the catalog's among them.
      for (const part of parts({ ...batch, commits: wanted })) await writePart(part);
    },
  };
}
