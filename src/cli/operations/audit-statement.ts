import type { Writable } from 'node:stream';
import { Option } from 'commander';
import { readCheckpointKeys, readWitnessPolicy } from '../../administration/proof/key-file.ts';
import { NoProofError, type ProofFile, proveAccount } from '../../administration/proof/prove-account.ts';
import { NoStatementError, openStatement } from '../../administration/statement/open-statement.ts';
import { isEmptyPeriod, parseFrom, parseTo } from '../../queries/export/period.ts';
import { type Answer, type Cli, type CliContext, CliError } from '../command.ts';
import { intoFile, writeAll } from '../output-file.ts';
import { botOption, namedBots, periodBound, positiveInteger } from '../values.ts';

interface StatementOptions {
  readonly bot: string;
  readonly user: number;
  readonly from?: number;
  readonly to?: number;
  readonly output: string;
}

/** `botledger audit statement` (decisions.md#statement). */
export function statement(cli: Cli): void {
  cli.noun
    .command('statement')
    .description("Write a referrer's statement of account for a period as PDF, with the proof of the balance.")
    .addOption(botOption())
    .requiredOption('--user <id>', 'the referrer', positiveInteger)
    .addOption(new Option('--from <date>', 'the first day or moment of the period').argParser(periodBound(parseFrom)))
    .addOption(new Option('--to <date>', 'the last day or moment, included').argParser(periodBound(parseTo)))
    .option('--output <file>', 'the file; it appears when it is complete; - is the standard output', '-')
    .action(cli.action<[StatementOptions]>(write));
}

async function write(context: CliContext, options: StatementOptions): Promise<Answer> {
  const { output, from = null, to = null } = options;
  if (isEmptyPeriod({ from, to })) throw new CliError('--from is after --to');
  if (output === '-') return { value: await writeTo(context.standardOutput, context, options), isBesideData: true };
  return { value: await intoFile(output, (file) => writeTo(file, context, options)) };
}

async function writeTo(output: Writable, context: CliContext, options: StatementOptions): Promise<object> {
  const { pool, sources, signal, standardOutput } = context;
  const { user: userId, from = null, to = null } = options;
  const [bot] = await namedBots(await context.at('catalog'), [options.bot]);
  const prove =
    context.checkpointKey === undefined ? null : await prover(context, context.checkpointKey, bot!.public_key, userId);
  const opened = await openStatement(
    { db: context, pool, now: sources.now, prove, signal },
    { bot: bot!, userId, period: { from, to } },
  ).catch((error: unknown) => {
    throw error instanceof NoStatementError || error instanceof NoProofError ? new CliError(error.message) : error;
  });
  try {
    await writeAll(opened.parts, output, standardOutput);
  } finally {
    await opened.parts.return?.();
  }
  return { ...opened.done(), hash_of: prove === null ? 'statement' : 'proof' };
}

async function prover(context: CliContext, keyFile: string, bot: string, userId: number) {
  const keys = await readCheckpointKeys(keyFile);
  const policy = await readWitnessPolicy(context.witnessPolicy, keys);
  return (at: number | null): Promise<ProofFile> =>
    proveAccount({ ...context, keys, policy }, { bot, userId, at, withEvents: false });
}
