import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import {
  type Answer,
  type Cli,
  type CliContext,
  CliError,
  type ContextOptions,
  type ContextRunner,
  OutputClosedError,
  ReadModelWaitTimeoutError,
  type Work,
} from './command.ts';
import { asJson, asText } from './output.ts';

/** Adds the commands of a noun. */
type Noun = (cli: Cli) => void;

/**
 * The nouns. A noun's file is loaded when the noun is named, since it loads much of the service. `--help` needs none.
 */
const NOUNS: readonly { readonly name: string; readonly description: string; readonly load: () => Promise<Noun> }[] = [
  {
    name: 'owner',
    description: 'Manage owners of bots and keys.',
    load: async () => (await import('./catalog/owner-commands.ts')).owner,
  },
  {
    name: 'bot',
    description: 'Manage bots and their settings.',
    load: async () => (await import('./catalog/bot-commands.ts')).bot,
  },
  {
    name: 'key',
    description: 'Issue, rotate and revoke API keys.',
    load: async () => (await import('./catalog/key.ts')).key,
  },
  {
    name: 'goal',
    description: 'Manage goals. Target events complete them.',
    load: async () => (await import('./catalog/goal-and-unit.ts')).goal,
  },
  {
    name: 'unit',
    description: "Manage the units of a bot's amounts.",
    load: async () => (await import('./catalog/goal-and-unit.ts')).unit,
  },
  {
    name: 'rule',
    description: 'Manage the rules by which referrers earn.',
    load: async () => (await import('./referral/rule.ts')).rule,
  },
  {
    name: 'rate',
    description: 'Set individual rates of referrers.',
    load: async () => (await import('./referral/rule.ts')).rate,
  },
  {
    name: 'payout',
    description: 'Create, list and settle payouts of referrers.',
    load: async () => (await import('./referral/payout-commands.ts')).payout,
  },
  {
    name: 'audit',
    description: 'Compare answers with the log.',
    load: async () => (await import('./operations/audit.ts')).audit,
  },
  {
    name: 'witness',
    description: 'Run a witness: cosign the checkpoints of logs that only grow, and refuse all others.',
    load: async () => (await import('./operations/witness.ts')).witness,
  },
  {
    name: 'webhook',
    description: 'Manage the webhook that announces payouts to a client.',
    load: async () => (await import('./referral/payout-commands.ts')).webhook,
  },
  {
    name: 'fx',
    description: 'Set, import and list exchange rates.',
    load: async () => (await import('./catalog/fx.ts')).fx,
  },
  {
    name: 'user',
    description: 'Import, change and erase users of a bot.',
    load: async () => (await import('./intake/user.ts')).user,
  },
  {
    name: 'import',
    description: 'Import past events, referrals and opening balances.',
    load: async () => (await import('./intake/import.ts')).importCommands,
  },
  {
    name: 'export',
    description: 'Export events, users, accruals and recipients, as NDJSON, CSV or Parquet.',
    load: async () => (await import('./export/export-commands.ts')).exportCommands,
  },
  {
    name: 'operator',
    description: 'Issue, list and revoke the keys of operators.',
    load: async () => (await import('./operations/operator-commands.ts')).operator,
  },
  {
    name: 'projection',
    description: 'List, rebuild, verify and switch read models.',
    load: async () => (await import('./operations/projection.ts')).projection,
  },
  {
    name: 'dead-letter',
    description: 'List, retry and skip events that a read model could not apply.',
    load: async () => (await import('./operations/dead-letter.ts')).deadLetter,
  },
  {
    name: 'doctor',
    description: 'Name the problems of the installation in words, and say what to do. Changes nothing.',
    load: async () => (await import('./operations/doctor.ts')).doctor,
  },
  {
    name: 'upgrade',
    description: 'Say what a new release changes, and build the read models that it has changed.',
    load: async () => (await import('./operations/upgrade.ts')).upgrade,
  },
  {
    name: 'log',
    description: 'Copy the event log to another engine.',
    load: async () => (await import('./operations/log.ts')).log,
  },
  {
    name: 'backup',
    description: 'Write the whole log and its keys into a file.',
    load: async () => (await import('./operations/log.ts')).backup,
  },
  {
    name: 'restore',
    description: 'Fill an empty log from a backup file. Safe to repeat: it resumes.',
    load: async () => (await import('./operations/restore.ts')).restoreCommand,
  },
  {
    name: 'recovery',
    description:
      'After a restore: find the payouts that the client may know, then let payouts and broadcasts leave again.',
    load: async () => (await import('./operations/recovery.ts')).recovery,
  },
];

