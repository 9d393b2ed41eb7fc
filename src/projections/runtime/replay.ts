import { typesBeside } from '../../domain/events.ts';
import { type Batch, type Cursor, type EventLog, hasPassedAll } from '../../log/port.ts';
import type { Target } from './apply.ts';
import { skippedCommits } from './bad-events.ts';
import { loadCheckpoint } from './checkpoint.ts';
import { commitsUpTo, type OnCommits } from './commits-up-to.ts';
import { catchUpSlice } from './deferred-work.ts';
import { createWriter } from './writer.ts';

/** How far it is costs a look into the log. */
const TELL_MS = 500;

/**
 * Brings a schema of a read model, which nobody else writes to, to exactly `until`: strict about bad events.
 * @throws BadCommitError
 */
export async function replayInto(
  target: Target,
  log: EventLog,
  until: Cursor,
  signal: AbortSignal,
  onProgress: OnCommits,
): Promise<void> {
  const writer = createWriter({
    target,
    checkpoint: await loadCheckpoint(target.pool, target.schema),
    skipped: await skippedCommits(log, target.model.name),
    onBadCommit: (_commit, error) => Promise.reject(error),
  });
  const done = new AbortController();
  const batches = log.subscribe({
    categories: target.model.categories,
    without: typesBeside(target.model.events),
    after: new Map(writer.written),
    signal: AbortSignal.any([signal, done.signal]),
  });
  let told = Number.NEGATIVE_INFINITY;
  if (!hasPassedAll(writer.written, until))
    for await (const batch of batches) {
      const wanted = upTo(batch, until);
      if (wanted !== null) for (const part of writer.open(wanted)) await writer.write(part);
      if (hasPassedAll(writer.written, until)) done.abort();
      if (performance.now() - told < TELL_MS) continue;
      told = performance.now();
      const { done: commits, total } = await commitsUpTo(log, writer.written);
      onProgress(commits, total);
    }
  do signal.throwIfAborted();
  while (await catchUpSlice(target, false));
}

/** What of the batch lies at or below the end; null: nothing. */
function upTo({ partition, commits, last }: Batch, until: Cursor): Batch | null {
  const end = until.get(partition);
  if (end === undefined) return null;
  if (last <= end) return { partition, commits, last };
  const before = commits.filter(({ position }) => position <= end);
  return { partition, commits: before, last: end };
}
