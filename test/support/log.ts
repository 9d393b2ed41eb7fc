import { randomUUID } from 'node:crypto';
import {
  type Batch,
  type Cursor,
  EMPTY_STREAM,
  type EventLog,
  hasPassedAll,
  type NewCommit,
  type Position,
  type RecordedCommit,
} from '../../src/log/port.ts';

/** Categories of the tests' streams: `intake` is an *any* stream, `bot` is an exact stream. */
export const ANY_CATEGORIES = ['intake'];
export const ALL_CATEGORIES = ['intake', 'bot'];

/** A commit of one event on an empty exact stream; `changes` overrides its fields. */
export function newCommit(stream: string, changes: Partial<NewCommit> = {}): NewCommit {
  return {
    id: randomUUID(),
    stream,
    expected: stream.startsWith('intake-') ? 'any' : EMPTY_STREAM,
    at: Date.now(),
    events: [{ type: 'Happened', v: 1, data: { n: 1 } }],
    ...changes,
  };
}

/** A bot that no other test uses, since tests may share a log. */
export const newBot = (): string => `b${randomUUID().replaceAll('-', '')}`;

interface ReadOptions {
  readonly categories?: readonly string[];
  readonly after?: Cursor;
  readonly to?: Cursor;
  readonly maxCommits?: number;
  readonly without?: readonly string[];
  readonly partitions?: ReadonlySet<number>;
}

/** All commits of the categories from `after` up to `to` (default: the log's head), in the order they came. */
export async function readAll(log: EventLog, options: ReadOptions = {}): Promise<RecordedCommit[]> {
  return (await readBatches(log, options)).flatMap((batch) => batch.commits);
}

export async function readBatches(
  log: EventLog,
  { categories = ALL_CATEGORIES, after = new Map(), to, maxCommits, without = [], partitions }: ReadOptions = {},
): Promise<Batch[]> {
  const end = to ?? (await log.endCursor());
  const head = new Map([...end].filter(([partition]) => partitions === undefined || partitions.has(partition)));
  const cursor = new Map<number, Position>(after);
  const batches: Batch[] = [];
  if (hasPassedAll(cursor, head)) return batches;
  const stop = new AbortController();
  const subscription = log.subscribe({
    categories,
    after,
    without,
    signal: stop.signal,
    ...(maxCommits === undefined ? {} : { maxCommits }),
    ...(partitions === undefined ? {} : { partitions }),
  });
  for await (const batch of subscription) {
    batches.push(batch);
    cursor.set(batch.partition, batch.last);
    if (hasPassedAll(cursor, head)) break;
  }
  stop.abort();
  return batches;
}

/** Appends at the current revision of the stream, and repeats after each conflict. Returns the number of conflicts. */
export async function appendOnTop(log: EventLog, commit: NewCommit): Promise<number> {
  for (let lost = 0; ; lost++) {
    const { head } = await log.read(commit.stream);
    try {
      await log.append({ ...commit, expected: head });
      return lost;
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ConflictError') throw error;
    }
  }
}
