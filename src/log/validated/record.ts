import { ZodError } from 'zod';
import { decodeCommit } from '../commit-codec.ts';
import { type Position, partitionOf, type RecordedCommit, UnreadableCommitError } from '../port.ts';
import { keyOf } from '../stream-name.ts';

/** A record as its store holds it. */
export interface LogRecord {
  readonly offset: number;
  /** Absent if the store has no keys. */
  readonly key?: Uint8Array | null;
  readonly value: Uint8Array | null;
}

export type Reading =
  | { readonly offset: number; readonly commit: RecordedCommit; readonly body: string }
  | { readonly offset: number; readonly malformed: string };

/** Throws on bad bytes and keeps a byte order mark, since the hash covers the stored bytes. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The canonical form of a UUID, in lower case; undefined if the text is no UUID. */
export function canonicalUuid(text: string): string | undefined {
  const lower = text.toLowerCase();
  return UUID.test(lower) ? lower : undefined;
}

/**
 * Reads the commit in a record, or says why there is none. Any client with access to the store may write any record, and a
 * reader that throws at a record would throw at it forever. So this rejects every record that the index could not store or
 * find again.
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
    return malformed('the key does not belong to the stream');
  if (partitionOf(key) !== partition) return malformed('in another partition than the key');
  return { offset: record.offset, commit, body };
}

/** An index entry holds 2,704 bytes at most. */
const MAX_STREAM_NAME_BYTES = 1000;

/** Whether the name is one of a stream that PostgreSQL can store: it stores neither U+0000 nor lone surrogates. */
export function isStreamName(stream: string): boolean {
  const storable = !/\0|\p{Surrogate}/u.test(stream) && Buffer.byteLength(stream) <= MAX_STREAM_NAME_BYTES;
  return storable && stream.indexOf('-') > 0;
}

/** The digits of the greatest JSON-safe integer. Offsets are padded to it, so that positions sort as offsets do. */
const DIGITS = 16;

export function positionOf(partition: number, offset: number): Position {
  return `${partition}:${String(offset).padStart(DIGITS, '0')}`;
}

/** The offset after `position`, where a reader continues; 0 without a position. */
export function offsetAfter(position: Position | undefined, partition: number): number {
  if (position === undefined) return 0;
  if (!/^\d+:\d{16}$/.test(position) || partitionOf(position) !== partition)
    throw new RangeError(`not a position of partition ${partition} of this log: ${position}`);
  return Number(position.slice(position.indexOf(':') + 1)) + 1;
}
