import { decodeCommit, verifyChain } from '../commit-codec.ts';
import {
  BrokenChainError,
  COMMAND_MEMORY_MS,
  EMPTY_STREAM,
  type NewCommit,
  type RecordedCommit,
  type StreamHead,
  type StreamSlice,
} from '../port.ts';
import type { Index } from './index-schema.ts';
import { positionOf } from './record.ts';
import type { VoidReason } from './validity.ts';

/** Reads the first offset without a verdict of each partition. */
export async function nextOffsets(index: Index): Promise<number[]> {
  const { rows } = await index.pool.query<{ lane: number; next_offset: string }>({
    name: 'index_next',
    text: `SELECT lane, next_offset FROM ${index.schema}.lanes`,
  });
  const next: number[] = [];
  for (const row of rows) next[row.lane] = Number(row.next_offset);
  return next;
}

/** Reads the verdict on a record. Null until the index has passed its offset. */
export async function verdictOn(
  index: Index,
  partition: number,
  offset: number,
): Promise<{ readonly void: VoidReason | null } | null> {
  const { rows } = await index.pool.query<{ reason: VoidReason | null }>({
    name: 'index_verdict',
    text: `SELECT v.reason FROM ${index.schema}.lanes AS l
           LEFT JOIN ${index.schema}.voids AS v ON v.lane = l.lane AND v.at_offset = $2
           WHERE l.lane = $1 AND l.next_offset > $2`,
    values: [partition, offset],
  });
  return rows[0] === undefined ? null : { void: rows[0].reason };
}

/** Offsets of one partition, both ends included. */
export interface OffsetRange {
  readonly partition: number;
  readonly first: number;
  readonly last: number;
}

/**
 * Reads the void offsets of ranges, one a partition: by partition. Null until the index has passed all of them. One snapshot
 * for both.
 */
export async function voidsWithin(
  index: Index,
  ranges: readonly OffsetRange[],
): Promise<ReadonlyMap<number, ReadonlySet<number>> | null> {
  const { rows } = await index.pool.query<{ lane: number; voids: string[] | null }>({
    name: 'index_voids_within',
    text: `SELECT l.lane, (SELECT array_agg(v.at_offset) FROM ${index.schema}.voids AS v
                            WHERE v.lane = l.lane AND v.at_offset BETWEEN r.first AND r.last) AS voids
           FROM unnest($1::int[], $2::bigint[], $3::bigint[]) AS r (lane, first, last)
           JOIN ${index.schema}.lanes AS l ON l.lane = r.lane AND l.next_offset > r.last`,
    values: [
      ranges.map(({ partition }) => partition),
      ranges.map(({ first }) => first),
      ranges.map(({ last }) => last),
    ],
  });
  if (rows.length < ranges.length) return null;
  return new Map(rows.map(({ lane, voids }) => [lane, new Set((voids ?? []).map(Number))]));
}

export async function headOf(index: Index, stream: string): Promise<StreamHead> {
  return (await streamHeadsOf(index, [stream])).get(stream) ?? EMPTY_STREAM;
}

export async function streamHeadsOf(
  index: Index,
  streams: readonly string[],
): Promise<ReadonlyMap<string, StreamHead>> {
  const { rows } = await index.pool.query<{ stream: string } & StreamHead>({
    name: 'index_ends',
    text: `SELECT stream, revision, hash FROM ${index.schema}.streams WHERE stream = ANY ($1)`,
    values: [streams],
  });
  return new Map(rows.map(({ stream, ...head }) => [stream, head]));
}

interface StoredRow {
  readonly at_offset: string;
  readonly body: string | null;
}

/**
 * Finds the indexed commit that already has the command or the id of `commit`. The index keeps no text of intake without a
 * command: the same id means the same commit, so `text` is the caller's own.
 * @throws RangeError the id belongs to an intake commit, and `commit` is none
 */
export async function holderOf(
  index: Index,
  partition: number,
  commit: NewCommit,
  text: string,
): Promise<RecordedCommit | null> {
  const row = await findHolder(index, partition, {
    id: commit.id,
    commandId: commit.command?.id ?? null,
    at: commit.at,
  });
  if (row === undefined) return null;
  if (row.body === null && commit.expected !== 'any')
    throw new RangeError(`the id ${commit.id} belongs to another commit`);
  return recorded(partition, { ...row, body: row.body ?? text });
}

/** Finds the indexed commit that has a command. */
export async function commandHolder(
  index: Index,
  partition: number,
  commandId: string,
  at: number,
): Promise<RecordedCommit | null> {
  const row = await findHolder(index, partition, { id: null, commandId, at });
  return row === undefined ? null : recorded(partition, row);
}

