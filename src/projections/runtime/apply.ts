import type pg from 'pg';
import { groupsOfBots } from '../../database/of-bot.ts';
import { inTransaction } from '../../database/transaction.ts';
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
import { BadCommitError, blamingCommits, naming } from './bad-commit.ts';
import { lockCheckpoint, type Move, moveCheckpoints } from './checkpoint.ts';
import { addDeadLetter, removeDeadLetter } from './dead-letters.ts';
import { passCommits } from './pass-commits.ts';
import { addQuarantine, areQuarantined, type Quarantines } from './quarantines.ts';
import { parts, readCommits } from './read-commits.ts';
import { inVersion, setSearchPath } from './versions.ts';

/** The version of a read model that commits are applied to. */
export interface Target {
  readonly pool: pg.Pool;
  readonly model: ReadModel;
  /** Of the version. */
  readonly schema: string;
  /** Opens the sealed fields of the commits; null: they are left out. */
  readonly keys: Pick<Keyring, 'find'> | null;
}

/** Another projector moved the checkpoint, so this one's view of the version is stale. */
export class CheckpointTakenError extends Error {
  override readonly name = 'CheckpointTakenError';
}

export interface WriterOptions {
  readonly target: Target;
  readonly checkpoint: Cursor;
  /** Ids of commits to skip. */
  readonly skipped: ReadonlySet<string>;
  /** The bots whose commits it leaves to `catchUpBot`; null: the schema is no version, so no bot of it is ever quarantined. */
  readonly quarantined: Quarantines | null;
  /** The most items of a part, if it should have fewer than usual. */
  readonly partItems?: (() => number) | undefined;
  /** Called with a commit that the read model cannot apply. If it throws, `write` throws the same. */
  readonly onBadCommit: (commit: RecordedCommit, error: BadCommitError) => Promise<Remedy>;
}

/** How the version continues at a commit that it cannot apply: without the commit, or for now without its bot. */
export type Remedy = 'dead-letter' | 'quarantine';

/** Some commits of a batch, in order. */
export interface Part extends Batch {
  /** The opened commits, or the error of opening them. */
  readonly read: Promise<ReadCommit[]>;
  /** The bots whose commits are not in `read`. */
  readonly without: Quarantines | null;
}

