import type pg from 'pg';
import { groupsOfBots } from '../../database/of-bot.ts';
import { inTransaction } from '../../database/transaction.ts';
import { type Keyring, partitionOf, type RecordedCommit } from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import type { ReadCommit, ReadModel } from '../read-model.ts';
import { blamingCommits } from './bad-commit.ts';
import { lockCheckpoint, type Move, moveCheckpoints } from './checkpoint.ts';
import { removeDeadLetter } from './dead-letters.ts';
import { passCommits } from './pass-commits.ts';
import { areQuarantined, type Quarantines } from './quarantines.ts';
import { readCommits } from './read-commits.ts';
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

/** No commits: only moves the checkpoint. */
export const NOTHING: Promise<ReadCommit[]> = Promise.resolve([]);

export interface Application {
  /** The partitions of the commits. */
  readonly partitions: readonly number[];
  readonly moves: readonly Move[];
  readonly opened: Promise<ReadCommit[]>;
  /** The bots that the projector takes for quarantined; null: not to be compared. */
  readonly quarantined: Quarantines | null;
  /** Whether commits of quarantined bots are passed. */
  readonly leavesOut?: boolean;
  /** More statements of the same transaction. */
  readonly also?: ((tx: pg.ClientBase) => Promise<void>) | undefined;
}

export async function applyCommits(
  { pool, model, schema }: Target,
  { partitions, moves, opened, quarantined, leavesOut = false, also }: Application,
): Promise<void> {
  const read = await blamingCommits(() => opened);
  const isEmpty = read.length === 0 && !leavesOut && also === undefined;
  const changesNothing = isEmpty && moves.every(({ from }) => from !== undefined);
  // If another projector took a checkpoint, the transaction below throws CheckpointTakenError.
  if (changesNothing && (await passCommits(pool, schema, moves))) return;
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
 * Applies commits to the read model: all at once, or bot by bot where statements name their bot. Order between bots does not
 * matter, so applying bot by bot gives the same rows.
 */
export async function applyTo(model: ReadModel, tx: pg.ClientBase, commits: readonly ReadCommit[]): Promise<void> {
  if (commits.length === 0) return;
  for (const group of await groupsOfBots(tx, commits, ({ stream }) => keyOf(stream))) await model.apply(tx, group);
}
