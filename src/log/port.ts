/**
 * The EventLog port: an append-only log of commits, the only truth of the service.
 *
 * A **commit** is the unit of writing on every engine: all events of one append, whole or not at all, stored as one
 * record. A **stream** is a named sequence of commits. It is of one of two kinds: *exact* streams are appended to with
 * the head that was read (optimistic concurrency) and carry a hash chain; *any* streams (intake) take appends in any
 * order and carry neither revision nor chain. A **partition** is a totally ordered part of the log: PostgreSQL and EventStoreDB
 * have one, Kafka has many. All streams that end in the same key (a bot's) share a partition.
 */

/** `<partition>:<cursor>`: text that sorts within its partition and is otherwise opaque. */
export type Position = string;

/** Per partition, the last position seen; a partition that is absent has not been read at all. */
export type Cursor = ReadonlyMap<number, Position>;

/** Where an exact stream ends: how many commits it has, and the hash of the last one (hex SHA-256, '' when empty). */
export interface StreamHead {
  readonly revision: number;
  readonly hash: string;
}

/** The head of a stream that does not exist yet. */
export const EMPTY_STREAM: StreamHead = { revision: 0, hash: '' };

/** One event as the log stores it: `v` is the version of the shape of `data`. */
export interface LogEvent {
  readonly type: string;
  readonly v: number;
  readonly data: unknown;
}

/**
 * What makes a repeat recognisable. The same `id` counts once: on exact streams for ever, on *any* streams for
 * {@link COMMAND_MEMORY_MS} by the commits' own times. `bodyHash` and `answer` travel with it, so that the caller can
 * tell a repeat from a clash and answer a repeat as it answered first.
 */
export interface CommandStamp {
  readonly id: string;
  readonly bodyHash?: string | undefined;
  readonly answer?: unknown;
}

/** How long a command id is remembered on *any* streams (decisions.md#idempotency-key: 24 hours). */
export const COMMAND_MEMORY_MS = 24 * 60 * 60 * 1000;

export interface NewCommit {
  /** UUID. An append repeated with the same id after an unknown outcome changes nothing. */
  readonly id: string;
  /** `<category>-<key>` or `<category>-<key>/<rest>`; the key decides the partition. */
  readonly stream: string;
  readonly expected: StreamHead | 'any';
  /** Time of recording, milliseconds since 1970 UTC. */
  readonly at: number;
  readonly events: readonly LogEvent[];
  readonly command?: CommandStamp | undefined;
  /** The API key that asked for it, if one did. */
  readonly keyId?: number | undefined;
  /** The id of the event that caused it, if one did. */
  readonly causation?: string | undefined;
}

export interface RecordedCommit extends Omit<NewCommit, 'expected'> {
  readonly position: Position;
  /** Grows along the log of one bot (within a partition); a JSON-safe integer, not comparable between engines. */
  readonly ordinal: number;
  /** 1 for the first commit of an exact stream; null on *any* streams. */
  readonly revision: number | null;
  /** Hash of the previous commit of an exact stream, '' for the first; null on *any* streams. */
  readonly prev: string | null;
  /** Hex SHA-256 of the stored bytes; null on *any* streams, which have no chain. */
  readonly hash: string | null;
}

export interface Appended {
  readonly position: Position;
  /** Where the exact stream ends with the commit; null on *any* streams. */
  readonly head: StreamHead | null;
  /** Set when the command (or the commit id) was in the log before: the commit that holds it. Nothing was appended. */
  readonly repeated: RecordedCommit | null;
}

export interface AppendOptions {
  /**
   * The caller knows that the log has neither the commit nor its command. No engine looks for them first then, so that appends
   * at once to *any* streams of one key keep the order of the calls, as long as all have a command, or none has.
   */
  readonly unseen?: boolean;
  /** Give up at this time of `performance.now()`, in milliseconds; the log's own limit holds if it comes first. */
  readonly deadline?: number | undefined;
}

export interface StreamSlice {
  readonly head: StreamHead;
  readonly commits: readonly RecordedCommit[];
}

/** Commits of one partition, in its order. `last` may lie beyond the last of `commits`: what lies between was not asked for. */
export interface Batch {
  readonly partition: number;
  readonly commits: readonly RecordedCommit[];
  readonly last: Position;
}

export interface SubscribeOptions {
  /** Categories to deliver; commits of others are passed over, but `last` moves across them. */
  readonly categories: readonly string[];
  readonly after: Cursor;
  /** Commits of a single event of such a type are passed over, too, unread; a few may come nevertheless. */
  readonly without?: readonly string[];
  /** At most this many commits in a batch. Default 1,000. */
  readonly maxCommits?: number;
  /** Ends the iteration. */
  readonly signal: AbortSignal;
}

/** How far a reader is behind: commits not yet read (an upper bound) and the age of the oldest, in seconds. */
export interface Lag {
  readonly commits: number;
  readonly seconds: number;
}

