import pg from 'pg';
import { isPassing } from '../../log/is-passing.ts';
import type { RecordedCommit } from '../../log/port.ts';

/** The read model cannot apply a commit. */
export class BadCommitError extends Error {
  override readonly name = 'BadCommitError';
  /** Private, since loggers log the properties of errors, and events hold what their senders sent. */
  readonly #commit: RecordedCommit | undefined;

  constructor(message: string, commit: RecordedCommit | undefined, options: ErrorOptions) {
    super(message, options);
    this.#commit = commit;
  }

  /** Undefined: an unknown commit of a batch. */
  get commit(): RecordedCommit | undefined {
    return this.#commit;
  }
}

/** The error with the commit that caused it. */
export function naming(commit: RecordedCommit, { message, cause }: BadCommitError): BadCommitError {
  const where = `commit ${commit.id} of ${commit.stream} at ${commit.position}`;
  return new BadCommitError(`${where}: ${message}`, commit, { cause });
}

/**
 * Converts errors of the commits to `BadCommitError`. Errors outside this call (connect, begin, checkpoint, commit) say
 * nothing about them.
 */
export async function blamingCommits<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isOfCommits(error)) throw error;
    throw new BadCommitError(error instanceof Error ? error.message : String(error), undefined, { cause: error });
  }
}

/**
 * The classes of SQLSTATE (PostgreSQL manual, appendix A) that the same statements would meet again: errors of their data
 * (21, 22, 23, P0) and of the statements themselves (0A, 42, XX). Deadlocks, cancelled statements and full disks are in
 * other classes.
 */
const DATA_OR_PROGRAM = /^(0A|21|22|23|42|P0|XX)/;

/** Whether the commits, or the program that applies them, caused the error: a retry would not help. */
function isOfCommits(error: unknown): boolean {
  if (isPassing(error)) return false;
  return error instanceof pg.DatabaseError ? DATA_OR_PROGRAM.test(error.code ?? '') : true;
}
