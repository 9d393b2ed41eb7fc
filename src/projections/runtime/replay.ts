import type { ClientBase } from 'pg';
import { typesBeside } from '../../domain/ledger-events.ts';
import { type Batch, type Cursor, type EventLog, hasPassedAll, type RecordedCommit } from '../../log/port.ts';
import { pause } from '../../util/pause.ts';
import { type ReadModel, schemaOf } from '../read-model.ts';
import type { Target } from './apply.ts';
import { skippedCommits } from './bad-events.ts';
import { commitsUpTo, loadCheckpoint, type OnCommits } from './checkpoint.ts';
import { catchUpSlice } from './deferred-work.ts';
import type { ProjectorOptions } from './projector-options.ts';
import { ahead, MAX_COMMITS } from './read-commits.ts';
import { inRunSchema, replaysOf } from './run-schemas.ts';
import { buildLeaseOf, isFollowed, TABLES_OF_RUNTIME, tablesOf } from './versions.ts';
import { type Part, Writer } from './writer.ts';

/**
 * Works while there are empty tables for a replay. One replay of a read model runs at a time; another waits.
 * @param work its signal aborts when another replay may begin
 * @throws Rejection another replay has taken over
 */
export function inScratch<T>(
  options: ProjectorOptions,
  work: (scratch: string, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return inRunSchema(options, replaysOf(options.model.name), work, cheapen);
}

/**
 * Takes work from the tables of a replay that no comparison needs. They need not survive a crash of the server, so their rows
 * are not written to the database's own log. Nor is the checkpoint: a crash empties all of them together. Triggers fill only
 * derived tables ({@link ReadModel.derived}).
 */
async function cheapen(tx: ClientBase, scratch: string): Promise<void> {
  for (const table of [...(await tablesOf(tx, scratch)), ...TABLES_OF_RUNTIME])
    await tx.query(`ALTER TABLE ${scratch}.${table} SET UNLOGGED, DISABLE TRIGGER USER`);
}

/** The pause between two looks at a version that has deferred work. */
const DEFERRED_MS = 200;

/** Waits for the projector of the version to do the deferred work. Does the work itself if no projector runs. */
export async function awaitDeferredWork(
  { pool, model, log, leases, signal }: ProjectorOptions,
  version: number,
): Promise<void> {
  if (await isFollowed(pool, model.name, version)) return pause(DEFERRED_MS, signal);
  const own: Target = { pool, model, schema: schemaOf(model.name, version), keys: log.keys };
  const turn = AbortSignal.any([signal, AbortSignal.timeout(DEFERRED_MS)]);
  await leases.hold(buildLeaseOf(model.name, version), turn, async (held) => {
    while (!held.aborted && (await catchUpSlice(own, false)));
  });
}

/** The least time between two reports of progress: each one reads from the log. */
const REPORT_MS = 500;

interface Replay extends Span {
  readonly onCommits: OnCommits;
}

/**
 * Applies the log up to exactly `until` to a schema that nothing else writes to, from the checkpoint of the schema on. Stops
 * at any bad event.
 * @throws BadCommitError
 */
export async function replayInto(
  target: Target,
  log: EventLog,
  { until, wanted, signal, onCommits }: Replay,
): Promise<void> {
  const writer = new Writer({
    target,
    checkpoint: await loadCheckpoint(target.pool, target.schema),
    skipped: await skippedCommits(log, target.model.name),
    quarantined: null,
    onBadCommit: (_commit, error) => Promise.reject(error),
  });
  let reportedAt = Number.NEGATIVE_INFINITY;
  for await (const part of partsUpTo(writer, target.model, log, { until, wanted, signal })) {
    await writer.write([part]);
    // A change of a rate, for example, defers work on all earlier events. If it were left to the end, it would
    // concern every event.
    await catchUpSlice(target, true);
    if (performance.now() - reportedAt < REPORT_MS) continue;
    reportedAt = performance.now();
    const { done: commits, total } = await commitsUpTo(log, writer.written);
    onCommits(commits, total);
  }
  do signal.throwIfAborted();
  while (await catchUpSlice(target, false));
}

interface Span {
  readonly until: Cursor;
  /** Which commits are applied. Absent: all. */
  readonly wanted?: ((commit: RecordedCommit) => boolean) | undefined;
  /** Ends the span early. */
  readonly signal: AbortSignal;
}

/** The parts that bring a writer to exactly `until`. Parts are read and opened while the database writes the parts before. */
export async function* partsUpTo(
  writer: Writer,
  model: ReadModel,
  log: EventLog,
  { until, wanted = () => true, signal }: Span,
): AsyncGenerator<Part> {
  if (hasPassedAll(writer.written, until)) return;
  const done = new AbortController();
  const batches = log.subscribe({
    categories: model.categories,
    without: typesBeside(model.events),
    after: new Map([...writer.written].filter(([, position]) => position !== '')),
    partitions: new Set(until.keys()),
    maxCommits: MAX_COMMITS,
    signal: AbortSignal.any([signal, done.signal]),
  });
  async function* cut(): AsyncGenerator<Part> {
    for await (const batch of batches) {
      const known = upTo(batch, until);
      if (known !== null) yield* writer.open({ ...known, commits: known.commits.filter(wanted) });
    }
  }
  for await (const part of ahead(
    cut(),
    () => true,
    () => done.abort(),
  )) {
    if (signal.aborted) return; // the rest of a batch may be thousands of commits
    yield part;
    if (hasPassedAll(writer.written, until)) return;
  }
}

/** The commits of the batch at or below `until`; null if its partition is not in `until`. */
function upTo({ partition, commits, last }: Batch, until: Cursor): Batch | null {
  const end = until.get(partition);
  if (end === undefined) return null;
  if (last <= end) return { partition, commits, last };
  const before = commits.filter(({ position }) => position <= end);
  return { partition, commits: before, last: end };
}
