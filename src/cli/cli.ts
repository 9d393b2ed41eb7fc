import type { Command } from 'commander';
import type { Change, CliContext } from './context.ts';
import type { CliError } from './errors.ts';

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
