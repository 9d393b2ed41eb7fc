import { ZodError } from 'zod';
import { decodeCommit } from '../commit-codec.ts';
import { type Position, partitionOf, type RecordedCommit, UnreadableCommitError } from '../port.ts';
import { keyOf } from '../stream-name.ts';

/** A record as its store holds it. */
export interface LogRecord {
  readonly offset: number;
  /** Absent where the store has none. */
  readonly key?: Uint8Array | null;
  readonly value: Uint8Array | null;
}

export type Reading =
  | { readonly offset: number; readonly commit: RecordedCommit; readonly body: string }
  | { readonly offset: number; readonly malformed: string };

/** Neither repairs bad bytes (the hash covers them) nor drops a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** In the one form that two equal ids share; undefined when it is none. */
export function canonicalUuid(text: string): string | undefined {
  const lower = text.toLowerCase();
  return UUID.test(lower) ? lower : undefined;
}

/**
 * The commit in a record, or why there is none. A writer with access to the store may write anything, and a reader that
 * fails at one record fails at it for ever: so whatever the index could not store or find again is recognised here.
 */
export function readRecord(record: LogRecord, partition: number, partitionOf: (key: string) => number): Reading {
  const malformed = (why: string): Reading => ({ offset: record.offset, malformed: why });
  if (record.value === null) return malformed('no value');
  let body: string;
  let commit: RecordedCommit;
  try {
    body = utf8.decode(record.value);
    commit = decodeCommit(body, positionOf(partition, record.offset), record.offset);
  } catch (error) {
    const cause = error instanceof UnreadableCommitError ? error.cause : error;
    return malformed(cause instanceof ZodError ? `not a commit: ${cause.issues[0]?.message}` : 'not JSON in UTF-8');
  }
  if (canonicalUuid(commit.id) === undefined) return malformed('the id is no UUID');
  if (commit.command !== undefined && canonicalUuid(commit.command.id) === undefined)
    return malformed('the command id is no UUID');
  if (!isStreamName(commit.stream)) return malformed('not a name of a stream');
  const key = keyOf(commit.stream);
  if (record.key === null || (record.key !== undefined && Buffer.compare(record.key, Buffer.from(key)) !== 0))
    return malformed('the key is not that of the stream');
  if (partitionOf(key) !== partition) return malformed('in a partition that is not that of the key');
  return { offset: record.offset, commit, body };
}

/** An index entry holds 2,704 bytes at most. */
const MAX_STREAM_NAME_BYTES = 1000;

/** Postgres stores neither U+0000 nor lone surrogates. */
export function isStreamName(stream: string): boolean {
  const storable = !/\0|\p{Surrogate}/u.test(stream) && Buffer.byteLength(stream) <= MAX_STREAM_NAME_BYTES;
  return storable && stream.indexOf('-') > 0;
}

/** Digits of the greatest JSON-safe integer: padded, so that text order within a partition is that of offsets. */
const DIGITS = 16;

export function positionOf(partition: number, offset: number): Position {
  return `${partition}:${String(offset).padStart(DIGITS, '0')}`;
}

/** The offset after `position`, where reading continues; 0 without one. */
export function offsetAfter(position: Position | undefined, partition: number): number {
  if (position === undefined) return 0;
  if (!/^\d+:\d{16}$/.test(position) || partitionOf(position) !== partition)
    throw new RangeError(`not a position of partition ${partition} of this log: ${position}`);
  return Number(position.slice(position.indexOf(':') + 1)) + 1;
}
