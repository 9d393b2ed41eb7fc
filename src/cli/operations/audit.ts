import { type AuditedLog, auditLog, type LogFinding } from '../../log/audit.ts';
import type { ReadModel } from '../../projections/read-model.ts';
import { BadCommitError } from '../../projections/runtime/apply.ts';
import { verify } from '../../projections/runtime/verify.ts';
import { servedOf, versionsOf } from '../../projections/runtime/versions.ts';
import { type Answer, type Cli, type CliContext, CliError } from '../command.ts';
import { commitsDone, span, watchOf } from '../progress.ts';
import { botOption, endOf, namedBots, once, positiveInteger } from '../values.ts';
import { type AccountFinding, auditAccounts, isBadCommit } from './audit-accounts.ts';
import { auditBalance, type BalanceRequest } from './audit-balance.ts';

export function audit(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('balance')
    .description("Compute a referrer's history from the log and compare it with the read model.")
    .addOption(botOption())
    .requiredOption('--user <id>', 'the referrer', positiveInteger)
    .option('--unit <id>', 'of this unit alone', positiveInteger)
    .option('--at <date>', 'up to then, to its end: YYYY-MM-DD or YYYY-MM-DD HH:MM:SS (UTC), or RFC 3339', endOf)
    .action(
      cli.action<[BalanceRequest]>(async (context, given) => {
        await namedBots(await context.catalog(), [given.bot]);
        return auditBalance(context, given);
      }),
    );

  noun
    .command('verify')
    .description('Prove the ledger: every hash chain, every account, every read model against a replay.')
    .option('--bot <public key>', 'the streams and accounts of this bot alone, and no replays', once)
    .action(
      cli.action<[{ readonly bot?: string }]>(async (context, { bot }) => {
        if (bot !== undefined) await namedBots(await context.catalog(), [bot]);
        return verifyLedger(context, bot);
      }),
    );
}

interface ReadModelFinding {
  readonly kind: 'read model';
  readonly stream: null;
  readonly revision: null;
  readonly message: string;
}

type Finding = LogFinding | AccountFinding | ReadModelFinding;

/** At most so many findings are listed; all are counted. */
const MAX_LISTED = 1000;

/**
 * Verifies hash chains, accounts and, unless a bot is named, read models against a replay. The answer lists the
 * findings. Any finding makes the command fail.
 */
async function verifyLedger(context: CliContext, bot: string | undefined): Promise<Answer> {
  const { log, pool, signal, progress } = context;
  await context.yieldToService();
  const begun = performance.now();
  const found: Finding[] = [];
  let count = 0;
  const collect = async (findings: AsyncIterable<Finding>): Promise<void> => {
    for await (const finding of findings) if (++count <= MAX_LISTED) found.push(finding);
  };
  const checked: Checked = { commits: 0, heads: 0, accounts: 0, tables: 0, models: 0 };
  const onEnd = (audited: AuditedLog): void => void Object.assign(checked, audited);
  await collect(auditLog({ log, pool, key: bot, signal, onProgress: commitsDone(progress, 'walking the log'), onEnd }));
  const onAccount = (done: number, total: number): void => {
    checked.accounts = done;
    progress({ what: 'checking accounts', done, total, unit: 'accounts' });
  };
  await collect(auditAccounts(context, bot, onAccount));
  if (bot === undefined) await collect(auditReadModels(context, checked));
  const notes = [`looked at ${inWords(checked)} in ${span((performance.now() - begun) / 1000)}`];
  if (count === 0) return { value: found, notes };
  const message =
    count > MAX_LISTED ? `${count} findings, of which the first ${MAX_LISTED} are listed` : `${count} findings`;
  return { value: found, notes, failure: new CliError(message) };
}

/** How much an audit has checked. */
interface Checked {
  commits: number;
  heads: number;
  accounts: number;
  tables: number;
  models: number;
}

function inWords({ commits, heads, accounts, tables, models }: Checked): string {
  const ofLog = `${commits} commits, ${heads} heads of streams, ${accounts} accounts`;
  return models === 0 ? ofLog : `${ofLog}, ${tables} tables of ${models} read models`;
}

async function* auditReadModels(context: CliContext, checked: Checked): AsyncGenerator<ReadModelFinding> {
  for (const model of await context.readModels()) {
    for (const message of await differencesOf(context, model, checked))
      yield { kind: 'read model', stream: null, revision: null, message };
  }
}

async function differencesOf(context: CliContext, model: ReadModel, checked: Checked): Promise<string[]> {
  const version = servedOf(await versionsOf(context.pool, model));
  if (version === null) throw new CliError(`${model.name} has not been built yet`);
  const name = `${model.name} version ${version.version}`;
  try {
    const verified = await verify(context.projector(model), version, watchOf(context.progress, model.name));
    checked.models++;
    checked.tables += verified.tables;
    return verified.differences.map(
      ({ table, rows, rowsOfReplay }) =>
        `${name}: ${table} differs from a replay of the log: it has ${rows} rows, the replay has ${rowsOfReplay}`,
    );
  } catch (error) {
    if (!(error instanceof BadCommitError) && !isBadCommit(error)) throw error;
    return [`${name} cannot be compared with a replay of the log: ${error.message}`];
  }
}
