/**
 * The EventLog port: an append-only log of commits, the only truth of the service.
 *
 * A **commit** is the unit of writing on every engine: all events of one append, whole or not at all, stored as one record.
 * A **stream** is a named sequence of commits. *Exact* streams are appended to with the head that was read and carry a hash
 * chain; *any* streams (intake) take appends in any order and carry neither revision nor chain. A **partition** is a totally
 * ordered part of the log. All streams that end in the same key (a bot's) share a partition.
 */

import type { CommitDigest } from './commit-digest.ts';
import type { Keyring } from './data-keys.ts';

export type { CommitDigest } from './commit-digest.ts';
export type { DataKey, Keyring } from './data-keys.ts';

/** `<partition>:<cursor>`: text that sorts within its partition and is otherwise opaque. */
export type Position = string;

/** Per partition, the last position read. A partition without an entry has not been read at all. */
export type Cursor = ReadonlyMap<number, Position>;

/** The head of an exact stream: the number of its commits, and the hash of the last one (hex SHA-256; '' of an empty stream). */
export interface StreamHead {
  readonly revision: number;
  readonly hash: string;
}

/** The head of a stream that does not exist yet. */
export const EMPTY_STREAM: StreamHead = { revision: 0, hash: '' };

/** One event as the log stores it. `v` is the version of the shape of `data`. */
export interface LogEvent {
  readonly type: string;
  readonly v: number;
  readonly data: unknown;
}

/**
 * Makes a repeat recognisable. The log appends the same command `id` once: on exact streams forever, on *any* streams for
 * {@link COMMAND_MEMORY_MS} by the commits' own times. By `bodyHash` the caller tells a repeat from another request with the
 * same id; with `answer` it gives a repeat the first answer again.
 */
export interface CommandStamp {
  readonly id: string;
  readonly bodyHash?: string | undefined;
  readonly answer?: unknown;
}

/** How long a command id is remembered on *any* streams (decisions.md#idempotency-key: 24 hours). */
export const COMMAND_MEMORY_MS = 24 * 60 * 60 * 1000;

export interface NewCommit {
  /** UUID. After an unknown outcome the caller may append the same id again: the log stores the commit once. */
  readonly id: string;
  /** `<category>-<key>` or `<category>-<key>/<rest>`; the key decides the partition. */
  readonly stream: string;
  /** The head that the writer has read, for an exact stream. */
  readonly expected: StreamHead | 'any';
  /** When the service recorded it, in milliseconds since 1970 UTC. */
  readonly at: number;
  readonly events: readonly LogEvent[];
  readonly command?: CommandStamp | undefined;
  /** The API key of the request, if a request caused it. */
  readonly keyId?: number | undefined;
  /** The id of the event that caused it, if an event caused it. */
  readonly causation?: string | undefined;
  /** The span of the append, if it is traced: a W3C `traceparent` (decisions.md#traces). */
  readonly trace?: string | undefined;
  /** Random text, so that a commit is never guessed from its hash. Older commits have none. */
  readonly nonce?: string | undefined;
}

export interface RecordedCommit extends Omit<NewCommit, 'expected'> {
  readonly position: Position;
  /** Grows within a partition, so along the log of one bot. A JSON-safe integer; engines number differently. */
  readonly ordinal: number;
  /** 1 for the first commit of an exact stream; null on *any* streams. */
  readonly revision: number | null;
  /** Hash of the previous commit of an exact stream, '' for the first; null on *any* streams. */
  readonly prev: string | null;
  /** Hex SHA-256 of the stored bytes; null on *any* streams: they have no chain. */
  readonly hash: string | null;
}

export interface Appended {
  readonly position: Position;
  /** The head of the exact stream after the commit; null on *any* streams. */
  readonly head: StreamHead | null;
  /** The earlier commit with the same command id or commit id; nothing was appended. Null: the commit was appended. */
  readonly repeated: RecordedCommit | null;
  /** SHA-256 of the stored bytes, if it was asked for. */
  readonly digest?: Uint8Array;
}

