import { isDatabaseDown } from '../../database/errors.ts';
import { inTransaction } from '../../database/transaction.ts';
import { typesBeside } from '../../domain/events.ts';
import {
  type Batch,
  type Cursor,
  hasPassedAll,
  LogUnavailableError,
  type Position,
  type RecordedCommit,
} from '../../log/port.ts';
import { pause } from '../../util/pause.ts';
import { schemaOf } from '../read-model.ts';
import { ahead } from './ahead.ts';
import { applyLate, BadCommitError, CheckpointTakenError, NOTHING, type Target } from './apply.ts';
import { loadCheckpoint } from './checkpoint.ts';
import { addDeadLetter, listDeadLetters, removeBlocking, removeDeadLetter } from './dead-letters.ts';
import { catchUpSlice } from './deferred-work.ts';
import type { ProjectorOptions } from './projector.ts';
import { skippedCommits } from './skipped.ts';
import { findVersion, finishBuilding, leaseOf, setError, setSearchPath } from './versions.ts';
import { createWriter, type Part } from './writer.ts';

export interface FollowOptions extends ProjectorOptions {
  readonly version: number;
}

/** How long progress over other categories' commits may go unwritten, and how often a version that is built looks how far it is. */
const PASSED_MS = 100;
const RETRY_MS = 500;
/** The version was dropped. */
const GONE = Symbol('gone');
/** A version is built once it has passed, within this time, where the log ended. */
const CLOSE_MS = 1000;
/**
 * After a batch of fewer commits than this, so long a pause: a transaction of 20 statements for each handful of commits
 * would take the processor from intake, and one for all that came meanwhile costs little more. So would a look at the log after each
 * append that is passed over. Partitions share it.
 */
const SMALL_BATCH = 500;
const BREATH_MS = 80;

/**
 * Keeps one version of a read model up with the log: one active projector among all instances (a lease, taken over within
 * seconds), every commit applied exactly once (the checkpoint, by compare-and-set, in the rows' transaction). Resolves
 * when the signal aborts, the version is dropped, or it stops at a bad commit.
 */
export async function followVersion(options: FollowOptions): Promise<void> {
  const { model, version, leases, logger, signal } = options;
  const projection = schemaOf(model.name, version);
  while (!signal.aborted) {
    try {
      const lease = leaseOf(model.name, version);
      const ended = await leases.hold(lease, signal, (held) => follow(options, held));
      if (ended === 'ended') return;
    } catch (error) {
      if (await isGone(options)) return;
      if (error instanceof BadCommitError) {
        logger.error({ err: error, projection }, 'projection stopped at a bad event');
        return;
      }
      const passing = [CheckpointTakenError, LogUnavailableError].some((kind) => error instanceof kind);
      const level = isDatabaseDown(error) || passing ? 'warn' : 'error';
      logger[level]({ err: error, projection }, 'failed to project; retrying');
      await pause(RETRY_MS, signal);
    }
  }
}

/** Whether somebody dropped the version; false where the database cannot tell. */
async function isGone({ pool, model, version }: FollowOptions): Promise<boolean> {
  return findVersion(pool, model.name, version).then(
    (found) => found === null,
    () => false,
  );
}

