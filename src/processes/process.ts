import type pg from 'pg';
import type { Logger } from 'pino';
import type { CommandContext } from '../commands/decide-and-append.ts';
import type { Accounts } from '../commands/referral/accounts.ts';
import type { Config } from '../config.ts';
import type { Cursor } from '../log/port.ts';
import type { ReadModel } from '../projections/read-model.ts';

/**
 * What acts by itself rather than answers: it looks at read models or the log, and appends commands. Several instances may
 * run it at once, and any of them may be killed at any moment: what it does is right only if the streams that it appends
 * to make it so (a command's id, the head that was read), never by a lease.
 */
export interface Process {
  /** Its name in `projection list`; no read model has it. */
  readonly name: string;
  /** Whether instances take turns, by a lease, so that they do not do everything twice. */
  readonly alone: boolean;
  /** Works until the signal aborts. What it throws is logged and shown, and it is started again after a pause. */
  run(context: ProcessContext, signal: AbortSignal): Promise<void>;
}

export interface ProcessContext extends CommandContext {
  /** Unique per running instance; holds its leases. */
  readonly instance: string;
  readonly pool: pg.Pool;
  readonly logger: Logger;
  readonly config: Config;
  /** Of all processes: an account that one has read, no other reads again. */
  readonly accounts: Accounts;
  /** The version of a read model that answers, and how far it is; null while it is being built. */
  served(model: ReadModel): Promise<Served | null>;
  /** As far as this process, on whichever instance, had noted that it was; nothing where the database was dropped since. */
  reached(): Promise<Cursor>;
  /** Notes that all that was to be done about the log up to here is done; also tells that the process is well. */
  note(cursor: Cursor): void;
  /** How soon it looks for what comes about without the log's growth: another version answers, or what was set aside is applied. */
  readonly slowLookMs: number;
  /** Tells those who run the service what it cannot go on with now, while it does with the rest; null: it can again. */
  tell(subject: string, trouble: { readonly error: string; readonly againMs: number } | null): void;
}

export interface Served {
  readonly schema: string;
  /** The log up to here is in it. */
  readonly passed: Cursor;
}