/** A record of the log as its engine has it, whether or not it counts. */
export interface StoredRecord {
  readonly position: Position;
  /** Null: what is there is no commit. */
  readonly commit: RecordedCommit | null;
  /** Why readers pass it over; null: they do not. */
  readonly void: string | null;
  /** Where what the engine has noted of it, and goes by, is not what the record itself says; null: nowhere. */
  readonly fault: string | null;
}

export interface EventLog {
  /** The engine's name, as in EVENT_LOG. */
  readonly engine: string;
  /** Number of partitions; fixed for the life of a log. */
  readonly partitions: number;
  /** The keys of what is sealed in its commits. */
  readonly keys: Keyring;
  /**
   * Appends durably; resolves only when the log has it.
   * @throws ConflictError the stream is not at `expected`; nothing was appended
   * @throws LogUnavailableError certainly not in the log
   * @throws OutcomeUnknownError it may or may not be in the log; the same id may be appended again
   */
  append(commit: NewCommit, options?: AppendOptions): Promise<Appended>;
  /**
   * The commit that an append of this command to the stream at `at` would repeat, as far as is known before it is tried;
   * null: none. It may be of another stream of the same key.
   */
  findCommand(stream: string, id: string, at: number): Promise<RecordedCommit | null>;
  /**
   * The commits of an exact stream after revision `from` (default 0), and its head. The chain is checked on the way. Of a
   * long stream it may be asked for `atMost` so many: the head is then that of the last of them; fewer are the rest.
   * @throws BrokenChainError
   */
  read(stream: string, from?: StreamHead, atMost?: number): Promise<StreamSlice>;
  /** Where these exact streams end now, those that are empty left out: whether they have grown, without reading each. */
  streamHeads(streams: readonly string[]): Promise<ReadonlyMap<string, StreamHead>>;
  /** Every commit of the categories after the cursor, for ever, each exactly once, in order within a partition. */
  subscribe(options: SubscribeOptions): AsyncIterable<Batch>;
  /**
   * Aborts when the log has grown since the call, or may have: within 0.75 s even if a notification is lost. While anyone
   * waits, all waiters together cost the log one small query per poll.
   */
  grown(): AbortSignal;
  /** The last readable position of each partition that has one. Everything appended before the call is at or below it. */
  endCursor(): Promise<Cursor>;
  lag(after: Cursor): Promise<Lag>;
  /**
   * For audits: every record from the log's beginning to where it ends now, in order within a partition, some at a time.
   * @throws where records are gone that the engine numbers without gaps
   */
  storedRecords(signal: AbortSignal): AsyncIterable<readonly StoredRecord[]>;
  /** For audits: where the engine has noted that exact streams end, some at a time, each once. */
  indexedStreamHeads(): AsyncIterable<ReadonlyMap<string, StreamHead>>;
  /** Resolves when the log answers; rejects otherwise. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A key that personal data of one subject is sealed with. */
export interface DataKey {
  /** UUID; what was sealed names it. */
  readonly id: string;
  /** Whose data it seals: `<bot's public key>/<user id>`. */
  readonly subject: string;
  /** 32 random bytes. */
  readonly secret: Buffer;
}

/**
 * The keys that personal data in the log is sealed with, kept by the log's own engine beside the log: to forget a
 * subject's keys is to erase the subject's data from every commit, while the commits and their chains stay as they are.
 */
export interface Keyring {
  /**
   * The subjects' present keys, made where there is none; as durable as anything that is appended afterwards. Callers at
   * once, or before what was made is known everywhere, may make a subject more than one: each is found and forgotten.
   * @throws LogUnavailableError
   */
  keysFor(subjects: readonly string[]): Promise<ReadonlyMap<string, DataKey>>;
  /**
   * The keys of these ids; those that are missing were forgotten. A reader of a commit of this log finds the keys
   * that it names.
   * @throws LogUnavailableError
   */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, DataKey>>;
  /**
   * Forgets all keys of the subject, durably: no `find` that begins after this has resolved has any of them.
   * @throws LogUnavailableError some may be forgotten and others not; it may be repeated
   */
  forget(subject: string): Promise<void>;
  /** Every key, for a copy of the log. */
  all(): AsyncIterable<DataKey>;
  /** Takes keys of another log's keyring. */
  put(keys: readonly DataKey[]): Promise<void>;
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

export class LogUnavailableError extends Error {
  override readonly name: string = 'LogUnavailableError';
}

/** While it was opened, the log's server neither answered in time nor refused: it is slow, or not there. */
export class LogSilentError extends LogUnavailableError {
  override readonly name = 'LogSilentError';
}

/** What is there cannot hold the log, or is another log. Waiting does not help; the operator must change the configuration. */
export class LogUnfitError extends Error {
  override readonly name: string = 'LogUnfitError';
}

export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';
}

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

/** Whether a reader at `cursor` has seen `position`. */
export function hasPassed(cursor: Cursor, position: Position): boolean {
  const seen = cursor.get(partitionOf(position));
  return seen !== undefined && seen >= position;
}

/** Whether a reader at `cursor` has seen all that `head` names. */
export function hasPassedAll(cursor: Cursor, head: Cursor): boolean {
  for (const position of head.values()) if (!hasPassed(cursor, position)) return false;
  return true;
}
