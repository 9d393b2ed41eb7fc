import type { ClientBase } from 'pg';
import type { LedgerEvent } from '../domain/events.ts';
import type { RecordedCommit } from '../log/port.ts';

/** A commit whose events have been read: those that the read model asks for, checked and upcast to their current shape. */
export interface ReadCommit extends Omit<RecordedCommit, 'events'> {
  readonly events: readonly LedgerEvent[];
}

/**
 * A picture of the log in Postgres: tables in a schema of their own, and how each event changes them. There may be several
 * versions of it in the database, each in a schema of its own (runtime/versions.ts).
 *
 * `apply` gets commits of one partition in the log's order and writes through `tx`; the runtime moves the checkpoint in the
 * same transaction, so that every commit is applied exactly once. The rows must be the same however commits are cut
 * into batches and, for what lives in different partitions, however partitions interleave. It must not look at the clock.
 */
export interface ReadModel {
  readonly name: string;
  /** Raised with every change of the tables or of what is written to them. */
  readonly shape: number;
  /** The stream categories it reads. */
  readonly categories: readonly string[];
  /** The events it reads; commits come without the others, which are not even looked at. */
  readonly events: readonly LedgerEvent['type'][];
  /** Whether it gets personal fields and secrets in clear, as far as they are not erased; else as the log has them, sealed. */
  readonly personal?: true;
  /** The statements that create its tables, run with the search path on its schema. */
  readonly ddl: string;
  /** Runs with the search path on its schema, then public catalog only. @throws UnreadableEventError and whatever the database says */
  apply(tx: ClientBase, commits: readonly ReadCommit[]): Promise<void>;
  /**
   * Does a slice of the work that `apply` has put off, short enough for a transaction of its own. Answers whether there
   * is more. The rows must be the same in the end however slices and batches follow each other. Search path: as `apply`.
   * @param behind many commits are yet to come: what is better done once for all of them may wait, and is then not `more`
   */
  idle?(tx: ClientBase, behind: boolean): Promise<boolean>;
  /** The table or view of what is put off: as long as it has a row, the rows of others lag behind the checkpoint. */
  readonly deferredRelation?: string;
  /**
   * The function that, without arguments, counts what `idle` has still to do and answers wait for, as deferred_events in
   * events/tables.ts. Absent: answers do not depend on when `idle` comes to it.
   */
  readonly deferredCount?: string;
  /**
   * Tables that `idle` makes from the others when it comes to it: answers do not depend on when that is, and what these
   * tables hold does. So they are not compared with a replay's.
   */
  readonly derived?: readonly string[];
}

/** The schema of a version of a read model. */
export function schemaOf(name: string, version: number): string {
  return `${name}_v${version}`;
}