export interface AppendOptions {
  /** Asks for the digest of the stored bytes. The log of a service answers it, an engine alone does not. */
  readonly digest?: boolean;
  /** The caller knows that the log lacks commit and command: no look-up, and *any* appends of a key keep the calls' order if all or none have a command. */
  readonly unseen?: boolean;
  /** The append fails at this time of `performance.now()`, in milliseconds, or at the log's own limit if that is earlier. */
  readonly deadline?: number | undefined;
}

export interface StreamSlice {
  readonly head: StreamHead;
  readonly commits: readonly RecordedCommit[];
}

/** Commits of one partition, in its order, up to `last`. That may lie beyond them, after commits of other categories. */
export interface Batch<Commit = RecordedCommit> {
  readonly partition: number;
  readonly commits: readonly Commit[];
  readonly last: Position;
  /** Whether the log may have had more commits after it when it was read. Absent: the engine does not know. */
  readonly hasMore?: boolean;
  /** Whether the next batch is of another partition and was read with this one, so that it comes without a wait. */
  readonly hasOthers?: boolean;
}

export interface SubscribeOptions {
  /** Categories to deliver. The subscription skips commits of others, and `last` moves past them. */
  readonly categories: readonly string[];
  readonly after: Cursor;
  /** The partitions to read; absent: all of them. */
  readonly partitions?: ReadonlySet<number>;
  /** The subscription also skips commits with a single event of these types, undecoded. It may deliver a few of them. */
  readonly without?: readonly string[];
  /** The most commits in a batch. Default 1,000. */
  readonly maxCommits?: number;
  /** Ends the iteration. */
  readonly signal: AbortSignal;
}

/** How far a reader is behind the log end: commits not yet read (an upper bound) and the age of the oldest, in seconds. */
export interface Lag {
  readonly commits: number;
  readonly seconds: number;
}

/** A record of the log as its engine stores it, valid or void. */
export interface StoredRecord {
  readonly position: Position;
  /** Null: the record holds no commit. */
  readonly commit: RecordedCommit | null;
  /** Why the record is void, so that readers skip it; null: it is valid. */
  readonly void: string | null;
  /** How the engine's own columns or index differ from the record, though the engine reads by them; null: they agree. */
  readonly fault: string | null;
}

