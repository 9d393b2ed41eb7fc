import type { StoredRecord, StreamHead } from '../port.ts';
import type { Index } from './index-schema.ts';
import { canonicalUuid, type LogRecord, positionOf, type Reading, readRecord } from './record.ts';
import type { Chunk } from './record-store.ts';
import type { ReaderDependencies } from './subscription.ts';

export interface StoredRecordsDependencies extends Omit<ReaderDependencies, 'store'> {
  readonly store: ReaderDependencies['store'] & { endOffsets(): Promise<number[]> };
  readonly partitionOf: (key: string) => number;
}

/**
 * Reads every record of the store with its verdict in the index. Compares valid commits of exact streams with their copy in
 * the index, since readers of exact streams read the copy.
 */
export async function* readStoredRecords(
  deps: StoredRecordsDependencies,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredRecord[]> {
  const ends = await deps.store.endOffsets();
  const next = ends.map(() => 0);
  const done = new AbortController();
  const isDone = (): boolean => next.every((offset, partition) => offset >= ends[partition]!);
  if (isDone()) return;
  for await (const chunks of deps.store.tail(new Map(next.entries()), AbortSignal.any([signal, done.signal]))) {
    for (const { partition, records } of chunks) {
      const within = records.filter(({ offset }) => offset < ends[partition]!);
      if (within.length === 0) continue;
      const indexed = await indexedFor(deps, { partition, records: within }, signal);
      if (indexed === null) return;
      yield within.map((record) => recordOf(readRecord(record, partition, deps.partitionOf), partition, indexed));
      next[partition] = within.at(-1)!.offset + 1;
    }
    if (isDone()) done.abort();
  }
}

/** The index's copy of a commit. */
interface Copy {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly command: string | null;
  readonly hash: string;
}

/** The index's rows for a range of records, by offset. */
interface IndexedRecords {
  readonly voids: ReadonlyMap<number, string>;
  readonly copies: ReadonlyMap<number, Copy>;
}

/** Reads the index's rows for a chunk in one snapshot, once the index has passed the chunk; null if the signal aborts first. */
async function indexedFor(
  { index, progress }: StoredRecordsDependencies,
  { partition, records }: Chunk,
  signal: AbortSignal,
): Promise<IndexedRecords | null> {
  const [first, last] = [records[0]!, records.at(-1)!].map(({ offset }: LogRecord) => offset) as [number, number];
  while (!signal.aborted) {
    await progress.passed(partition, last, signal);
    const indexed = await indexedWithin(index, partition, first, last);
    if (indexed !== null) return indexed;
  }
  return null;
}

async function indexedWithin(
  index: Index,
  partition: number,
  first: number,
  last: number,
): Promise<IndexedRecords | null> {
  const { rows } = await index.pool.query<{
    voids: { at: number; reason: string }[] | null;
    copies: (Copy & { at: number })[] | null;
  }>({
    name: 'index_stored_records',
    text: `SELECT (SELECT json_agg(json_build_object('at', at_offset, 'reason', reason)) FROM ${index.schema}.voids
                    WHERE lane = $1 AND at_offset BETWEEN $2 AND $3) AS voids,
                  (SELECT json_agg(json_build_object('at', at_offset, 'stream', stream, 'revision', revision, 'id', id,
                            'command', command_id, 'hash', encode(sha256(convert_to(body, 'UTF8')), 'hex')))
                     FROM ${index.schema}.commits WHERE lane = $1 AND at_offset BETWEEN $2 AND $3) AS copies
           FROM ${index.schema}.lanes WHERE lane = $1 AND next_offset > $3`,
    values: [partition, first, last],
  });
  const row = rows[0];
  if (row === undefined) return null;
  return {
    voids: new Map(row.voids?.map(({ at, reason }) => [at, reason])),
    copies: new Map(row.copies?.map(({ at, ...copy }) => [at, copy])),
  };
}

function recordOf(reading: Reading, partition: number, { voids, copies }: IndexedRecords): StoredRecord {
  const { offset } = reading;
  const commit = 'malformed' in reading ? null : reading.commit;
  const reason = voids.get(offset) ?? null;
  return {
    position: positionOf(partition, offset),
    commit,
    void: reason,
    fault: faultOf(reading, reason, copies.get(offset)),
  };
}

/** How the index differs from the record; null: not at all. */
function faultOf(reading: Reading, reason: string | null, copy: Copy | undefined): string | null {
  if ('malformed' in reading) return null;
  if (reason === 'malformed') return 'the index says that it is no commit';
  const { id, stream, revision, hash, command } = reading.commit;
  const isCopied = reason === null && revision !== null;
  if (!isCopied) return copy === undefined ? null : `the index has it as revision ${copy.revision} of ${copy.stream}`;
  if (copy === undefined) return 'the index does not have it';
  if (copy.stream !== stream || copy.revision !== revision || copy.id !== canonicalUuid(id))
    return `the index has it as revision ${copy.revision} of ${copy.stream}, by the id ${copy.id}`;
  const commandId = command === undefined ? null : canonicalUuid(command.id);
  if (copy.hash !== hash || copy.command !== commandId) return 'the index has another text of it';
  return null;
}

/** Reads the heads of exact streams from the index, in pages. */
export async function* indexedStreamHeads({ pool, schema }: Index): AsyncGenerator<ReadonlyMap<string, StreamHead>> {
  for (let after = ''; ; ) {
    const { rows } = await pool.query<StreamHead & { readonly stream: string }>({
      name: 'index_noted_heads',
      text: `SELECT stream, revision, hash FROM ${schema}.streams WHERE stream > $1 ORDER BY stream LIMIT 1000`,
      values: [after],
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield new Map(rows.map(({ stream, revision, hash }) => [stream, { revision, hash }]));
    after = last.stream;
  }
}
