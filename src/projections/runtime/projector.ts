import pg from 'pg';
import type { Logger } from 'pino';
import { isDatabaseDown } from '../../database/errors.ts';
import { holdLease } from '../../database/lease.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Batch, EventLog, Position, RecordedCommit } from '../../log/port.ts';
import { pause } from '../../pause.ts';
import { type ReadModel, schemaOf } from '../read-model.ts';
import { loadCheckpoint, moveCheckpoint } from './checkpoint.ts';
import { parts } from './parts.ts';
import { readCommits } from './read-commits.ts';
import { createSchema, setSearchPath } from './schema.ts';

export interface ProjectorOptions {
  readonly model: ReadModel;
  readonly log: EventLog;
  readonly pool: pg.Pool;
  /** Who holds the lease: unique per instance of the service. */
  readonly holder: string;
  readonly logger: Logger;
  /** The projector ends at a checkpoint once this aborts. */
  readonly signal: AbortSignal;
}

/** Another projector moved the checkpoint: what this one holds is stale. */
class CheckpointTakenError extends Error {
  override readonly name = 'CheckpointTakenError';
}

/** The read model cannot take a commit: this one, or one of a batch. */
class BadCommitError extends Error {
  override readonly name = 'BadCommitError';
}

/** How long progress over other categories' commits may go unwritten. */
const PASSED_MS = 100;
const RETRY_MS = 500;
/**
 * After a batch of fewer commits than this, so long a pause: a transaction of 20 statements for each handful of commits
 * would take the processor from intake, and one for all that came meanwhile costs little more.
 */
const SMALL_BATCH = 500;
const BREATH_MS = 80;

/**
 * Keeps one read model up with the log: one active projector per read model among all instances (a lease, taken over
 * within seconds), every commit applied exactly once (the checkpoint, by compare-and-set, in the rows' transaction).
 * Resolves when the signal aborts.
 */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { model, pool, holder, logger, signal } = options;
  const name = schemaOf(model);
  while (!signal.aborted) {
    try {
      await holdLease(pool, leaseOf(model), holder, { signal, logger }, (held) => project(options, held));
    } catch (error) {
      if (error instanceof BadCommitError) {
        logger.error({ err: error, projection: name }, 'projection stopped at a bad event');
        await stopped(options, error);
        return;
      }
      const level = isDatabaseDown(error) || error instanceof CheckpointTakenError ? 'warn' : 'error';
      logger[level]({ err: error, projection: name }, 'projection interrupted, will go on');
      await pause(RETRY_MS, signal);
    }
  }
}

/** The lease of whoever projects the read model. */
export function leaseOf(model: ReadModel): string {
  return `projection ${schemaOf(model)}`;
}

async function project({ model, log, pool }: ProjectorOptions, signal: AbortSignal): Promise<void> {
  await createSchema(pool, model);
  await pool.query(`UPDATE ${schemaOf(model)}.projection_state SET state = 'live', error = NULL WHERE state <> 'live'`);
  const written = new Map((await loadCheckpoint(pool, model)) ?? []);
  const passed = new Map<number, Position>();
  const failed = new AbortController();
  const ended = AbortSignal.any([signal, failed.signal]);

  async function write(batch: Batch): Promise<void> {
    // Each part commits by itself: the Postgres log shows nothing newer than the oldest open transaction, so that a long
    // one keeps all readers of the log waiting, the catalog's among them.
    for (const part of parts(batch)) {
      await applyBatch(pool, model, part, written.get(part.lane));
      written.set(part.lane, part.last);
    }
    // What was passed meanwhile, while this was being written, is yet to be written.
    if ((passed.get(batch.lane) ?? '') <= batch.last) passed.delete(batch.lane);
  }
  // Batches without a commit for this read model only move the checkpoint, which is not worth a transaction each: they
  // are written now and then, in turn with the others.
  let turn: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => (turn = turn.then(work));
  const writePassed = async (): Promise<void> => {
    for (const [lane, last] of [...passed]) await write({ lane, commits: [], last });
  };
  const timer = setInterval(() => void inTurn(writePassed).catch((error: unknown) => failed.abort(error)), PASSED_MS);
  try {
    for await (const batch of log.subscribe({ categories: model.categories, after: new Map(written), signal: ended })) {
      if (batch.commits.length === 0) passed.set(batch.lane, batch.last);
      else {
        await inTurn(() => write(batch));
        if (batch.commits.length < SMALL_BATCH) await pause(BREATH_MS, ended);
      }
    }
    if (failed.signal.aborted) throw failed.signal.reason;
    await inTurn(writePassed);
  } finally {
    clearInterval(timer);
  }
}

