import { pause } from '../../util/pause.ts';
import { BETWEEN_EVENTS, type Decode, eventsBeginWith } from '../commit-codec.ts';
import type { Batch, CommitDigest, SubscribeOptions } from '../port.ts';
import { categoryOf } from '../stream-name.ts';
import type { Progress } from './index-progress.ts';
import { exactPage, growth, nextOffsets, voidsWithin } from './index-reader.ts';
import type { Index } from './index-schema.ts';
import { type LogRecord, offsetAfter, positionOf } from './record.ts';
import type { Chunk, RecordStore } from './record-store.ts';

export interface ReaderDependencies {
  readonly store: Pick<RecordStore, 'tail'>;
  readonly index: Index;
  readonly progress: Progress;
}

const DEFAULT_MAX_COMMITS = 1000;
/** The most bytes of commits in one page of the index. */
const MAX_PAGE_BYTES = 4 << 20;
/** A projector rests for 80 ms between batches, so it gains nothing to fetch each record as soon as it comes. */
const REST_MS = 20;
/** A pause between batches without commits, since each batch costs the reader of the subscription a query. */
const PROGRESS_STEP_MS = 20;

/** Reads the records, never beyond the index, and skips records that are void in the index. */
export async function* subscribeToRecords<Commit extends Pick<CommitDigest, 'position' | 'stream'>>(
  deps: ReaderDependencies,
  decode: Decode<Commit>,
  options: SubscribeOptions,
): AsyncGenerator<Batch<Commit>> {
  const { categories, without = [], maxCommits = DEFAULT_MAX_COMMITS, signal } = options;
  const unwanted = without.map(eventsBeginWith);
  const isSkipped = (body: string): boolean =>
    unwanted.some((start) => body.includes(start)) && !body.includes(BETWEEN_EVENTS);
  const wanted = new Set(categories);
  for await (const chunks of deps.store.tail(new Map(startOf(deps.index.partitions, options)), signal, REST_MS)) {
    const arrived = joined(chunks);
    const voids = await voidsOf(deps, arrived, signal);
    if (voids === null) return;
    for (const [i, chunk] of arrived.entries()) {
      const hasOthers = i < arrived.length - 1;
      yield* batchesOf(chunk, voids.get(chunk.partition)!, decode, { wanted, isSkipped, maxCommits, hasOthers });
      if (signal.aborted) return;
    }
  }
}

/** Joins chunks to one a partition. Each append may have arrived as its own chunk, and a reader pays for each batch. */
function joined(chunks: readonly Chunk[]): Chunk[] {
  const partitions = new Map<number, LogRecord[]>();
  for (const { partition, records } of chunks) {
    const earlier = partitions.get(partition);
    if (earlier === undefined) partitions.set(partition, [...records]);
    else earlier.push(...records);
  }
  return [...partitions].map(([partition, records]) => ({ partition, records }));
}

/** Reads the void offsets of the chunks, by partition, once the index has passed them; null if the signal aborts first. */
async function voidsOf(
  { index, progress }: ReaderDependencies,
  chunks: readonly Chunk[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, ReadonlySet<number>> | null> {
  const ranges = chunks.map(({ partition, records }) => ({
    partition,
    first: records[0]!.offset,
    last: records[records.length - 1]!.offset,
  }));
  // Mostly the index has passed them already. A question whether it has would be another query.
  let voids = await voidsWithin(index, ranges);
  while (voids === null && !signal.aborted) {
    for (const { partition, last } of ranges) await progress.passed(partition, last, signal);
    voids = await voidsWithin(index, ranges);
    // `progress` was ahead of the database: the index was dropped and is being rebuilt.
    if (voids === null) progress.publish(await nextOffsets(index));
  }
  return voids;
}

function* batchesOf<Commit extends Pick<CommitDigest, 'position' | 'stream'>>(
  { partition, records }: Chunk,
  voids: ReadonlySet<number>,
  decode: Decode<Commit>,
  options: {
    readonly wanted: ReadonlySet<string>;
    readonly isSkipped: (body: string) => boolean;
    readonly maxCommits: number;
    readonly hasOthers: boolean;
  },
): Generator<Batch<Commit>> {
  const { wanted, isSkipped, maxCommits, hasOthers } = options;
  let commits: Commit[] = [];
  for (const { offset, value } of records) {
    if (value === null || voids.has(offset)) continue;
    const body = Buffer.from(value).toString();
    if (isSkipped(body)) continue;
    const commit = decode(body, positionOf(partition, offset), offset);
    if (!wanted.has(categoryOf(commit.stream))) continue;
    if (commits.length === maxCommits) {
      yield { partition, commits, last: commits[commits.length - 1]!.position, hasMore: true };
      commits = [];
    }
    commits.push(commit);
  }
  yield { partition, commits, last: positionOf(partition, records[records.length - 1]!.offset), hasOthers };
}

/** Reads only exact streams, from the index. It has all their commits. So it fetches no intake from the store. */
export async function* subscribeToIndex(deps: ReaderDependencies, options: SubscribeOptions): AsyncGenerator<Batch> {
  const { categories, maxCommits = DEFAULT_MAX_COMMITS, signal } = options;
  const { index, progress } = deps;
  const next = new Map(startOf(index.partitions, options));
  // Other partitions never have more to read.
  const awaited = (): number[] =>
    Array.from({ length: index.partitions }, (_, partition) => next.get(partition) ?? Number.POSITIVE_INFINITY);
  while (!signal.aborted) {
    const grown = await growth(index, next, categories);
    let found = 0;
    for (const [i, { partition, next: end, hasCommits, ...start }] of grown.entries()) {
      for (let from = start.from; from < end && !signal.aborted; ) {
        const page = hasCommits
          ? await exactPage(index, partition, from, { categories, maxCommits, maxBytes: MAX_PAGE_BYTES })
          : { commits: [], last: end - 1 };
        if (page === null) break;
        from = page.last + 1;
        next.set(partition, from);
        found += page.commits.length;
        const hasOthers = from >= end && i < grown.length - 1;
        yield { partition, commits: page.commits, last: positionOf(partition, page.last), hasOthers };
      }
    }
    if (found === 0) await pause(PROGRESS_STEP_MS, signal);
    await progress.beyond(awaited(), signal);
  }
}

function startOf(count: number, { after, partitions }: SubscribeOptions): [number, number][] {
  const all = Array.from({ length: count }, (_, partition) => partition);
  const wanted = partitions === undefined ? all : all.filter((partition) => partitions.has(partition));
  return wanted.map((partition) => [partition, offsetAfter(after.get(partition), partition)]);
}
