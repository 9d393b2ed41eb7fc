import type pg from 'pg';
import { decodeCommit, headAt } from '../commit-codec.ts';
import { type Appended, COMMAND_MEMORY_MS, ConflictError, type NewCommit, type StreamHead } from '../port.ts';
import { keyOf } from '../stream-name.ts';
import { positionOf } from './position.ts';

/** An append that waits for a group, or for the outcome of its group's statement. */
export interface Waiting {
  readonly commit: NewCommit;
  readonly body: string;
  /** The head of its exact stream after the append. */
  readonly head: StreamHead | null;
  readonly deadline: number;
  /** Whether a statement with the commit was sent and its outcome is unknown. */
  maybeWritten: boolean;
  /** Whether a statement was sent again, since the outcome of the first remained unknown. */
  repeated: boolean;
  settled: boolean;
  resolve(appended: Appended): void;
  reject(error: Error): void;
}

interface OutcomeRow {
  n: number;
  outcome: 'appended' | 'repeated' | 'conflict';
  txid: string | null;
  seq: string | null;
  /** Of a conflict: the revision of the stream's head. */
  revision: number | null;
  /** Of a repeat: the text of the earlier commit. */
  body: string | null;
}

/** Answers the callers of a group. */
export type Settle = () => void;

const APPEND = {
  name: 'log_append',
  text: 'SELECT n, outcome, txid::text, seq::text, revision, body FROM log.append($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11)',
};
const APPEND_NEW = {
  name: 'log_append_new',
  text: 'SELECT txid::text, seqs::text FROM log.append_new($1,$2,$3,$4,$5,$6)',
};

/** Appends commits of *any* streams that the log does not have. */
export async function appendNew(client: pg.PoolClient, group: readonly Waiting[]): Promise<Settle> {
  const lengths = group.map(({ body }) => Buffer.byteLength(body));
  const starts: number[] = [];
  let end = 1;
  for (const length of lengths) {
    starts.push(end);
    end += length;
  }
  const { rows } = await client.query<{ txid: string; seqs: string }>({
    ...APPEND_NEW,
    values: [
      [...new Set(group.map(({ commit }) => keyOf(commit.stream)))],
      arrayOf(group.map(({ commit }) => commit.id)),
      group.map(({ commit }) => commit.stream),
      arrayOf(starts),
      arrayOf(lengths),
      Buffer.from(group.map(({ body }) => body).join('')),
    ],
  });
  const { txid, seqs } = rows[0]!;
  return () => {
    for (const [i, seq] of seqs.slice(1, -1).split(',').entries())
      succeed(group[i]!, { position: positionOf({ txid, seq }), head: null, repeated: null });
  };
}

/** Appends any commits. */
export async function append(client: pg.PoolClient, group: readonly Waiting[]): Promise<Settle> {
  const { rows } = await client.query<OutcomeRow>({
    ...APPEND,
    values: [
      arrayOf(group.map(({ commit }) => commit.id)),
      group.map(({ commit }) => commit.stream),
      group.map(({ commit }) => keyOf(commit.stream)),
      arrayOf(group.map(({ head }) => head?.revision ?? null)),
      group.map(({ commit }) => (commit.expected === 'any' ? null : commit.expected.hash)),
      arrayOf(group.map(({ head }) => head?.hash ?? null)),
      arrayOf(group.map(({ commit }) => commit.command?.id ?? null)),
      arrayOf(group.map(({ commit }) => commit.at)),
      arrayOf(group.map(({ body }) => Buffer.byteLength(body))),
      Buffer.from(group.map(({ body }) => body).join('')),
      COMMAND_MEMORY_MS,
    ],
  });
  return () => {
    for (const row of rows) settle(group[row.n - 1]!, row);
  };
}

/**
 * An array literal of numbers, hex and UUIDs. They need no escapes. `pg` would search each value for characters to
 * escape.
 */
function arrayOf(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join()}}`;
}

function settle(entry: Waiting, row: OutcomeRow): void {
  if (row.outcome === 'conflict') {
    const expected = entry.commit.expected === 'any' ? 0 : entry.commit.expected.revision;
    fail(entry, new ConflictError(entry.commit.stream, expected, row.revision ?? 0));
  } else succeed(entry, appended(entry, row));
}

function succeed(entry: Waiting, result: Appended): void {
  if (entry.settled) return;
  entry.settled = true;
  entry.resolve(result);
}

function appended(entry: Waiting, { outcome, txid, seq, body }: OutcomeRow): Appended {
  const position = positionOf({ txid: txid!, seq: seq! });
  if (outcome === 'appended') return { position, head: entry.head, repeated: null };
  const commit = decodeCommit(body!, position, Number(seq));
  // To the caller it is no repeat if our own earlier attempt, whose answer was lost, appended the commit.
  const own = entry.repeated && commit.id === entry.commit.id;
  return { position, head: headAt(commit), repeated: own ? null : commit };
}

/** Rejects the caller, unless it was answered before. */
export function fail(entry: Waiting, error: Error): void {
  if (entry.settled) return;
  entry.settled = true;
  entry.reject(error);
}