async function applyBatch(pool: pg.Pool, model: ReadModel, batch: Batch, from: Position | undefined): Promise<void> {
  try {
    await applyCommits(pool, model, batch.lane, batch.commits, from, batch.last);
  } catch (error) {
    if (!(error instanceof BadCommitError)) throw error;
    await applyOneByOne(pool, model, batch, from);
  }
}

/** Finds the commit that a batch stumbled over; those before it are kept. */
async function applyOneByOne(pool: pg.Pool, model: ReadModel, batch: Batch, from: Position | undefined): Promise<void> {
  let at = from;
  for (const commit of batch.commits) {
    try {
      await applyCommits(pool, model, batch.lane, [commit], at, commit.position);
    } catch (error) {
      if (!(error instanceof BadCommitError)) throw error;
      const where = `commit ${commit.id} of ${commit.stream} at ${commit.position}`;
      throw new BadCommitError(`${where}: ${error.message}`, { cause: error.cause });
    }
    at = commit.position;
  }
  if (at !== batch.last) await applyCommits(pool, model, batch.lane, [], at, batch.last);
}

async function applyCommits(
  pool: pg.Pool,
  model: ReadModel,
  lane: number,
  commits: readonly RecordedCommit[],
  from: Position | undefined,
  to: Position,
): Promise<void> {
  const read = await blamingCommits(() => readCommits(model, commits));
  await inTransaction(pool, async (tx) => {
    // Rows and checkpoint are lost together or not at all, and what is lost is projected again: no need to wait for the disk.
    await tx.query('SET LOCAL synchronous_commit TO off');
    await setSearchPath(tx, model);
    const moved = await moveCheckpoint(tx, lane, from, to);
    if (moved !== 'moved') throw new CheckpointTakenError(`checkpoint of ${schemaOf(model)} is ${moved}`);
    if (read.length > 0) await blamingCommits(() => model.apply(tx, read));
  });
}

/** Whatever fails beside this (to connect, to begin, the checkpoint, to commit) says nothing of the commits. */
async function blamingCommits<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isOfCommits(error)) throw error;
    throw new BadCommitError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/**
 * The classes of SQLSTATE (PostgreSQL manual, appendix A) that the same statements would meet again: what they are made
 * of (21, 22, 23, P0) and how they are made (0A, 42, XX). Deadlocks, cancelled statements, full disks are others.
 */
const DATA_OR_PROGRAM = /^(0A|21|22|23|42|P0|XX)/;

/** Whether the commits, or what the program makes of them, caused it: trying again would not help. */
function isOfCommits(error: unknown): boolean {
  if (isDatabaseDown(error)) return false;
  return error instanceof pg.DatabaseError ? DATA_OR_PROGRAM.test(error.code ?? '') : true;
}

async function stopped({ model, pool, logger }: ProjectorOptions, error: Error): Promise<void> {
  try {
    await pool.query(`UPDATE ${schemaOf(model)}.projection_state SET state = 'stopped', error = $1`, [error.message]);
  } catch (failure) {
    logger.error({ err: failure, projection: schemaOf(model) }, 'could not record that the projection stopped');
  }
}
