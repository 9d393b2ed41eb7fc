import { Command, CommanderError } from 'commander';
import { audit } from './audit.ts';
import { backup } from './backup.ts';
import { bot } from './bot.ts';
import type { Answer, Cli, Work } from './cli.ts';
import type { CliContext, ContextRunner } from './context.ts';
import { deadLetter } from './dead-letter.ts';
import { CliError } from './errors.ts';
import { fx } from './fx.ts';
import { goal } from './goal.ts';
import { key } from './key.ts';
import { log } from './log.ts';
import { asJson, asText } from './output.ts';
import { owner } from './owner.ts';
import { payout } from './payout.ts';
import { projection } from './projection.ts';
import { rate } from './rate.ts';
import { rule } from './rule.ts';
import { unit } from './unit.ts';
import { user } from './user.ts';
import { webhook } from './webhook.ts';

/** One file a noun. */
const NOUNS: readonly ((cli: Cli) => void)[] = [
  owner,
  bot,
  key,
  goal,
  unit,
  rule,
  rate,
  payout,
  audit,
  webhook,
  fx,
  user,
  projection,
  deadLetter,
  log,
  backup,
];

export interface CliOptions {
  readonly withContext: ContextRunner;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

const USAGE_ERROR = 2;

/** Runs `botledger <argv>`. @returns the exit code: 0; 1 refused or failed; 2 used wrongly; 3 not in effect in time */
export async function runCli(argv: readonly string[], options: CliOptions): Promise<number> {
  try {
    await programOf(options).parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    // Help ends in such an error too, with code 0. What is wrong has been said.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    const message = error instanceof Error ? error.message : String(error);
    options.stderr(`botledger: ${message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
    return error instanceof CliError ? error.exitCode : 1;
  }
}

function programOf({ withContext, stdout, stderr }: CliOptions): Command {
  const program = new Command('botledger')
    .description("The dashboard's jobs. Configured by the same environment as the service.")
    .option('--json', 'answer with one JSON value')
    .exitOverride()
    .configureOutput({ writeOut: stdout, writeErr: stderr })
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError(false);

  async function run(command: Command, work: (context: CliContext) => Promise<Answer>): Promise<void> {
    const answer = (value: object): void => stdout(command.optsWithGlobals()['json'] ? asJson(value) : asText(value));
    await withContext(async (context) => {
      const { value, change, failure } = await work(context);
      try {
        if (change !== undefined) await context.settle(change);
      } finally {
        // Even when it took too long: it is in the log, and secrets are shown once.
        answer(value);
      }
      if (failure !== undefined) throw failure;
    });
  }

  const cli: Cli = {
    noun: (name, description) => program.command(name).description(description),
    action:
      <Parameters extends readonly unknown[]>(work: Work<Parameters>) =>
      (...given: unknown[]) => {
        // commander passes the arguments, the options and last the command; what the options are stands beside the action.
        const command = given.at(-1) as Command;
        const parameters = given.slice(0, -1) as unknown as Parameters;
        return run(command, (context) => work(context, ...parameters));
      },
  };
  for (const noun of NOUNS) noun(cli);
  return program;
}
