import type { Batch, Cursor, Position, RecordedCommit } from '../../log/port.ts';
import type { ReadCommit } from '../read-model.ts';
import { applyBatch, applyCommits, BadCommitError, NOTHING, type Target } from './apply.ts';
import { addDeadLetter } from './dead-letters.ts';
import { parts } from './parts.ts';
import { readCommits } from './read-commits.ts';

export interface WriterOptions {
  readonly target: Target;
  readonly checkpoint: Cursor;
  /** Ids of commits to pass over. */
  readonly skipped: ReadonlySet<string>;
  /** Told of a commit that the read model cannot take. It is set aside if this resolves; what this throws, `write` throws. */
  readonly onBadCommit: (commit: RecordedCommit, error: BadCommitError) => Promise<void>;
}

/** Some commits of a batch, in their order. */
export interface Part extends Batch {
  /** What they hold, or the error of opening it. */
  readonly read: Promise<ReadCommit[]>;
}

/** Writes what the log brings into a version of a read model. */
export interface Writer {
  /** How far the version holds the log. */
  readonly written: Cursor;
  /** The batch in parts, of which each begins to be opened when it is asked for. */
  open(batch: Batch): Generator<Part>;
  /**
   * In a transaction of its own, with the checkpoint: the Postgres log shows nothing newer than the oldest open transaction,
   * so that a long one keeps all readers of the log waiting, the catalog's among them.
   * @throws CheckpointTakenError
   */
  write(part: Part): Promise<void>;
}

export function createWriter({ target, checkpoint, skipped, onBadCommit }: WriterOptions): Writer {
  const written = new Map<number, Position>(checkpoint);

  function opened({ commits }: Pick<Batch, 'commits'>): Promise<ReadCommit[]> {
    const read = readCommits(target.model, commits, target.keys);
    read.catch(() => {}); // told when it is its turn
    return read;
  }

  async function deadLettered(partition: number, commit: RecordedCommit, error: string): Promise<void> {
    const passed = { partition, last: commit.position };
    await applyCommits(target, passed, written.get(partition), NOTHING, (tx) =>
      addDeadLetter(tx, commit, error, false),
    );
    written.set(partition, commit.position);
  }

  return {
    written,
    *open(batch) {
      const wanted = batch.commits.filter(({ id }) => !skipped.has(id));
      for (const part of parts({ ...batch, commits: wanted })) yield { ...part, read: opened(part) };
    },
    async write({ partition, commits, last, read }) {
      for (let [rest, readRest] = [commits, read]; ; readRest = opened({ commits: rest })) {
        try {
          await applyBatch(target, { partition, commits: rest, last }, written.get(partition), readRest);
          written.set(partition, last);
          return;
        } catch (error) {
          if (!(error instanceof BadCommitError) || error.commit === undefined) throw error;
          const bad = rest.indexOf(error.commit);
          if (bad > 0) written.set(partition, rest[bad - 1]!.position);
          await onBadCommit(error.commit, error);
          await deadLettered(partition, error.commit, error.message);
          rest = rest.slice(bad + 1);
        }
      }
    },
  };
}
