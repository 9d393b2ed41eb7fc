import {
  BrokenChainError,
  type EventLog,
  type RecordedCommit,
  type StreamHead,
  UnreadableCommitError,
} from '../log/port.ts';

/**
 * The folded state of the beginning of an exact stream, as bytes. It is derived: without it the stream is read from its first
 * commit, with the same result.
 */
export interface StreamSnapshot {
  /** The last commit that was folded. */
  readonly head: StreamHead;
  /** Hash of the commit before `head`; '' if there is none. */
  readonly prev: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Keeps one snapshot of a stream for each version of its bytes. */
export interface SnapshotStore {
  /** The snapshot, if its bytes are unchanged. Resolves to null also if the store does not answer. */
  load(stream: string, version: number): Promise<StreamSnapshot | null>;
  /**
   * Saves a snapshot, unless another instance has saved one of a commit after revision `since`. Resolves also if the store
   * does not answer.
   * @param take makes the snapshot, also of a commit after `since`
   */
  save(stream: string, version: number, since: number, take: () => StreamSnapshot): Promise<void>;
  /** Drops the snapshot with this head. Resolves also if the store does not answer. */
  drop(stream: string, version: number, head: StreamHead): Promise<void>;
}

/**
 * The commit in the log that a snapshot ends with. Its hash covers every commit before it, so the snapshot belongs to
 * this stream. Null: the log has another commit there, or none; the snapshot is of another log, as after a restore.
 */
export async function lastCommitOf(
  log: EventLog,
  stream: string,
  { head, prev }: StreamSnapshot,
): Promise<RecordedCommit | null> {
  try {
    const { commits } = await log.read(stream, { revision: head.revision - 1, hash: prev }, 1);
    return commits.find(({ revision, hash }) => revision === head.revision && hash === head.hash) ?? null;
  } catch (error) {
    // If the stream itself is broken, the caller meets the same error when it reads the stream from its first commit.
    if (error instanceof BrokenChainError || error instanceof UnreadableCommitError) return null;
    throw error;
  }
}
