import { pause } from '../../util/pause.ts';
import { BETWEEN_EVENTS, decodeCommit, eventsBeginWith } from '../commit-codec.ts';
import type { Batch, RecordedCommit, SubscribeOptions } from '../port.ts';
import { categoryOf } from '../stream-name.ts';
import { exactPage, nextOffsets, voidsWithin } from './index-reader.ts';
import type { Index } from './index-schema.ts';
import type { Progress } from './progress.ts';
import { type LogRecord, offsetAfter, positionOf } from './record.ts';
import type { Chunk, RecordStore } from './record-store.ts';

export interface ReaderDependencies {
  readonly store: Pick<RecordStore, 'tail'>;
  readonly index: Index;
  readonly progress: Progress;
}

const DEFAULT_MAX_COMMITS = 1000;
/** Bytes of commits in one page of the index. */
const MAX_PAGE_BYTES = 4 << 20;
/** Progress over commits of other categories is reported in steps: each step costs the reader a query. */
const PROGRESS_STEP_MS = 20;

/** Reads the records, never beyond the index, and leaves out what the index holds as void. */
export async function* subscribeToRecords(deps: ReaderDependencies, options: SubscribeOptions): AsyncGenerator<Batch> {
  const { categories, without = [], maxCommits = DEFAULT_MAX_COMMITS, signal } = options;
  const unwanted = without.map(eventsBeginWith);
  const passedOver = (body: string): boolean =>
    unwanted.some((start) => body.includes(start)) && !body.includes(BETWEEN_EVENTS);
  for await (const chunks of deps.store.tail(startOf(deps.index.partitions, options), signal)) {
    for (const chunk of joined(chunks)) {
      const voids = await validated(deps, chunk, signal);
      if (voids === null) return;
      yield* batchesOf(chunk, voids, new Set(categories), passedOver, maxCommits);
      if (signal.aborted) return;
    }
  }
}

/** One chunk a partition: each append may have arrived by itself, and a reader pays for each batch. */
function joined(chunks: readonly Chunk[]): Chunk[] {
  const partitions = new Map<number, LogRecord[]>();
  for (const { partition, records } of chunks) {
    const known = partitions.get(partition);
    if (known === undefined) partitions.set(partition, [...records]);
    else known.push(...records);
  }
  return [...partitions].map(([partition, records]) => ({ partition, records }));
}

/** The void offsets of a chunk, once the index has passed it; null when the signal aborted first. */
async function validated(
  { index, progress }: ReaderDependencies,
  { partition, records }: Chunk,
  signal: AbortSignal,
): Promise<ReadonlySet<number> | null> {
  const first = records[0]!.offset;
  const last = records[records.length - 1]!.offset;
  while (!signal.aborted) {
    await progress.passed(partition, last, signal);
    const voids = await voidsWithin(index, partition, first, last);
    if (voids !== null) return voids;
    // The hint was ahead of the database: the index was dropped and is being made anew.
    progress.publish(await nextOffsets(index));
  }
  return null;
}

function* batchesOf(
  { partition, records }: Chunk,
  voids: ReadonlySet<number>,
  categories: ReadonlySet<string>,
  passedOver: (body: string) => boolean,
  maxCommits: number,
): Generator<Batch> {
  let commits: RecordedCommit[] = [];
  for (const { offset, value } of records) {
    if (value === null || voids.has(offset)) continue;
    const body = Buffer.from(value).toString();
    if (passedOver(body)) continue;
    const commit = decodeCommit(body, positionOf(partition, offset), offset);
    if (!categories.has(categoryOf(commit.stream))) continue;
    if (commits.length === maxCommits) {
      yield { partition, commits, last: commits[commits.length - 1]!.position };
      commits = [];
    }
    commits.push(commit);
  }
  yield { partition, commits, last: positionOf(partition, records[records.length - 1]!.offset) };
}

/** Reads exact streams only: the index has all their commits, so intake need not even be fetched. */
export async function* subscribeToIndex(deps: ReaderDependencies, options: SubscribeOptions): AsyncGenerator<Batch> {
  const { categories, maxCommits = DEFAULT_MAX_COMMITS, signal } = options;
  const { index, progress } = deps;
  const next = startOf(index.partitions, options);
  while (!signal.aborted) {
    const reached = await nextOffsets(index);
    let found = 0;
    for (const [partition, end] of reached.entries()) {
      while (next[partition]! < end && !signal.aborted) {
        const page = await exactPage(index, partition, next[partition]!, {
          categories,
          maxCommits,
          maxBytes: MAX_PAGE_BYTES,
        });
        if (page === null) break;
        next[partition] = page.last + 1;
        found += page.commits.length;
        yield { partition, commits: page.commits, last: positionOf(partition, page.last) };
      }
    }
    if (found === 0) await pause(PROGRESS_STEP_MS, signal);
    await progress.beyond(next, signal);
  }
}

function startOf(partitions: number, { after }: SubscribeOptions): number[] {
  return Array.from({ length: partitions }, (_, partition) => offsetAfter(after.get(partition), partition));
}