async function follow(options: FollowOptions, signal: AbortSignal): Promise<'ended' | 'interrupted'> {
  const { model, version, log, pool, versions, logger, onBadEvent } = options;
  const found = await findVersion(pool, model.name, version);
  if (found === null || found.error !== null) return 'ended';
  await removeBlocking(pool, schemaOf(model.name, version)); // they are tried anew
  const target: Target = { pool, model, schema: schemaOf(model.name, version), keys: log.keys };
  let building = found.state === 'building';
  const writer = createWriter({
    target,
    checkpoint: await loadCheckpoint(pool, target.schema),
    skipped: await skippedCommits(log, model.name),
    async onBadCommit(commit, error) {
      // A rebuild is strict: what it leaves out, somebody has decided (skipped.ts).
      if (building || onBadEvent === 'stop') {
        await recordStop(options, commit, error);
        throw error;
      }
      logger.error({ err: error, projection: target.schema }, 'a bad event became a dead letter');
    },
  });

  // Batches without a commit for this read model only move the checkpoint, which is not worth a transaction each: they
  // are written now and then, in turn with the others.
  const passed = new Map<number, Position>();
  /** Whether the read model may have put off work: it is looked at between batches, and until it is done when none comes. */
  let deferred = true;
  /** A version that is being built gets the whole log; behind it, it follows. */
  let behind = building;
  async function catchUp(forMs: number): Promise<void> {
    const until = performance.now() + forMs;
    do deferred = deferred && (await catchUpSlice(target, behind));
    while (deferred && performance.now() < until);
  }
  async function write(part: Part): Promise<void> {
    await writer.write(part);
    if (part.commits.length > 0) deferred = true;
    await catchUp(0);
    if (deferred) later();
    // What was passed meanwhile, while this was being written, is yet to be written.
    if ((passed.get(part.partition) ?? '') <= part.last) passed.delete(part.partition);
  }
  async function* opened(
    batches: AsyncIterable<Batch>,
  ): AsyncGenerator<{ readonly part: Part; readonly small: boolean }> {
    for await (const batch of batches)
      for (const part of writer.open(batch)) yield { part, small: batch.commits.length < SMALL_BATCH };
  }
  async function writePassed(): Promise<void> {
    for (const [partition, last] of [...passed]) await write({ partition, commits: [], last, read: NOTHING });
  }

  let goal: { readonly head: Cursor; readonly at: number } | null = null;
  async function finishWhenBuilt(): Promise<void> {
    if (!building) return;
    if (goal !== null) {
      if (!hasPassedAll(writer.written, goal.head)) return;
      if (behind) {
        behind = false;
        deferred = true;
        await catchUp(PASSED_MS);
      }
      if (deferred) return;
      if (performance.now() - goal.at < CLOSE_MS) {
        await finishBuilding(pool, model.name, version);
        building = false;
        return;
      }
    }
    goal = { head: await log.endCursor(), at: performance.now() };
  }

  const failed = new AbortController();
  const ended = AbortSignal.any([signal, failed.signal]);
  let turn: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => (turn = turn.then(work));
  const fail = (error: unknown): void => failed.abort(error);
  const over = new AbortController();
  /** Made once: Node 20 never frees the reference that a long-lived signal keeps to each combined signal. */
  const watched = AbortSignal.any([ended, over.signal]);
  let timer: NodeJS.Timeout | null = null;
  /** Soon, in turn with batches, does what is left to do beside them: until nothing is. */
  function later(): void {
    timer ??= setTimeout(() => void beside().catch(fail), deferred ? 0 : PASSED_MS);
  }
  async function beside(): Promise<void> {
    await inTurn(writePassed);
    await inTurn(() => catchUp(PASSED_MS));
    await inTurn(finishWhenBuilt);
    timer = null;
    if (!over.signal.aborted && (passed.size > 0 || deferred || building)) later();
  }
  /** Sees when the version is dropped, and when what it has set aside is to be applied once more. */
  async function watch(): Promise<void> {
    for (let asked: number | undefined; ; ) {
      const seen = await versions.next(watched);
      if (seen === null) return;
      const own = seen.find((each) => each.name === model.name && each.version === version);
      if (own === undefined || own.state === 'dropped') return fail(GONE);
      if (own.retries === asked) continue;
      await inTurn(async () => {
        if (await retryLetters(target)) deferred = true;
      });
      asked = own.retries;
      if (deferred) later();
    }
  }
  const watching = watch().catch(fail);
  later();
  try {
    const after = new Map(writer.written);
    const { categories, events } = model;
    const without = typesBeside(events);
    const enough = new AbortController();
    const either = AbortSignal.any([ended, enough.signal]);
    const batches = log.subscribe({ categories, without, after, signal: either });
    // Ahead only while building: in a version that follows, what comes during a batch and the breath after it goes together.
    for await (const { part, small } of ahead(
      opened(batches),
      () => building,
      () => enough.abort(),
    )) {
      if (part.commits.length === 0) {
        passed.set(part.partition, part.last);
        later();
      } else await inTurn(() => write(part));
      if (!building && small) await pause(BREATH_MS / log.partitions, ended);
    }
    if (failed.signal.reason === GONE) return 'ended';
    if (failed.signal.aborted) throw failed.signal.reason;
    await inTurn(writePassed);
    return 'interrupted';
  } finally {
    over.abort();
    if (timer !== null) clearTimeout(timer);
    await watching;
  }
}

/** In one transaction: whoever sees the commit sees that the version has stopped at it, and may let it go on. */
async function recordStop(
  { pool, model, version }: FollowOptions,
  commit: RecordedCommit,
  error: BadCommitError,
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await setSearchPath(tx, schemaOf(model.name, version));
    await addDeadLetter(tx, commit, error.message, true);
    await setError(tx, model.name, version, error.message);
  });
}

/** Applies what was set aside once more, where somebody has asked for it. @returns whether anything was applied */
async function retryLetters(target: Target): Promise<boolean> {
  let applied = false;
  for (const { commit, retry, blocking } of await listDeadLetters(target.pool, target.schema)) {
    if (!retry || blocking) continue;
    try {
      await applyLate(target, commit, (tx) => removeDeadLetter(tx, target.schema, commit.id));
      applied = true;
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
