import type { RecordedCommit } from './port.ts';

/** The data of a commit that a tree of hashes needs. */
export interface CommitDigest extends Pick<RecordedCommit, 'position' | 'stream' | 'revision'> {
  /** SHA-256 of the stored bytes, also on *any* streams. */
  readonly digest: Uint8Array;
}