export interface CliOptions {
  readonly withContext: ContextRunner;
  /** Examines the installation, for `doctor`. */
  readonly examine: Cli['examine'];
  /** For `upgrade plan`. */
  readonly planUpgrade: Cli['planUpgrade'];
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Columns of the help text. Default: the width of the terminal, else 80. */
  readonly helpWidth?: number;
}

const USAGE_ERROR = 2;
const { version: VERSION } = createRequire(import.meta.url)('../../package.json') as { version: string };

/**
 * Runs `botledger <argv>`.
 * @returns the exit code: 0 done; 1 refused or failed; 2 wrong usage; 3 not in effect in time
 */
export async function runCli(argv: readonly string[], options: CliOptions): Promise<number> {
  try {
    const program = await programOf(argv, options);
    await program.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    // Help ends in a CommanderError too, with code 0. Commander has already written its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    if (error instanceof OutputClosedError) return error.exitCode;
    const message = error instanceof Error ? error.message : String(error);
    options.stderr(`botledger: ${message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
    return error instanceof CliError ? error.exitCode : 1;
  }
}

async function programOf(argv: readonly string[], options: CliOptions): Promise<Command> {
  const { withContext, examine, planUpgrade, stdout, stderr, helpWidth } = options;
  const program = new Command('botledger')
    .description("The dashboard's jobs. Configured by the same environment as the service.")
    .option('--json', 'Answer with one JSON value.')
    .exitOverride()
    .configureOutput({
      writeOut: stdout,
      writeErr: stderr,
      // Commander writes its suggestion on a separate line; an error is one line (decisions.md#commands).
      outputError: (text, write) => write(text.replace('\n(', ' (')),
      ...(helpWidth === undefined ? {} : { getOutHelpWidth: () => helpWidth }),
    })
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError();

  // After a noun, `--version` is an option of that noun's command, since read models also have versions.
  if (!NOUNS.some(({ name }) => argv.includes(name))) program.version(VERSION, '--version', 'Show the version.');

  function answer(command: Command, { value, shown = value, notes = [], isBesideData = false }: Answer): void {
    const write = isBesideData ? stderr : stdout;
    write(command.optsWithGlobals()['json'] ? asJson(value) : asText(shown));
    for (const note of notes) stderr(`${note}\n`);
  }

  async function run(
    command: Command,
    work: (context: CliContext) => Promise<Answer>,
    contextOptions?: ContextOptions,
  ): Promise<void> {
    await withContext(async (context) => {
      const answered = await work(context).finally(() => context.progress(null));
      const { change, failure } = answered;
      let lagging: string | undefined;
      try {
        if (change !== undefined) await context.waitForReadModels(change);
      } catch (error) {
        if (!(error instanceof ReadModelWaitTimeoutError) || change?.mayLag !== true) throw error;
        lagging = error.message;
      } finally {
        // Also after a timeout: the change is in the log, and secrets are shown only once.
        answer(command, answered);
      }
      if (lagging !== undefined) stderr(`${lagging}\n`);
      if (failure !== undefined) throw failure;
    }, contextOptions);
  }

  const cliOf = (noun: Command): Cli => ({
    noun,
    examine,
    planUpgrade,
    notice: (line) => stderr(`botledger: ${line}\n`),
    withoutContext:
      <Parameters extends readonly unknown[]>(work: (...parameters: Parameters) => Promise<Answer>) =>
      async (...given: unknown[]) => {
        const { command, parameters } = splitGiven<Parameters>(given);
        const answered = await work(...parameters);
        answer(command, answered);
        if (answered.failure !== undefined) throw answered.failure;
      },
    action:
      <Parameters extends readonly unknown[]>(work: Work<Parameters>, contextOptions?: ContextOptions) =>
      (...given: unknown[]) => {
        const { command, parameters } = splitGiven<Parameters>(given);
        return run(command, (context) => work(context, ...parameters), contextOptions);
      },
  });
  for (const { name, description, load } of NOUNS) {
    const noun = program.command(name).description(description);
    // Finds the noun also in `botledger help owner` and after an option. Loading one noun too many is harmless.
    if (argv.includes(name)) (await load())(cliOf(noun));
  }
  return program;
}

/** Commander passes the arguments, the options and last the command. Each action declares the types of its options. */
function splitGiven<Parameters extends readonly unknown[]>(given: readonly unknown[]) {
  return { command: given.at(-1) as Command, parameters: given.slice(0, -1) as unknown as Parameters };
}
