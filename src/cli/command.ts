import type { Command } from 'commander';
import type { Pool } from 'pg';
import type { CommandContext } from '../commands/decide-and-append.ts';
import type { EventLog, Position } from '../log/port.ts';
import type { ReadModel } from '../projections/read-model.ts';
import type { ProjectorOptions } from '../projections/runtime/projector.ts';
import type { CatalogSource } from '../queries/catalog/source.ts';
import type { ShowProgress } from './progress.ts';

/** What a command's action works with. */
export interface CliContext extends CommandContext {
  readonly pool: Pool;
  /** Every read model there is, loaded when it is first asked for. */
  readModels(): Promise<readonly ReadModel[]>;
  /** What the command needs to project a read model itself. */
  projector(model: ReadModel): ProjectorOptions;
  /** The catalog, once it holds all that was in the log when the command began. @throws CliError after 10 s */
  catalog(): Promise<CatalogSource>;
  /** The same of any read model, which the command projects itself where no service does. */
  projected(model: ReadModel): Promise<CatalogSource>;
  /** Resolves when every running instance answers accordingly. @throws ReadModelWaitTimeoutError after 10 s */
  waitForReadModels(change: Change): Promise<void>;
  /** Resolves when every running instance answers from the versions of read models that are live now. */
  settleVersions(): Promise<void>;
  /** The log on an engine, by that engine's own variables; closed when the command ends. */
  openLog(engine: string): Promise<EventLog>;
  /** Aborts when the command is to end early. */
  readonly signal: AbortSignal;
  /**
   * For work of minutes: beside a service, lowers this process's priority and leaves to the service all that requests wait
   * for. Without a service it does nothing.
   */
  giveWay(): Promise<void>;
  /** Shows a person how far the work is. */
  readonly progress: ShowProgress;
}

/** What a command has written. */
export interface Change {
  /** Category of the stream. */
  readonly category: string;
  /** Of its last commit; undefined: nothing was written and there is nothing to wait for. */
  readonly position: Position | undefined;
  /** Whether instances may have the former state in a cache. What is new cannot be in one. */
  readonly replaces?: boolean;
  /** Whether amounts of events that are there change by it. */
  readonly revalues?: boolean;
}

/** Opens database and log, runs the work and closes them again. */
export type ContextRunner = <T>(work: (context: CliContext) => Promise<T>) => Promise<T>;

/** What a command answers: for a person as text, with --json as one JSON value. */
export interface Answer {
  readonly value: object;
  /** What a person is shown instead of `value`. */
  readonly shown?: object;
  /** What a person should know beside it: lines on stderr. */
  readonly notes?: readonly string[];
  /** What has to be seen everywhere before the command returns. */
  readonly change?: Change;
  /** What is wrong although there is an answer. */
  readonly failure?: CliError;
}

/** An action gets the positional arguments first, then the options. */
export type Work<Parameters extends readonly unknown[]> = (
  context: CliContext,
  ...parameters: Parameters
) => Promise<Answer>;

/** What a noun's file adds its commands to. */
export interface Cli {
  /** `botledger <noun> …` */
  readonly noun: Command;
  /** Wraps the work of a command for commander's `action`: opens the context, answers. */
  action<Parameters extends readonly unknown[]>(work: Work<Parameters>): (...given: unknown[]) => Promise<void>;
}

/** What is wrong, in one line for a person. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** It is in the log, but not every instance is known to have seen it. */
export class ReadModelWaitTimeoutError extends CliError {
  override readonly name = 'ReadModelWaitTimeoutError';
  constructor(seconds: number) {
    super(`recorded, but not in effect everywhere within ${seconds} s`, 3);
  }
}
