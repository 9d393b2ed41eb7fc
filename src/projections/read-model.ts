import type { ClientBase } from 'pg';
import type { LedgerEvent } from '../domain/ledger-events.ts';
import type { RecordedCommit } from '../log/port.ts';

/** A commit with the events that the read model wants, checked and upcast to their current shape. */
export interface ReadCommit extends Omit<RecordedCommit, 'events'> {
  readonly events: readonly LedgerEvent[];
}

/** The name and a shape of a read model. */
export interface ShapeManifest {
  readonly name: string;
  /** Raised with every change of the tables or of the rows in them. */
  readonly shape: number;
  /** The stream categories it reads. */
  readonly categories: readonly string[];
  /** The table, view or call of a function of deferred work. While it has a row, the rows of other tables lag behind the checkpoint. */
  readonly deferredRelation?: string;
  /**
   * The function, without arguments, that counts the deferred work that answers wait for, as deferred_events in
   * events/tables.ts. Absent: answers do not depend on deferred work.
   */
  readonly deferredCount?: string;
}

/**
 * A read model as its readers need it. Programs that write it also load its code (load-read-model.ts).
 */
export interface Manifest extends ShapeManifest {
  /**
   * The shape of the release before, if this one has another. The queries of this release work on its tables too, and
   * `ReadModel.former` writes them. So its version answers until the new one is built, and after a step back.
   */
  readonly former?: ShapeManifest;
}

/**
 * PostgreSQL tables derived from the log, and how each event changes them. The database can have several versions of a
 * read model, each in its own schema (runtime/versions.ts).
 *
 * `apply` gets commits of one partition in the log's order and writes through `tx`. The runtime moves the checkpoint in the
 * same transaction, so that every commit is applied exactly once. The rows must not depend on how commits are cut into
 * batches, nor on how partitions interleave. `apply` must not look at the clock.
 */
export interface ReadModel extends ShapeManifest {
  /** The code that writes the tables of the former shape, as the release before wrote them. It goes with the next release. */
  readonly former?: ReadModel;
  /** The events it reads. Commits come without other events: these are not parsed. */
  readonly events: readonly LedgerEvent['type'][];
  /** Whether it gets personal fields and secrets in clear, except erased ones; else they stay sealed. */
  readonly personal?: true;
  /** The statements that create its tables, run with the search path on its schema. */
  readonly ddl: string;
  /**
   * Where a Citus cluster keeps each of its tables; a database without Citus ignores it. The large ones are distributed by the
   * column that names the bot. Each unique key of such a table includes the column, and each statement names the bot. Absent:
   * all are local.
   */
  readonly placement?: Readonly<Record<string, Placement>>;
  /**
   * Whether the rows of each bot depend only on that bot's commits and on commits that belong to no bot. Then a bot can be
   * quarantined: the others continue (runtime/quarantines.ts).
   */
  readonly isolatesBots?: true;
  /** Runs with the search path on its schema. @throws UnreadableEventError and errors of the database */
  apply(tx: ClientBase, commits: readonly ReadCommit[]): Promise<void>;
  /**
   * Does a slice of the work that `apply` deferred, short enough for one transaction. The final rows must not depend on
   * how slices and batches follow each other. Runs with the search path on its schema.
   * @param behind many commits are still to come. Work that is cheaper if done once for all of them may wait
   * @returns whether there is more work; work that waits because of `behind` does not count
   */
  idle?(tx: ClientBase, behind: boolean): Promise<boolean>;
  /**
   * Derived tables that `idle` or triggers make from the other tables. Their rows depend on when `idle` runs and on how
   * commits are cut into batches, answers do not. So a comparison with a replay leaves them out, and its replay runs
   * without triggers. So triggers may fill only derived tables.
   */
  readonly derived?: readonly string[];
  /**
   * Empties the derived tables of these bots, by id: all their other rows are replaced next in the same transaction. Readers that
   * keep something of the bots must notice. Runs with the search path on its schema.
   */
  forget?(tx: ClientBase, bots: readonly number[]): Promise<void>;
  /** Of tables whose rows are partly in derived tables: a FROM item, in a schema, that has them all. */
  readonly whole?: Readonly<Record<string, (schema: string) => string>>;
}

/**
 * The column by which a table is distributed over the nodes; `reference`: every node has all rows, so that statements on any
 * node can read them; `local`: the coordinator has the rows.
 */
export type Placement = 'bot_id' | 'public_key' | 'reference' | 'local';

/** The same placement for several tables. */
export function placed<P extends Placement>(placement: P, tables: readonly string[]): Record<string, P> {
  return Object.fromEntries(tables.map((table) => [table, placement]));
}

/** The read model in one of the shapes that this program knows: its own or the former. Undefined: it does not know the shape. */
export function ofShape<M extends ShapeManifest>(model: M & { readonly former?: M }, shape: number): M | undefined {
  return [model, model.former].find((each) => each?.shape === shape);
}

/** The schema of a version of a read model. */
export function schemaOf(name: string, version: number): string {
  return `${name}_v${version}`;
}
