import pg from 'pg';
import { isDatabaseDown } from '../../database/errors.ts';
import { inTransaction } from '../../database/transaction.ts';
import { type Batch, type Keyring, LogUnavailableError, type Position, type RecordedCommit } from '../../log/port.ts';
import type { ReadCommit, ReadModel } from '../read-model.ts';
import { moveCheckpoint } from './checkpoint.ts';
import { readCommits } from './read-commits.ts';
import { beginIn, setSearchPath } from './versions.ts';

/** What a batch is applied to. */
export interface Target {
  readonly pool: pg.Pool;
  readonly model: ReadModel;
  /** Of the version. */
  readonly schema: string;
  /** What is sealed in the commits is opened with. */
  readonly keys: Keyring;
}

/** Another projector moved the checkpoint: what this one holds is stale. */
export class CheckpointTakenError extends Error {
  override readonly name = 'CheckpointTakenError';
}

/** The read model cannot take a commit. */
export class BadCommitError extends Error {
  override readonly name = 'BadCommitError';
  /** Private, since whatever logs an error logs its properties, and events hold what their senders sent. */
  readonly #commit: RecordedCommit | undefined;

  constructor(message: string, commit: RecordedCommit | undefined, options: ErrorOptions) {
    super(message, options);
    this.#commit = commit;
  }

  /** Undefined: one of a batch. */
  get commit(): RecordedCommit | undefined {
    return this.#commit;
  }
}

/**
 * Applies a batch and moves its partition's checkpoint, in one transaction.
 * @param read its commits, opened
 * @throws BadCommitError naming the commit; those before it are kept
 * @throws CheckpointTakenError
 */
export async function applyBatch(
  target: Target,
  batch: Batch,
  from: Position | undefined,
  read: Promise<ReadCommit[]>,
): Promise<void> {
  try {
    await applyCommits(target, batch, from, read);
  } catch (error) {
    if (!(error instanceof BadCommitError)) throw error;
    await applyOneByOne(target, batch, from);
  }
}

/** Finds the commit that a batch stumbled over. */
async function applyOneByOne(
  target: Target,
  { partition, commits, last }: Batch,
  from: Position | undefined,
): Promise<void> {
  let at = from;
  for (const commit of commits) {
    try {
      const one = { partition, commits: [commit], last: commit.position };
      await applyCommits(target, one, at, readCommits(target.model, one.commits, target.keys));
    } catch (error) {
      if (!(error instanceof BadCommitError)) throw error;
      const where = `commit ${commit.id} of ${commit.stream} at ${commit.position}`;
      throw new BadCommitError(`${where}: ${error.message}`, commit, { cause: error.cause });
    }
    at = commit.position;
  }
  if (at !== last) await applyCommits(target, { partition, last }, at, NOTHING);
}

/** Of no commits: what only moves the checkpoint. */
export const NOTHING: Promise<ReadCommit[]> = Promise.resolve([]);

/** @param also what else belongs into the transaction */
export async function applyCommits(
  { pool, model, schema }: Target,
  { partition, last }: Pick<Batch, 'partition' | 'last'>,
  from: Position | undefined,
  opened: Promise<ReadCommit[]>,
  also?: (tx: pg.ClientBase) => Promise<void>,
): Promise<void> {
  const read = await blamingCommits(() => opened);
  const work = async (tx: pg.ClientBase): Promise<void> => {
    const moved = await moveCheckpoint(tx, partition, from, last);
    if (moved !== 'moved') throw new CheckpointTakenError(`checkpoint of ${schema} is ${moved}`);
    if (read.length > 0) await blamingCommits(() => model.apply(tx, read));
    await also?.(tx);
  };
  await inTransaction(pool, work, beginIn(schema));
}

/** Applies a commit that was set aside, long after those that follow it. @throws BadCommitError */
export async function applyLate(
  { pool, model, schema, keys }: Target,
  commit: RecordedCommit,
  also: (tx: pg.ClientBase) => Promise<void>,
): Promise<void> {
  const read = await blamingCommits(() => readCommits(model, [commit], keys));
  await inTransaction(pool, async (tx) => {
    await setSearchPath(tx, schema);
    await blamingCommits(() => model.apply(tx, read));
    await also(tx);
  });
}

/** Whatever fails beside this (to connect, to begin, the checkpoint, to commit) says nothing of the commits. */
async function blamingCommits<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isOfCommits(error)) throw error;
    throw new BadCommitError(error instanceof Error ? error.message : String(error), undefined, { cause: error });
  }
}

/**
 * The classes of SQLSTATE (PostgreSQL manual, appendix A) that the same statements would meet again: what they are made
 * of (21, 22, 23, P0) and how they are made (0A, 42, XX). Deadlocks, cancelled statements, full disks are others.
 */
const DATA_OR_PROGRAM = /^(0A|21|22|23|42|P0|XX)/;

/** Whether the commits, or what the program makes of them, caused it: trying again would not help. */
function isOfCommits(error: unknown): boolean {
  if (isDatabaseDown(error) || error instanceof LogUnavailableError) return false;
  return error instanceof pg.DatabaseError ? DATA_OR_PROGRAM.test(error.code ?? '') : true;
}
