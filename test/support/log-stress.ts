import { expect } from 'vitest';
import {
  type Cursor,
  type EventLog,
  hasPassedAll,
  LogUnavailableError,
  type NewCommit,
  OutcomeUnknownError,
  type Position,
  partitionOf,
  type RecordedCommit,
} from '../../src/log/port.ts';
import { keyOf } from '../../src/log/stream-name.ts';
import { ALL_CATEGORIES, appendOnTop, newCommit } from './log.ts';

/** The content of each event: the writer, and the number of its earlier events. */
interface Written {
  readonly writer: number;
  readonly n: number;
}

/**
 * The `n`th commit of a writer. A third are on exact streams that the writers share. Streams change from time to time,
 * since each append reads its stream from the beginning.
 */
export function nthCommit(bots: readonly string[], writer: number, n: number): NewCommit {
  const bot = bots[(writer + n) % bots.length]!;
  const events = [0, 1, 2].map((part) => ({ type: 'Happened', v: 1, data: { writer, n, part } }));
  return newCommit(n % 3 ? `intake-${bot}` : `bot-${bot}/${Math.floor(n / 30)}`, { events });
}

/** Appends a commit, and repeats it while its outcome is unknown. */
export async function persist(log: EventLog, commit: NewCommit): Promise<void> {
  for (;;) {
    try {
      if (commit.expected === 'any') await log.append(commit);
      else await appendOnTop(log, commit);
      return;
    } catch (error) {
      if (!(error instanceof OutcomeUnknownError || error instanceof LogUnavailableError)) throw error;
    }
  }
}

export interface Follower {
  readonly categories: readonly string[];
  readonly commits: RecordedCommit[];
  /** Resolves once it has passed `head`. */
  until(head: Cursor): Promise<void>;
}

/** A subscriber that keeps all commits it receives, until the signal aborts. */
function follow(log: EventLog, categories: readonly string[], after: Cursor, signal: AbortSignal): Follower {
  const commits: RecordedCommit[] = [];
  const cursor = new Map(after);
  let moved = (): void => {};
  const reading = (async () => {
    for await (const batch of log.subscribe({ categories, after, signal })) {
      commits.push(...batch.commits);
      cursor.set(batch.partition, batch.last);
      moved();
    }
  })();
  const ended = reading.then(() => Promise.reject(new Error('the subscription ended')));
  ended.catch(() => {}); // `until` rejects with it
  return {
    categories,
    commits,
    async until(head) {
      while (!hasPassedAll(cursor, head))
        await Promise.race([ended, new Promise<void>((resolve) => (moved = resolve))]);
    },
  };
}

/** For each handle, one reader of all streams and one of exact streams only. */
export function followAll(handles: readonly EventLog[], after: Cursor, signal: AbortSignal): Follower[] {
  return handles.flatMap((handle) =>
    [ALL_CATEGORIES, ['bot']].map((categories) => follow(handle, categories, after, signal)),
  );
}

/** Expects that every reader saw each acknowledged commit once and complete, and that all saw the same order. */
export function expectExactlyOnce(
  readers: readonly Follower[],
  acknowledged: readonly string[],
  bots: readonly string[],
): void {
  const whole = readers[0]!.commits;
  expect(whole.map(({ id }) => id).sort()).toEqual([...acknowledged].sort());
  for (const commit of whole) expect(commit.events).toHaveLength(3);
  for (const { categories, commits } of readers) {
    const asked = whole.filter(({ stream }) => categories.includes(stream.slice(0, stream.indexOf('-'))));
    expect(partitionByPartition(commits)).toEqual(partitionByPartition(asked));
  }
  for (const bot of bots) expectOrdered(whole.filter(({ stream }) => keyOf(stream) === bot));
}

/** Expects that ordinals grow, revisions have no gap, and the sequential appends of one writer keep their order. */
function expectOrdered(log: readonly RecordedCommit[]): void {
  const ordinals = log.map(({ ordinal }) => ordinal);
  expect(ordinals).toEqual(ordinals.toSorted((a, b) => a - b));
  const revisions = new Map<string, number>();
  for (const { stream, revision } of log) {
    if (revision === null) continue;
    expect(revision).toBe((revisions.get(stream) ?? 0) + 1);
    revisions.set(stream, revision);
  }
  const last = new Map<number, number>();
  for (const { events } of log) {
    const { writer, n } = events[0]!.data as Written;
    expect(n).toBeGreaterThan(last.get(writer) ?? -1);
    last.set(writer, n);
  }
}

function partitionByPartition(commits: readonly RecordedCommit[]): Map<number, Position[]> {
  const partitions = new Map<number, Position[]>();
  for (const { position } of commits) {
    const partition = partitions.get(partitionOf(position));
    if (partition === undefined) partitions.set(partitionOf(position), [position]);
    else partition.push(position);
  }
  return partitions;
}
