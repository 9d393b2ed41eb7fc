import { inTransaction } from '../../database/transaction.ts';
import { typesBeside } from '../../domain/ledger-events.ts';
import { type EventLog, type Position, partitionOf, type RecordedCommit } from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import { applyTo, CheckpointTakenError, type Target } from './apply.ts';
import { BadCommitError, blamingCommits, naming } from './bad-commit.ts';
import { skippedCommits } from './bad-events.ts';
import { lockCheckpoint } from './checkpoint.ts';
import { writeKnownTable } from './cluster-tables.ts';
import { addDeadLetter, removeDeadLetter } from './dead-letters.ts';
import { moveQuarantine, type Quarantine, setQuarantineError } from './quarantines.ts';
import { parts, readCommits } from './read-commits.ts';
import { inVersion, setSearchPath } from './versions.ts';
import type { Writer } from './writer.ts';

export interface CatchUpOptions {
  readonly target: Target;
  readonly log: EventLog;
  readonly writer: Writer;
  /** Runs work while the projector writes no batch. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  readonly signal: AbortSignal;
}

/** The result of an attempt to catch up. `bad`: a commit of the bot still cannot be applied. */
export type CaughtUp = 'caught up' | 'bad' | 'interrupted';

/**
 * Applies the commits of a quarantined bot in the log's order, from the bot's position to the checkpoint, and ends the
 * quarantine there. Each transaction moves the bot's position with the rows, so it resumes after a kill.
 * @throws CheckpointTakenError another projector has the partition, or an operator has decided on the commit
 */
export async function catchUpBot(options: CatchUpOptions, bot: string): Promise<CaughtUp> {
  const { target, log, signal } = options;
  const begun = await quarantineOf(options, bot);
  if (begun === undefined) return 'caught up';
  const { partition, commitId } = begun;
  const skipped = await skippedCommits(log, target.model.name);
  if (commitId !== null && skipped.has(commitId)) await removeDeadLetter(target.pool, target.schema, commitId);
  const step = createStep(options, bot, begun);
  const atOnce = await step([], begun.position);
  if (atOnce !== 'more') return atOnce;
  const done = new AbortController();
  const batches = log.subscribe({
    categories: target.model.categories,
    without: typesBeside(target.model.events),
    after: new Map(begun.position === '' ? [] : [[partition, begun.position]]),
    partitions: new Set([partition]),
    signal: AbortSignal.any([signal, done.signal]),
  });
  try {
    for await (const batch of batches) {
      const commits = batch.commits.filter(({ id, stream }) => keyOf(stream) === bot && !skipped.has(id));
      for (const part of parts({ ...batch, commits })) {
        const result = await step(part.commits, part.last);
        if (result !== 'more') return result;
      }
    }
  } finally {
    done.abort();
  }
  return 'interrupted';
}

async function quarantineOf({ writer, inTurn }: CatchUpOptions, bot: string): Promise<Quarantine | undefined> {
  let found: Quarantine | undefined;
  await inTurn(async () => {
    found = writer.quarantined?.get(bot);
  });
  return found;
}

/** Takes the bot's commits up to a position, in turn with the projector's batches. */
type Step = (commits: readonly RecordedCommit[], last: Position) => Promise<CaughtUp | 'more'>;

function createStep({ target, writer, inTurn }: CatchUpOptions, bot: string, begun: Quarantine): Step {
  let at = begun;

  async function apply(commits: readonly RecordedCommit[], to: Position, ends: boolean): Promise<void> {
    await applySlice(target, bot, { at, commits, to, ends });
    at = { ...at, position: to, commitId: null };
  }

  /** @returns whether all were applied */
  async function applyUpTo(commits: readonly RecordedCommit[], to: Position, ends: boolean): Promise<boolean> {
    try {
      await apply(commits, to, ends);
      return true;
    } catch (error) {
      if (!(error instanceof BadCommitError)) throw error;
    }
    for (const commit of commits) {
      try {
        await apply([commit], commit.position, false);
      } catch (error) {
        if (!(error instanceof BadCommitError)) throw error;
        await noteBad(target, bot, at, commit, naming(commit, error).message);
        return false;
      }
    }
    await apply([], to, ends);
    return true;
  }

  return async (all, last) => {
    let result: CaughtUp | 'more' = 'more';
    await inTurn(async () => {
      const end = writer.written.get(at.partition) ?? '';
      const ends = last >= end;
      const commits = ends ? all.filter(({ position }) => position <= end) : all;
      // Commits of other bots need no transaction: after a kill they are read once more.
      if (commits.length === 0 && !ends) return;
      if (!(await applyUpTo(commits, ends ? end : last, ends))) result = 'bad';
      else if (ends) {
        writer.release(bot);
        result = 'caught up';
      }
    });
    return result;
  };
}

interface Slice {
  readonly at: Quarantine;
  readonly commits: readonly RecordedCommit[];
  readonly to: Position;
  /** The slice reaches the checkpoint, and the quarantine ends. */
  readonly ends: boolean;
}

/** Applies commits of the bot and moves its position, in one transaction. @throws BadCommitError, CheckpointTakenError */
async function applySlice(target: Target, bot: string, { at, commits, to, ends }: Slice): Promise<void> {
  const { pool, model, schema, keys } = target;
  const { partition, position, commitId } = at;
  const read = await blamingCommits(() => readCommits(model, commits, keys));
  await inVersion(pool, schema, async (tx) => {
    const applied = (await lockCheckpoint(tx, schema, partition)) ?? '';
    if (ends && applied !== to) throw new CheckpointTakenError(`checkpoint of ${schema} is ${applied}, not ${to}`);
    if (!(await moveQuarantine(tx, schema, bot, position, ends ? null : to)))
      throw new CheckpointTakenError(`another projector of ${schema} has moved bot ${bot}`);
    if (commits.some(({ id }) => id === commitId) && !(await removeDeadLetter(tx, schema, commitId!)))
      throw new CheckpointTakenError(`an operator has decided on commit ${commitId}`);
    await writeKnownTable(tx, schema, partition);
    await blamingCommits(() => applyTo(model, tx, read));
  });
}

/** Records the commit that the bot waits at. */
async function noteBad(
  { pool, schema }: Target,
  bot: string,
  at: Quarantine,
  commit: RecordedCommit,
  error: string,
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await setSearchPath(tx, schema);
    await lockCheckpoint(tx, schema, partitionOf(commit.position));
    // The letter of the same commit is gone if an operator has decided to skip it.
    if (at.commitId === commit.id && !(await removeDeadLetter(tx, schema, commit.id)))
      throw new CheckpointTakenError(`an operator has decided on commit ${commit.id}`);
    if (!(await setQuarantineError(tx, schema, bot, { ...at, commitId: commit.id }, error)))
      throw new CheckpointTakenError(`another projector of ${schema} has moved bot ${bot}`);
    await addDeadLetter(tx, commit, error, false);
  });
}
