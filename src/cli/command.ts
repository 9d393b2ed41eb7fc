import type { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { LongWorkContext } from '../administration/administration-context.ts';
import type { Finding } from '../administration/finding.ts';
import type { UpgradePlan } from '../administration/upgrade/upgrade-plan.ts';
import type { Tables } from '../database/tables.ts';
import type { EventLog, Position } from '../log/port.ts';
import type { Reader } from '../projections/reader.ts';
import type { ReadModelName } from '../projections/registry.ts';

/** The context that the action of a command works with. */
export interface CliContext extends LongWorkContext {
  /**
   * Resolves when the read models have applied all that was in the log when the command began.
   * @throws CliError after 10 s
   */
  readonly at: Reader['at'];
  /** Resolves when every running instance answers accordingly. @throws ReadModelWaitTimeoutError after 10 s */
  waitForReadModels(change: Change): Promise<void>;
  /**
   * Waits until the read models that a running service follows have applied the change, 10 s at most.
   * @returns whether they have; false also if no service runs
   */
  applied(change: Change): Promise<boolean>;
  /** The tables of the version that answers now, perhaps late; null: there is none. */
  answering<Name extends ReadModelName>(name: Name): Promise<Tables<Name> | null>;
  /** WEBHOOK_ALLOWED_NETWORKS */
  readonly allowedNetworks: readonly string[];
  /** Opens the log on an engine, configured by that engine's own variables. It is closed when the command ends. */
  openLog(engine: string): Promise<EventLog>;
  /**
   * Call it before work of minutes. While a service runs, it lowers the priority of this OS process and leaves to the
   * service all work that requests wait for. Without a service it does nothing.
   */
  yieldToService(): Promise<void>;
  /** Where a command writes data that are its output, and not its answer. */
  readonly standardOutput: Writable;
  /** Writes a line for a person in addition to the answer. */
  notice(line: string): void;
  /** Where followers put events (EXPORT_CLICKHOUSE_URL, EXPORT_S3_…). */
  readonly destinations: Destinations;
}

export interface Destinations {
  readonly clickHouseUrl: string | undefined;
  readonly s3: {
    readonly url: string | undefined;
    readonly region: string;
    readonly accessKeyId: string | undefined;
    readonly secretAccessKey: string | undefined;
  };
}

/** A change that a command has appended to the log. */
export interface Change {
  /** Category of the stream. */
  readonly category: string;
  /** Position of its last commit. Undefined: nothing was appended, and there is nothing to wait for. */
  readonly position: Position | undefined;
  /** Whether instances may have the old state in a cache. False for new things: no cache holds them yet. */
  readonly replaces?: boolean;
  /** Whether it changes amounts of events that are already in the log. */
  readonly revalues?: boolean;
  /**
   * Whether the work is done when the log has it. Then a read model that does not apply it in time causes a note, and
   * no failure of the command.
   */
  readonly mayLag?: boolean;
}

export interface ContextOptions {
  /**
   * Whether the command creates the embedded database where there is none. Default false: an answer from a new database
   * would hide a wrong DATA_DIR (decisions.md#command-creates-nothing).
   */
  readonly mayCreateDatabase?: boolean;
}

/** Opens the database and the log, runs the work, and closes both. */
export type ContextRunner = <T>(work: (context: CliContext) => Promise<T>, options?: ContextOptions) => Promise<T>;

/** The answer of a command. It is written as text, or with --json as one JSON value. */
export interface Answer {
  readonly value: object;
  /** Written as text instead of `value`. */
  readonly shown?: object;
  /** Further lines for a person, written to stderr. */
  readonly notes?: readonly string[];
  /** The command has written data to the standard output, so the answer goes to stderr. */
  readonly isBesideData?: boolean;
  /** The command returns when every instance has applied this change. */
  readonly change?: Change;
  /** Makes the command fail after it has written the answer. */
  readonly failure?: CliError;
}

/** The action of a command. It gets the positional arguments first, then the options. */
export type Work<Parameters extends readonly unknown[]> = (
  context: CliContext,
  ...parameters: Parameters
) => Promise<Answer>;

/** Passed to the function that adds the commands of a noun. */
export interface Cli {
  /** `botledger <noun> …` */
  readonly noun: Command;
  /** Wraps the work of a command for commander's `action`: opens the context, runs the work, writes the answer. */
  action<Parameters extends readonly unknown[]>(
    work: Work<Parameters>,
    options?: ContextOptions,
  ): (...given: unknown[]) => Promise<void>;
  /** Like `action`, for a command that opens neither the database nor the log. */
  withoutContext<Parameters extends readonly unknown[]>(
    work: (...parameters: Parameters) => Promise<Answer>,
  ): (...given: unknown[]) => Promise<void>;
  /** Writes a line for a person in addition to the answer. */
  notice(line: string): void;
  /** Examines the installation and changes nothing. */
  examine(): Promise<readonly Finding[]>;
  /** Says what a start of this release changes, and changes nothing. */
  planUpgrade(): Promise<UpgradePlan>;
}

/** A failure of a command. The message is one line for a person. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** The reader of the command's data has left, as `head` does. The command fails, and writes nothing about it. */
export class OutputClosedError extends CliError {
  override readonly name = 'OutputClosedError';
  constructor() {
    super('the output was closed');
  }
}

/** The change is in the log, but not every read model has applied it in time. */
export class ReadModelWaitTimeoutError extends CliError {
  override readonly name = 'ReadModelWaitTimeoutError';
  constructor(seconds: number) {
    super(`recorded, but not in effect everywhere within ${seconds} s`, 3);
  }
}
