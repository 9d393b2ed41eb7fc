import { encodeCommit, textOf } from '../../log/commit-codec.ts';
import type { NewCommit, RecordedCommit } from '../../log/port.ts';
import { type Hash, sha256 } from '../../proof/merkle-tree.ts';

/** SHA-256 of the stored text of a recorded commit. */
export function digestOf(commit: RecordedCommit): Hash {
  return sha256(textOf(commit));
}

/** SHA-256 of the text that an engine stores for a new commit. */
export function digestOfNew(commit: NewCommit): Hash {
  return sha256(encodeCommit(commit));
}
