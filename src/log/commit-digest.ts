/** The data of a commit that a tree of hashes needs. Position, stream and revision are as in `RecordedCommit`. */
export interface CommitDigest {
  readonly position: string;
  readonly stream: string;
  readonly revision: number | null;
  /** SHA-256 of the stored bytes, also on *any* streams. */
  readonly digest: Uint8Array;
}
