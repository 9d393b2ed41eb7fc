import type pg from 'pg';
import type { Logger } from 'pino';
import type { CommandContext } from '../commands/decide-and-append.ts';
import type { Accounts } from '../commands/referral/accounts.ts';
import type { Config } from '../config.ts';
import type { Cursor } from '../log/port.ts';
import type { Manifest } from '../projections/read-model.ts';
import type { Quarantines } from '../projections/runtime/quarantines.ts';

/**
 * Works in the background: reads read models or the log, and appends commands. Several instances may run it at once, and any
 * of them may be killed at any moment. It does nothing twice because of the streams that it appends to (a command's id, the
 * head that was read), never because of a lease.
 */
export interface Process {
  /** Its name in `projection list`; no read model has this name. */
  readonly name: string;
  /**
   * How instances avoid doing everything twice. `one`: one instance at a time does all, by a lease. `shared`: each does the
   * work of some partitions, by a lease of each group of partitions. `all`: the process itself sees to it.
   */
  readonly instances: 'one' | 'shared' | 'all';
  /** Whether money or messages leave the service by it: it waits while a recovery is open (decisions.md#recovery). */
  readonly isOutward?: true;
  /** Works until the signal aborts. An error is logged and shown, and the process is started again after a pause. */
  run(context: ProcessContext, signal: AbortSignal): Promise<void>;
}

export interface ProcessContext extends CommandContext {
  /** Unique per running instance; the owner of its leases. */
  readonly instance: string;
  readonly pool: pg.Pool;
  readonly logger: Logger;
  readonly config: Config;
  /** Shared by all processes, so that each account is read once. */
  readonly accounts: Accounts;
  /** The live version of a read model; null while the first is being built. */
  served(model: Manifest): Promise<Served | null>;
  /** The partitions of the log whose work is to be done here. When they change, the process is stopped and run again. */
  readonly partitions: ReadonlySet<number>;
  /** The position that this process has saved last in these partitions; empty if the schema was dropped since. */
  reached(): Promise<Cursor>;
  /**
   * Saves, soon, that the process has done its work for the log up to here, as to its partitions. This ends an error that is
   * shown.
   */
  note(cursor: Cursor): void;
  /** How soon it looks for changes other than growth of the log: a switch of version, a dead letter that is applied. */
  readonly slowLookMs: number;
  /** Shows operators a part of the work that fails now, while the rest continues; null: it works again. */
  reportFailure(subject: string, failure: FailureReport | null): void;
}

export interface FailureReport {
  readonly error: string;
  /** When it is tried again. */
  readonly againMs: number;
}

export interface Served {
  readonly schema: string;
  /** The version has applied the log up to here. */
  readonly passed: Cursor;
  /** Bots whose commits it has only up to their own positions. */
  readonly quarantined: Quarantines;
}
