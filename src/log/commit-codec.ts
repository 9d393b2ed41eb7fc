import { hash } from 'node:crypto';
import { z } from 'zod';
import {
  BrokenChainError,
  type CommitDigest,
  type NewCommit,
  type Position,
  type RecordedCommit,
  type StreamHead,
  UnreadableCommitError,
} from './port.ts';

/**
 * The stored form of a commit: one JSON text. It is the same bytes on every engine, so that a hash chain is still valid after
 * a copy to another engine. Revision and previous hash are inside the hashed text.
 */
const Stored = z.object({
  id: z.string(),
  stream: z.string(),
  rev: z.number().int().positive().nullable(),
  prev: z.string().nullable(),
  at: z.number().int(),
  cmd: z.object({ id: z.string(), bodyHash: z.string().optional(), answer: z.unknown().optional() }).optional(),
  key: z.number().int().optional(),
  cause: z.string().optional(),
  // Programs without traces read such a record, so one with another form must not become void.
  trace: z.string().optional().catch(undefined),
  nonce: z.string().optional(),
  events: z.array(z.object({ type: z.string(), v: z.number().int().positive(), data: z.unknown() })).min(1),
});

/** Encodes a commit as the text to store. Revision and previous hash come from its `expected` head. */
export function encodeCommit(commit: NewCommit): string {
  const exact = commit.expected === 'any' ? null : commit.expected;
  return JSON.stringify({
    id: commit.id,
    stream: commit.stream,
    rev: exact === null ? null : exact.revision + 1,
    prev: exact === null ? null : exact.hash,
    at: commit.at,
    cmd: commit.command,
    key: commit.keyId,
    cause: commit.causation,
    trace: commit.trace,
    nonce: commit.nonce,
    events: commit.events,
  });
}

/**
 * The beginning of the events in a stored text whose first event is of this type. A JSON string cannot
 * contain it, since quotes in strings are escaped.
 */
export function eventsBeginWith(type: string): string {
  return `"events":[{"type":${JSON.stringify(type)},`;
}

/** The text between two events. An event's data may contain it too; a stored text without it has one event. */
export const BETWEEN_EVENTS = '},{"type":"';

/** The head of the exact stream after the new commit with this stored text; null on *any* streams. */
export function headWith({ expected }: Pick<NewCommit, 'expected'>, body: string): StreamHead | null {
  return expected === 'any' ? null : { revision: expected.revision + 1, hash: hashBody(body) };
}

/** The head of the exact stream after this recorded commit; null on *any* streams. */
export function headAt({ revision, hash }: RecordedCommit): StreamHead | null {
  return revision === null || hash === null ? null : { revision, hash };
}

/** The stored text of a recorded commit. The codec reads every text that it wrote so that it writes the same text again. */
export function textOf(commit: RecordedCommit): string {
  return encodeCommit({ ...commit, expected: expectedOf(commit) });
}

/** The head that a recorded commit was appended on top of. */
export function expectedOf({ revision, prev }: RecordedCommit): StreamHead | 'any' {
  return revision === null ? 'any' : { revision: revision - 1, hash: prev! };
}

/** The beginning of each stored text that {@link encodeCommit} makes. */
const HEAD_OF_TEXT = /^\{"id":"[^"\\]*","stream":"([^"\\]*)","rev":(null|\d+),/;

/** The digest of a stored text. Reads only the beginning of the text if it is as this codec writes it. */
export function readDigest(body: string, position: Position): CommitDigest {
  const [, stream, revision] = HEAD_OF_TEXT.exec(body) ?? [];
  const digest = hash('sha256', body, 'buffer');
  if (stream !== undefined)
    return { position, stream, revision: revision === 'null' ? null : Number(revision), digest };
  const stored = parsed(body, position);
  return { position, stream: stored.stream, revision: stored.rev, digest };
}

/** Hex SHA-256 of the stored text. */
export function hashBody(body: string): string {
  return hash('sha256', body, 'hex');
}

/** Reads a commit, or what a reader needs of it, from its stored text. */
export type Decode<Commit> = (body: string, position: Position, ordinal: number) => Commit;

/**
 * Decodes a stored text.
 * @throws UnreadableCommitError caused by a ZodError or a SyntaxError
 */
export function decodeCommit(body: string, position: Position, ordinal: number): RecordedCommit {
  const stored = parsed(body, position);
  return {
    position,
    ordinal,
    id: stored.id,
    stream: stored.stream,
    revision: stored.rev,
    prev: stored.prev,
    hash: stored.rev === null ? null : hashBody(body),
    at: stored.at,
    command: stored.cmd,
    keyId: stored.key,
    causation: stored.cause,
    trace: stored.trace,
    nonce: stored.nonce,
    events: stored.events,
  };
}

function parsed(body: string, position: Position): z.infer<typeof Stored> {
  try {
    return Stored.parse(JSON.parse(body));
  } catch (error) {
    throw new UnreadableCommitError(position, { cause: error });
  }
}

/**
 * Checks that a stream's commits continue the head `from`: revisions follow one another, and each commit names the hash of
 * the one before.
 * @returns the head after the last commit
 * @throws BrokenChainError
 */
export function verifyChain(stream: string, from: StreamHead, commits: readonly RecordedCommit[]): StreamHead {
  let head = from;
  for (const commit of commits) {
    const revision = head.revision + 1;
    if (commit.stream !== stream) throw new BrokenChainError(stream, revision, `holds a commit of ${commit.stream}`);
    if (commit.revision !== revision || commit.hash === null)
      throw new BrokenChainError(stream, revision, `found revision ${commit.revision}`);
    if (commit.prev !== head.hash) throw new BrokenChainError(stream, revision, 'does not name its predecessor');
    head = { revision, hash: commit.hash };
  }
  return head;
}
