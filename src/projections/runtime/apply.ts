import pg from 'pg';
import { groupsOfBots } from '../../database/of-bot.ts';
import { inTransaction } from '../../database/transaction.ts';
import { isPassing } from '../../log/is-passing.ts';
import {
  type Batch,
  type Cursor,
  type Keyring,
  type Position,
  partitionOf,
  type RecordedCommit,
} from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import type { ReadCommit, ReadModel } from '../read-model.ts';
import { lockCheckpoint, type Move, moveCheckpoints } from './checkpoint.ts';
import { addDeadLetter, removeDeadLetter } from './dead-letters.ts';
import { passCommits } from './pass-commits.ts';
import { parts, readCommits } from './read-commits.ts';
import { inVersion, setSearchPath } from './versions.ts';

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

  /** Undefined: an unknown commit of a batch. */
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
   * Writes the rows and checkpoints of parts, each of another partition, in one separate transaction; around a bad
   * commit, in several. The PostgreSQL log shows nothing newer than the oldest open transaction, so a long one would
   * delay all readers of the log, also the catalog's.
   * @throws CheckpointTakenError
   */
  write(parts: readonly Part[]): Promise<void>;
}

export function createWriter({ target, checkpoint, skipped, onBadCommit }: WriterOptions): Writer {
  const written = new Map<number, Position>(checkpoint);

  function opened({ commits }: Pick<Batch, 'commits'>): Promise<ReadCommit[]> {
    const read = readCommits(target.model, commits, target.keys);
    read.catch(() => {}); // thrown when the part is written
    return read;
  }

  async function deadLettered(partition: number, commit: RecordedCommit, error: string): Promise<void> {
    const move = { partition, from: written.get(partition), to: commit.position };
    await applyCommits(target, [move], NOTHING, (tx) => addDeadLetter(tx, commit, error, false));
    written.set(partition, commit.position);
  }

  async function applyParts(parts: readonly Pick<Part, 'partition' | 'last' | 'read'>[]): Promise<void> {
    const moves = parts.map(({ partition, last: to }) => ({ partition, from: written.get(partition), to }));
    const read = Promise.all(parts.map((part) => part.read)).then((commits) => commits.flat());
    await applyCommits(target, moves, read);
    for (const { partition, to } of moves) written.set(partition, to);
  }

  async function write(parts: readonly Part[]): Promise<void> {
    try {
      await applyParts(parts);
    } catch (error) {
      if (!(error instanceof BadCommitError)) throw error;
      if (parts.length === 1) return writeAroundBad(parts[0]!);
      for (const part of parts) await write([part]);
    }
  }

  /** Writes a part that contains a bad commit. */
  async function writeAroundBad({ partition, commits, last }: Part): Promise<void> {
    const bad = await applyOneByOne(target, { partition, commits, last }, written.get(partition));
    if (bad === null) {
      written.set(partition, last);
      return;
    }
    const at = commits.indexOf(bad.commit);
    if (at > 0) written.set(partition, commits[at - 1]!.position);
    await onBadCommit(bad.commit, bad.error);
    await deadLettered(partition, bad.commit, bad.error.message);
    const rest = commits.slice(at + 1);
    await write([{ partition, commits: rest, last, read: opened({ commits: rest }) }]);
  }

  return {
    written,
    *open(batch) {
      const wanted = batch.commits.filter(({ id }) => !skipped.has(id));
      for (const part of parts({ ...batch, commits: wanted })) yield { ...part, read: opened(part) };
    },
    write,
  };
}

/**
 * Applies the commits of a batch in a transaction each, up to the first bad one.
 * @returns the bad commit; null: there was none, and all are applied
 */
async function applyOneByOne(
  target: Target,
  { partition, commits, last }: Batch,
  from: Position | undefined,
): Promise<{ readonly commit: RecordedCommit; readonly error: BadCommitError } | null> {
  let at = from;
  for (const commit of commits) {
    try {
      const move = { partition, from: at, to: commit.position };
      await applyCommits(target, [move], readCommits(target.model, [commit], target.keys));
    } catch (error) {
      if (!(error instanceof BadCommitError)) throw error;
      const where = `commit ${commit.id} of ${commit.stream} at ${commit.position}`;
      return { commit, error: new BadCommitError(`${where}: ${error.message}`, commit, { cause: error.cause }) };
    }
    at = commit.position;
  }
  if (at !== last) await applyCommits(target, [{ partition, from: at, to: last }], NOTHING);
  return null;
}

/** No commits: only moves the checkpoint. */
export const NOTHING: Promise<ReadCommit[]> = Promise.resolve([]);

/** @param also more statements of the same transaction */
async function applyCommits(
  { pool, model, schema }: Target,
  moves: readonly Move[],
  opened: Promise<ReadCommit[]>,
  also?: (tx: pg.ClientBase) => Promise<void>,
): Promise<void> {
  const read = await blamingCommits(() => opened);
  const changesNothing = read.length === 0 && also === undefined && moves.every(({ from }) => from !== undefined);
  // If another projector took a checkpoint, the transaction below throws CheckpointTakenError.
  if (changesNothing && (await passCommits(pool, schema, moves))) return;
  const work = async (tx: pg.ClientBase): Promise<void> => {
    const moved = await moveCheckpoints(tx, schema, moves);
    if (moved !== 'moved') throw new CheckpointTakenError(`checkpoint of ${schema} is ${moved}`);
    await blamingCommits(() => applyTo(model, tx, read));
    await also?.(tx);
  };
  await inVersion(pool, schema, work);
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
 * Applies commits to the read model: all at once, or bot by bot where statements name their bot. Order between bots does not matter, so applying bot by bot gives the same rows.
 */
export async function applyTo(model: ReadModel, tx: pg.ClientBase, commits: readonly ReadCommit[]): Promise<void> {
  if (commits.length === 0) return;
  for (const group of await groupsOfBots(tx, commits, ({ stream }) => keyOf(stream))) await model.apply(tx, group);
}

/**
 * Converts errors of the commits to `BadCommitError`. Errors outside this call (connect, begin, checkpoint, commit) say
 * nothing about them.
 */
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
  if (isPassing(error)) return false;
  return error instanceof pg.DatabaseError ? DATA_OR_PROGRAM.test(error.code ?? '') : true;
}
