import { type Checkpoint, parseCheckpoint } from './checkpoint-text.ts';
import { verifyConsistency } from './consistency.ts';
import { EMPTY_ROOT, type Hash, isSameHash } from './merkle-tree.ts';
import { isSignedBy, type NoteVerifier, parseNote } from './signed-note.ts';

/** The request for a cosignature (C2SP tlog-witness, add-checkpoint), and the decision of a witness. */

export interface AddCheckpoint {
  /** The size of the tree that the witness has signed last; 0: none. */
  readonly oldSize: number;
  /** That the checkpoint's tree begins with that tree. */
  readonly proof: readonly Hash[];
  /** The checkpoint, signed by its log. */
  readonly note: string;
}

/** The media type of an answer 409, which holds the size that the witness has signed last. */
export const SIZE_TYPE = 'text/x.tlog.size';
const MAX_PROOF = 63;

export function addCheckpointText({ oldSize, proof, note }: AddCheckpoint): string {
  const hashes = proof.map((hash) => `${Buffer.from(hash).toString('base64')}\n`).join('');
  return `old ${oldSize}\n${hashes}\n${note}`;
}

/** @returns null: the text is no such request */
export function parseAddCheckpoint(text: string): AddCheckpoint | null {
  const end = text.indexOf('\n\n');
  const [first = '', ...lines] = text.slice(0, Math.max(0, end)).split('\n');
  const [, size] = /^old (0|[1-9]\d{0,15})$/.exec(first) ?? [];
  const isWhole = lines.every((line) => /^[A-Za-z0-9+/]{43}=$/.test(line));
  if (size === undefined || !isWhole || lines.length > MAX_PROOF || !Number.isSafeInteger(Number(size))) return null;
  return {
    oldSize: Number(size),
    proof: lines.map((line) => Buffer.from(line, 'base64')),
    note: text.slice(end + 2),
  };
}

export type Cosigning =
  | { readonly status: 200; readonly text: string; readonly checkpoint: Checkpoint }
  | { readonly status: 400 | 403 | 404 | 422; readonly error: string }
  /** `isFork`: the log has signed two different trees of this size. */
  | { readonly status: 409; readonly size: number; readonly isFork: boolean };

/**
 * Decides whether a witness cosigns. With status 200 the witness must store the checkpoint before it answers.
 * @param logs the keys of the logs that the witness knows
 * @param seenOf the checkpoint that the witness has cosigned last; null: none of this log
 */
export function decideCosigning(
  body: string,
  logs: readonly NoteVerifier[],
  seenOf: (origin: string) => Checkpoint | null,
): Cosigning {
  const request = parseAddCheckpoint(body);
  const note = request === null ? null : parseNote(request.note);
  if (request === null || note === null)
    return { status: 400, error: 'the body must be "old <size>", a consistency proof, an empty line and a checkpoint' };
  const checkpoint = parseCheckpoint(note.text);
  if (checkpoint === null)
    return { status: 400, error: 'the checkpoint must have an origin, a size, a root, and no extension lines' };
  const keys = logs.filter(({ name }) => name === checkpoint.origin);
  if (keys.length === 0) return { status: 404, error: 'this witness does not know the log' };
  if (!keys.some((key) => isSignedBy(note, key)))
    return { status: 403, error: 'no key that this witness knows of the log has signed the checkpoint' };
  const { oldSize, proof } = request;
  if (oldSize > checkpoint.size) return { status: 400, error: 'the old size is above the size of the checkpoint' };
  const seen = seenOf(checkpoint.origin) ?? { size: 0, root: EMPTY_ROOT };
  if (oldSize !== seen.size) return { status: 409, size: seen.size, isFork: false };
  if (seen.size === checkpoint.size && !isSameHash(seen.root, checkpoint.root))
    return { status: 409, size: seen.size, isFork: true };
  const isGrown = seen.size === 0 ? proof.length === 0 : verifyConsistency(seen, checkpoint, proof);
  if (!isGrown)
    return { status: 422, error: `the tree is not shown to begin with the tree of size ${seen.size} seen before` };
  return { status: 200, text: note.text, checkpoint };
}