/** Writes commits of the log into a version of a read model. */
export interface Writer {
  /** The version's checkpoint. */
  readonly written: Cursor;
  readonly quarantined: Quarantines | null;
  /** Takes over that the bot has caught up: the writer applies its commits again. */
  release(bot: string): void;
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

export function createWriter({ target, checkpoint, skipped, ...options }: WriterOptions): Writer {
  const written = new Map<number, Position>(checkpoint);
  let { quarantined } = options;

  const isLeftOut = ({ stream }: RecordedCommit): boolean => quarantined?.has(keyOf(stream)) ?? false;

  function opened(batch: Batch): Part {
    const wanted = batch.commits.filter((commit) => !isLeftOut(commit));
    const read = readCommits(target.model, wanted, target.keys);
    read.catch(() => {}); // thrown when the part is written
    return { ...batch, read, without: quarantined };
  }

  async function passBad(commit: RecordedCommit, also: (tx: pg.ClientBase) => Promise<void>): Promise<void> {
    const partition = partitionOf(commit.position);
    const move = { partition, from: written.get(partition), to: commit.position };
    await applyCommits(target, { moves: [move], opened: NOTHING, quarantined, also });
    written.set(partition, commit.position);
  }

  /** The version has the bot's commits before the bad one. From it on they wait. */
  async function quarantine(commit: RecordedCommit, error: string): Promise<void> {
    const [partition, bot] = [partitionOf(commit.position), keyOf(commit.stream)];
    const added = { partition, position: written.get(partition) ?? '', commitId: commit.id };
    await passBad(commit, async (tx) => {
      await addQuarantine(tx, target.schema, bot, added, error);
      await addDeadLetter(tx, commit, error, false);
    });
    quarantined = new Map(quarantined).set(bot, added);
  }

  async function applyParts(parts: readonly Part[]): Promise<void> {
    const moves = parts.map(({ partition, last: to }) => ({ partition, from: written.get(partition), to }));
    // The quarantined bots may be others since the part was opened.
    const now = parts.map((part) => (part.commits.length === 0 || part.without === quarantined ? part : opened(part)));
    const read = Promise.all(now.map((part) => part.read)).then((commits) => commits.flat());
    const leavesOut = parts.some(({ commits }) => commits.some(isLeftOut));
    await applyCommits(target, { moves, opened: read, quarantined, leavesOut });
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
  async function writeAroundBad({ partition, commits: all, last }: Part): Promise<void> {
    const commits = all.filter((commit) => !isLeftOut(commit));
    const bad = await applyOneByOne(target, { partition, commits, last }, written.get(partition), quarantined);
    const at = bad === null ? 0 : commits.indexOf(bad.commit);
    if (bad === null || at > 0) written.set(partition, bad === null ? last : commits[at - 1]!.position);
    if (bad === null) return;
    const { message } = bad.error;
    if ((await options.onBadCommit(bad.commit, bad.error)) === 'quarantine') await quarantine(bad.commit, message);
    else await passBad(bad.commit, (tx) => addDeadLetter(tx, bad.commit, message, false));
    await write([opened({ partition, commits: commits.slice(at + 1), last })]);
  }

  return {
    written,
    get quarantined() {
      return quarantined;
    },
    release(bot) {
      quarantined = new Map([...(quarantined ?? [])].filter(([key]) => key !== bot));
    },
    *open(batch) {
      const wanted = batch.commits.filter(({ id }) => !skipped.has(id));
      for (const part of parts({ ...batch, commits: wanted }, options.partItems)) yield opened(part);
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
  quarantined: Quarantines | null,
): Promise<{ readonly commit: RecordedCommit; readonly error: BadCommitError } | null> {
  let at = from;
  for (const commit of commits) {
    try {
      const moves = [{ partition, from: at, to: commit.position }];
      await applyCommits(target, { moves, opened: readCommits(target.model, [commit], target.keys), quarantined });
    } catch (error) {
      if (!(error instanceof BadCommitError)) throw error;
      return { commit, error: naming(commit, error) };
    }
    at = commit.position;
  }
  if (at !== last)
    await applyCommits(target, { moves: [{ partition, from: at, to: last }], opened: NOTHING, quarantined });
  return null;
}

/** No commits: only moves the checkpoint. */
export const NOTHING: Promise<ReadCommit[]> = Promise.resolve([]);

interface Application {
  readonly moves: readonly Move[];
  readonly opened: Promise<ReadCommit[]>;
  /** The bots that the projector takes for quarantined; null: not to be compared. */
  readonly quarantined: Quarantines | null;
  /** Whether commits of quarantined bots are passed. */
  readonly leavesOut?: boolean;
  /** More statements of the same transaction. */
  readonly also?: (tx: pg.ClientBase) => Promise<void>;
}

async function applyCommits(
  { pool, model, schema }: Target,
  { moves, opened, quarantined, leavesOut = false, also }: Application,
): Promise<void> {
  const read = await blamingCommits(() => opened);
  const isEmpty = read.length === 0 && !leavesOut && also === undefined;
  const changesNothing = isEmpty && moves.every(({ from }) => from !== undefined);
  // If another projector took a checkpoint, the transaction below throws CheckpointTakenError.
  if (changesNothing && (await passCommits(pool, schema, moves))) return;
  const partitions = moves.map(({ partition }) => partition);
  const work = async (tx: pg.ClientBase): Promise<void> => {
    const moved = await moveCheckpoints(tx, schema, moves);
    if (moved !== 'moved') throw new CheckpointTakenError(`checkpoint of ${schema} is ${moved}`);
    if (quarantined !== null && !(await areQuarantined(tx, schema, partitions, quarantined)))
      throw new CheckpointTakenError(`other bots of ${schema} are quarantined than before`);
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
