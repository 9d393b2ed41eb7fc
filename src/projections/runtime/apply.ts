import pg from 'pg';
import { isCitus } from '../../database/citus.ts';
import { isDatabaseDown } from '../../database/errors.ts';
import { inTransaction } from '../../database/transaction.ts';
import {
  type Batch,
  type Cursor,
  type Keyring,
  LogUnavailableError,
  type Position,
  partitionOf,
  type RecordedCommit,
} from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import type { ReadCommit, ReadModel } from '../read-model.ts';
import { lockCheckpoint, moveCheckpoint } from './checkpoint.ts';
import { addDeadLetter, removeDeadLetter } from './dead-letters.ts';
import { parts, readCommits } from './read-commits.ts';
import { beginIn, setSearchPath } from './versions.ts';

/** The version of a read model that commits are applied to. */
export interface Target {
  readonly pool: pg.Pool;
  readonly model: ReadModel;
  /** Of the version. */
  readonly schema: string;
  /** Opens the sealed fields of the commits. */
  readonly keys: Keyring;
}

/** Another projector moved the checkpoint, so this one's view of the version is stale. */
export class CheckpointTakenError extends Error {
  override readonly name = 'CheckpointTakenError';
}

/** The read model cannot apply a commit. */
export class BadCommitError extends Error {
  override readonly name = 'BadCommitError';
  /** Private, since loggers log the properties of errors, and events hold what their senders sent. */
  readonly #commit: RecordedCommit | undefined;

  constructor(message: string, commit: RecordedCommit | undefined, options: ErrorOptions) {
    super(message, options);
    this.#commit = commit;
  }

  /** Undefined: some commit of a batch. */
  get commit(): RecordedCommit | undefined {
    return this.#commit;
  }
}

export interface WriterOptions {
  readonly target: Target;
  readonly checkpoint: Cursor;
  /** Ids of commits to skip. */
  readonly skipped: ReadonlySet<string>;
  /** Called with a commit that the read model cannot apply. If it resolves, the commit becomes a dead letter; if it throws, `write` throws the same. */
  readonly onBadCommit: (commit: RecordedCommit, error: BadCommitError) => Promise<void>;
}

/** Some commits of a batch, in order. */
export interface Part extends Batch {
  /** The opened commits, or the error of opening them. */
  readonly read: Promise<ReadCommit[]>;
}

/** Writes commits of the log into a version of a read model. */
export interface Writer {
  /** The version's checkpoint. */
  readonly written: Cursor;
  /** Cuts a batch into parts. Each part begins to be opened when it is asked for. */
  open(batch: Batch): Generator<Part>;
  /**
   * Writes rows and checkpoint in a transaction of their own. The PostgreSQL log shows nothing newer than the oldest open
   * transaction, so a long one would delay all readers of the log, those of the catalog among them.
   * @throws CheckpointTakenError
   */
  write(part: Part): Promise<void>;
}

export function createWriter({ target, checkpoint, skipped, onBadCommit }: WriterOptions): Writer {
  const written = new Map<number, Position>(checkpoint);

  function opened({ commits }: Pick<Batch, 'commits'>): Promise<ReadCommit[]> {
    const read = readCommits(target.model, commits, target.keys);
    read.catch(() => {}); // thrown when the part is written
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

/**
 * Applies a batch and moves its partition's checkpoint, in one transaction.
 * @param read the opened commits of the batch
 * @throws BadCommitError with the commit; the commits before it are applied
 * @throws CheckpointTakenError
 */
async function applyBatch(
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

/** Finds the bad commit of a batch. */
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

/** No commits: only moves the checkpoint. */
export const NOTHING: Promise<ReadCommit[]> = Promise.resolve([]);

/** @param also more statements of the same transaction */
async function applyCommits(
  { pool, model, schema }: Target,
  { partition, last }: Pick<Batch, 'partition' | 'last'>,
  from: Position | undefined,
  opened: Promise<ReadCommit[]>,
  also?: (tx: pg.ClientBase) => Promise<void>,
): Promise<void> {
  const read = await blamingCommits(() => opened);
  const work = async (tx: pg.ClientBase): Promise<void> => {
    const moved = await moveCheckpoint(tx, schema, partition, from, last);
    if (moved !== 'moved') throw new CheckpointTakenError(`checkpoint of ${schema} is ${moved}`);
    await blamingCommits(() => applyTo(model, tx, read));
    await also?.(tx);
  };
  await inTransaction(pool, work, await beginIn(pool, schema));
}

/**
 * Applies a dead letter, long after the commits that follow it, and removes it. If two projectors do so at once, one finds
 * the letter gone and applies nothing. The lock keeps batches of the same bots out.
 * @returns whether it was applied; false: there is no such letter any more
 * @throws BadCommitError
 */
export async function applyLate({ pool, model, schema, keys }: Target, commit: RecordedCommit): Promise<boolean> {
  const read = await blamingCommits(() => readCommits(model, [commit], keys));
  return inTransaction(pool, async (tx) => {
    await setSearchPath(tx, schema);
    await lockCheckpoint(tx, schema, partitionOf(commit.position));
    if (!(await removeDeadLetter(tx, schema, commit.id))) return false;
    await blamingCommits(() => applyTo(model, tx, read));
    return true;
  });
}

/**
 * Applies commits to the read model: all at once, and on a Citus cluster those of each bot for themselves, so that each statement
 * is about one bot and goes to one node. The rows do not depend on it, since bots are as good as in partitions of their own.
 */
export async function applyTo(model: ReadModel, tx: pg.ClientBase, commits: readonly ReadCommit[]): Promise<void> {
  if (commits.length === 0) return;
  if (!(await isCitus(tx))) return model.apply(tx, commits);
  const byKey = new Map<string, ReadCommit[]>();
  for (const commit of commits) {
    const key = keyOf(commit.stream);
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [commit]);
    else same.push(commit);
  }
  for (const same of byKey.values()) await model.apply(tx, same);
}

/** Turns errors of the commits into `BadCommitError`. Errors beside this call (connect, begin, checkpoint, commit) say nothing about them. */
async function blamingCommits<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isOfCommits(error)) throw error;
    throw new BadCommitError(error instanceof Error ? error.message : String(error), undefined, { cause: error });
  }
}

/**
 * The classes of SQLSTATE (PostgreSQL manual, appendix A) that the same statements would meet again: errors of their data
 * (21, 22, 23, P0) and of the statements themselves (0A, 42, XX). Deadlocks, cancelled statements and full disks are in
 * other classes.
 */
const DATA_OR_PROGRAM = /^(0A|21|22|23|42|P0|XX)/;

/** Whether the commits, or the program that applies them, caused the error: a retry would not help. */
function isOfCommits(error: unknown): boolean {
  if (isDatabaseDown(error) || error instanceof LogUnavailableError) return false;
  return error instanceof pg.DatabaseError ? DATA_OR_PROGRAM.test(error.code ?? '') : true;
}
