import { writeFile } from 'node:fs/promises';
import { auditOneAccount, type BalanceRequest } from '../../administration/account-audit.ts';
import { auditLedger } from '../../administration/audit-ledger.ts';
import { readCheckpointKeys, readWitnessPolicy } from '../../administration/proof/key-file.ts';
import { NoProofError, proveAccount } from '../../administration/proof/prove-account.ts';
import { auditResult } from '../../administration/run-job.ts';
import { recordAudit } from '../../commands/operations/operator-work.ts';
import { utcDate } from '../../domain/local-time.ts';
import type { HistoryRow } from '../../domain/referral/account/history.ts';
import { type CheckpointKeys, newCheckpointKeys, parseCheckpointKeys } from '../../proof/checkpoint-keys.ts';
import { isKeyName, parseSigner, privateKeyText } from '../../proof/signed-note.ts';
import { counted } from '../../util/counted.ts';
import { systemSources } from '../../util/system-sources.ts';
import { type Answer, type Cli, type CliContext, CliError } from '../command.ts';
import { exactly } from '../output.ts';
import { botOption, endOf, namedBots, once, positiveInteger } from '../values.ts';
import { receipt } from './audit-receipt.ts';
import { statement } from './audit-statement.ts';

export function audit(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('balance')
    .description("Compute a referrer's history from the log and compare it with the read model.")
    .addOption(botOption())
    .requiredOption('--user <id>', 'the referrer', positiveInteger)
    .option('--unit <id>', 'only of this unit', positiveInteger)
    .option('--at <date>', 'up to then, to its end: YYYY-MM-DD or YYYY-MM-DD HH:MM:SS (UTC), or RFC 3339', endOf)
    .action(
      cli.action<[BalanceRequest]>(async (context, given) => {
        await namedBots(await context.at('catalog'), [given.bot]);
        return auditBalance(context, given);
      }),
    );

  noun
    .command('prove')
    .description("Write a proof file of a referrer's account, which verify.mjs checks without the service.")
    .addOption(botOption())
    .requiredOption('--user <id>', 'the referrer', positiveInteger)
    .option(
      '--at <date>',
      'the balance of then, to its end: YYYY-MM-DD or YYYY-MM-DD HH:MM:SS (UTC), or RFC 3339',
      endOf,
    )
    .option('--with-events', 'add the commits of the events that earned; they may also hold events of other users')
    .requiredOption('--output <file>', 'the file, which must not exist')
    .action(
      cli.action<[ProveOptions]>(async (context, given) => {
        await namedBots(await context.at('catalog'), [given.bot]);
        return prove(context, given);
      }),
    );

  statement(cli);
  receipt(cli);

  noun
    .command('make-key')
    .description(
      'Make the file of keys that checkpoints are signed with (CHECKPOINT_KEY), or the key of a witness. Keep a copy of it.',
    )
    .requiredOption('--name <name>', 'the name of the log in its checkpoints, such as ledger.example/log', once)
    .option('--witness', 'make the key of a witness instead; the name is then the name of the witness')
    .requiredOption('--output <file>', 'the file, which must not exist')
    .action(cli.withoutContext(makeKey));

  noun
    .command('verify')
    .description('Prove the ledger: every hash chain, every account, every read model against a replay.')
    .option('--bot <public key>', 'only the streams and accounts of this bot, and no replays', once)
    .option('--no-record', 'do not record that the ledger was audited')
    .action(
      cli.action<[{ readonly bot?: string; readonly record: boolean }]>(async (context, { bot, record }) => {
        if (bot !== undefined) await namedBots(await context.at('catalog'), [bot]);
        return verifyLedger(context, bot, record);
      }),
    );
}

interface MakeKeyOptions {
  readonly name: string;
  readonly witness?: true;
  readonly output: string;
}

async function makeKey({ name, witness, output }: MakeKeyOptions): Promise<Answer> {
  if (!isKeyName(name)) throw new CliError('--name must have no white space and no plus sign, and 1 to 200 characters');
  if (witness) {
    const line = privateKeyText(name, systemSources.randomBytes(32), 'witness');
    await writeNew(output, `# Key of a witness.\n${line}\n`);
    return { value: { file: output, verifier_key: parseSigner(line, 'witness')!.verifierKey } };
  }
  const text = newCheckpointKeys(name, systemSources.randomBytes);
  await writeNew(output, text);
  const { signers } = parseCheckpointKeys(text) as CheckpointKeys;
  return { value: { file: output, verifier_key: signers[0]!.verifierKey } };
}

/** Writes a file that only its owner may read. */
async function writeNew(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx', mode: 0o600, flush: true }).catch((error: Error) => {
    throw new CliError(`failed to write ${file}: ${error.message}`);
  });
}

interface ProveOptions {
  readonly bot: string;
  readonly user: number;
  readonly at?: number;
  readonly withEvents?: true;
  readonly output: string;
}

async function prove(context: CliContext, { bot, user, at, withEvents, output }: ProveOptions): Promise<Answer> {
  if (context.checkpointKey === undefined) throw new CliError('there are no proofs without PROOF=on');
  const keys = await readCheckpointKeys(context.checkpointKey);
  const policy = await readWitnessPolicy(context.witnessPolicy, keys);
  const request = { bot, userId: user, at: at ?? null, withEvents: withEvents ?? false };
  const file = await proveAccount({ ...context, keys, policy }, request).catch((error: unknown) => {
    throw error instanceof NoProofError ? new CliError(error.message) : error;
  });
  const text = JSON.stringify(file);
  await writeNew(output, text);
  const { missing = [] } = file;
  const lacks = `the log lacks ${counted(missing.length, 'commit')} of events that earned; the file names ${missing.length === 1 ? 'it' : 'them'}`;
  return {
    value: { file: output, bytes: Buffer.byteLength(text), commits: file.commits.length },
    notes: missing.length === 0 ? [] : [lacks],
  };
}

async function auditBalance(context: CliContext, given: BalanceRequest): Promise<Answer> {
  const { history, difference, notes } = await auditOneAccount(context, given);
  return {
    value: history.map((row) => shown(row, { date_ms: row.date, reason: row.reason })),
    shown: history.map((row) => shown(row, {})),
    notes,
    ...(difference !== null && { failure: new CliError(difference) }),
  };
}

function shown(
  { position, date, amount, on_hold, available, reserved, paid, reason: _, ...row }: HistoryRow,
  more: object,
): object {
  return {
    position,
    date: utcDate(date),
    ...more,
    ...row,
    amount: exactly(amount),
    on_hold: exactly(on_hold),
    available: exactly(available),
    reserved: exactly(reserved),
    paid: exactly(paid),
  };
}

/** The answer lists the findings. Any finding makes the command fail. An audit of the whole ledger is recorded. */
async function verifyLedger(context: CliContext, bot: string | undefined, record: boolean): Promise<Answer> {
  await context.yieldToService();
  const audited = await auditLedger(context, bot);
  const { findings, count, note } = audited;
  const notes = [note];
  if (bot === undefined && record) {
    await recordAudit(context, auditResult(audited)).catch((error: unknown) => {
      notes.push(`failed to record the audit: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  const answer = { value: findings, notes };
  if (count === 0) return answer;
  const listed = findings.length < count ? `, of which the first ${findings.length} are listed` : '';
  return { ...answer, failure: new CliError(`${counted(count, 'finding')}${listed}`) };
}