export interface EventLog {
  /** The engine's name, as in EVENT_LOG. */
  readonly engine: string;
  /** Number of partitions; fixed for the life of a log. */
  readonly partitions: number;
  /** The keys that personal data in its commits is sealed with. */
  readonly keys: Keyring;
  /** The partition of all streams that end in this key. */
  partitionOf(key: string): number;
  /**
   * Appends a commit durably: resolves once the log has stored it.
   * @throws ConflictError the stream's head is not `expected`; nothing was appended
   * @throws LogUnavailableError the commit is certainly not in the log
   * @throws OutcomeUnknownError the commit may or may not be in the log; the same id may be appended again
   */
  append(commit: NewCommit, options?: AppendOptions): Promise<Appended>;
  /**
   * Finds the commit that already holds this command, so that an append to the stream at time `at` would repeat it. Null:
   * none yet; a concurrent append may still be first. The commit may be of another stream of the same key.
   */
  findCommand(stream: string, id: string, at: number): Promise<RecordedCommit | null>;
  /**
   * Reads the commits of an exact stream after the head `from` (default: the beginning), and the stream's head. Checks
   * the hash chain on the way. `atMost` limits the commits: the head then belongs to the last commit read. Fewer than
   * `atMost` mean that the stream ends there.
   * @throws BrokenChainError also if the stream does not have `from`
   */
  read(stream: string, from?: StreamHead, atMost?: number): Promise<StreamSlice>;
  /** Reads the heads of these exact streams, without their commits. Leaves out empty streams. */
  streamHeads(streams: readonly string[]): Promise<ReadonlyMap<string, StreamHead>>;
  /** Delivers every commit of the categories after the cursor, forever, each exactly once, in order within a partition. */
  subscribe(options: SubscribeOptions): AsyncIterable<Batch>;
  /** As subscribe, with the digests of the commits. It decodes no commit. */
  digests(options: SubscribeOptions): AsyncIterable<Batch<CommitDigest>>;
  /**
   * Returns a signal that aborts when the log has grown since the call, or may have grown: within 0.75 s even if a
   * notification is lost. While callers wait, all of them together cost the log one small query per poll.
   */
  grown(): AbortSignal;
  /** Reads the log end: the last readable position of each partition that has one. Every earlier append is at or below it. */
  endCursor(): Promise<Cursor>;
  lag(after: Cursor): Promise<Lag>;
  /**
   * Reads every record from the log's beginning to its present end, in order within a partition, in batches. For audits.
   * @throws if the engine numbers records without gaps and a number is missing
   */
  storedRecords(signal: AbortSignal): AsyncIterable<readonly StoredRecord[]>;
  /** Reads the heads of all exact streams from the engine's index, in batches, each stream once. For audits. */
  indexedStreamHeads(): AsyncIterable<ReadonlyMap<string, StreamHead>>;
  /** Resolves when the log answers; rejects otherwise. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  constructor(
    readonly stream: string,
    readonly expected: number,
    readonly actual: number,
  ) {
    super(`stream ${stream}: expected revision ${expected}, is at ${actual}`);
  }
}

/** The log certainly does not have the append, or did not answer a read. The same may succeed later. */
export class LogUnavailableError extends Error {
  override readonly name: string = 'LogUnavailableError';
}

/** The clock of this machine is wrong, so the append was not sent: its times would be wrong forever. */
export class WrongClockError extends LogUnavailableError {
  override readonly name = 'WrongClockError';
}

/** The sender is too far ahead of the projections, so the append was not sent. */
export class LogBusyError extends LogUnavailableError {
  override readonly name = 'LogBusyError';
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(message);
  }
}

/** When the log was opened, its server neither answered in time nor refused: the server is slow or absent. */
export class LogSilentError extends LogUnavailableError {
  override readonly name = 'LogSilentError';
}

/** The server's topic, stream or index cannot hold this log, or is of another one. The operator must change the configuration. */
export class LogUnfitError extends Error {
  override readonly name: string = 'LogUnfitError';
}

/** The commit is larger than the engine takes. Nothing was appended. */
export class CommitTooLargeError extends RangeError {
  override readonly name = 'CommitTooLargeError';
}

/** The append may or may not be in the log. */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';
}

/** An exact stream's commits do not continue one another, or do not end at its head. */
export class BrokenChainError extends Error {
  override readonly name = 'BrokenChainError';
  constructor(
    readonly stream: string,
    readonly revision: number,
    detail: string,
  ) {
    super(`stream ${stream}, revision ${revision}: ${detail}`);
  }
}

/** The record at this position is no commit. */
export class UnreadableCommitError extends Error {
  override readonly name = 'UnreadableCommitError';
  constructor(
    readonly position: Position,
    options: ErrorOptions,
  ) {
    super(`the record at ${position} is no commit`, options);
  }
}

/** The partition of a position. */
export function partitionOf(position: Position): number {
  return Number.parseInt(position.slice(0, position.indexOf(':')), 10);
}

/** The cursor of only these partitions. */
export function within(partitions: ReadonlySet<number>, cursor: Cursor): Cursor {
  return new Map([...cursor].filter(([partition]) => partitions.has(partition)));
}

/** Whether a reader at `cursor` has read the commit at `position`. */
export function hasPassed(cursor: Cursor, position: Position): boolean {
  const last = cursor.get(partitionOf(position));
  return last !== undefined && last >= position;
}

/** Whether a reader at `cursor` has read everything up to `end`. */
export function hasPassedAll(cursor: Cursor, end: Cursor): boolean {
  for (const position of end.values()) if (!hasPassed(cursor, position)) return false;
  return true;
}