async function findHolder(
  index: Index,
  partition: number,
  { id, commandId, at }: { readonly id: string | null; readonly commandId: string | null; readonly at: number },
): Promise<StoredRow | undefined> {
  const { rows } = await index.pool.query<StoredRow>({
    name: 'index_holder',
    text: `SELECT at_offset, body FROM (
             SELECT 1 AS rank, at_offset, body FROM ${index.schema}.commits WHERE lane = $1 AND command_id = $3
             UNION ALL
             SELECT 2, at_offset, body FROM ${index.schema}.recent_commands WHERE lane = $1 AND id = $3 AND at > $4
             UNION ALL
             SELECT 3, at_offset, body FROM ${index.schema}.commits WHERE lane = $1 AND id = $2
             UNION ALL
             SELECT 4, at_offset, NULL FROM ${index.schema}.recent_commits WHERE lane = $1 AND id = $2 AND at > $4
           ) AS found ORDER BY rank LIMIT 1`,
    values: [partition, id, commandId, at - COMMAND_MEMORY_MS],
  });
  return rows[0];
}

/**
 * Reads at most `atMost` commits of an exact stream after the head `from`.
 * @throws BrokenChainError
 */
export async function readStream(
  index: Index,
  partition: number,
  stream: string,
  from: StreamHead,
  atMost: number,
): Promise<StreamSlice> {
  const { rows } = await index.pool.query<StoredRow & StreamHead>({
    name: 'index_stream',
    text: `SELECT c.at_offset, c.body, s.revision, s.hash
           FROM ${index.schema}.streams AS s
           LEFT JOIN ${index.schema}.commits AS c
             ON c.stream = s.stream AND c.revision > $2 AND c.revision <= $2 + $3::bigint
           WHERE s.stream = $1 ORDER BY c.revision`,
    values: [stream, from.revision, atMost],
  });
  const commits = rows.flatMap((row) => (row.body === null ? [] : [recorded(partition, row)]));
  const head = verifyChain(stream, from, commits);
  const end = rows[0] ?? from;
  if (commits.length < atMost && (head.revision !== end.revision || head.hash !== end.hash))
    throw new BrokenChainError(stream, end.revision, `the stream ends at revision ${head.revision} instead`);
  return { head, commits };
}

/** A page of a partition's commits of exact streams, and the last offset that the page covers. */
export interface ExactPage {
  readonly commits: readonly RecordedCommit[];
  readonly last: number;
}

/** A partition of which the index has passed more records. */
export interface Growth {
  readonly partition: number;
  readonly from: number;
  /** The first offset without a verdict. */
  readonly next: number;
  /** Whether there are commits of the categories in between. */
  readonly hasCommits: boolean;
}

/** Finds the partitions of which the index has passed the offset `from`, by partition. One snapshot for offsets and commits. */
export async function growth(
  index: Index,
  from: ReadonlyMap<number, number>,
  categories: readonly string[],
): Promise<Growth[]> {
  const { rows } = await index.pool.query<{ lane: number; first: string; next: string; has_commits: boolean }>({
    name: 'index_growth',
    text: `SELECT l.lane, f.first, l.next_offset AS next,
                  EXISTS (SELECT FROM ${index.schema}.commits AS c WHERE c.lane = l.lane AND c.at_offset >= f.first
                            AND split_part(c.stream, '-', 1) = ANY ($3)) AS has_commits
           FROM unnest($1::int[], $2::bigint[]) AS f (lane, first)
           JOIN ${index.schema}.lanes AS l ON l.lane = f.lane AND l.next_offset > f.first ORDER BY l.lane`,
    values: [[...from.keys()], [...from.values()], categories],
  });
  return rows.map(({ lane, first, next, has_commits: hasCommits }) => ({
    partition: lane,
    from: Number(first),
    next: Number(next),
    hasCommits,
  }));
}

/** Reads the next page from the offset `from` on. Null if the index ends there. */
export async function exactPage(
  index: Index,
  partition: number,
  from: number,
  options: { categories: readonly string[]; maxCommits: number; maxBytes: number },
): Promise<ExactPage | null> {
  const { rows } = await index.pool.query<{
    at_offset: string | null;
    body: string | null;
    next: string;
    taken: string;
  }>({
    name: 'index_exact_page',
    text: `WITH page AS MATERIALIZED (
             SELECT at_offset, body,
               sum(octet_length(body)) OVER (ORDER BY at_offset) - octet_length(body) AS bytes_before
             FROM ${index.schema}.commits
             WHERE lane = $1 AND at_offset >= $2 AND split_part(stream, '-', 1) = ANY ($3)
             ORDER BY at_offset LIMIT $4
           )
           SELECT page.at_offset, page.body, l.next_offset AS next, (SELECT count(*) FROM page) AS taken
           FROM ${index.schema}.lanes AS l LEFT JOIN page ON page.bytes_before < $5
           WHERE l.lane = $1 AND l.next_offset > $2 ORDER BY page.at_offset`,
    values: [partition, from, options.categories, options.maxCommits, options.maxBytes],
  });
  if (rows.length === 0) return null;
  const page = rows.flatMap((row) => (row.at_offset === null ? [] : [{ at_offset: row.at_offset, body: row.body }]));
  const commits = page.map((row) => recorded(partition, row));
  const isCut = page.length === options.maxCommits || page.length < Number(rows[0]!.taken);
  return { commits, last: isCut ? commits[commits.length - 1]!.ordinal : Number(rows[0]!.next) - 1 };
}

function recorded(partition: number, { at_offset, body }: StoredRow): RecordedCommit {
  return decodeCommit(body!, positionOf(partition, Number(at_offset)), Number(at_offset));
}
