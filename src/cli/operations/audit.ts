import { auditOneAccount, type BalanceRequest } from '../../administration/account-audit.ts';
import { auditLedger } from '../../administration/audit-ledger.ts';
import { auditResult } from '../../administration/run-job.ts';
import { recordAudit } from '../../commands/operations/operator-work.ts';
import { utcDate } from '../../domain/local-time.ts';
import type { HistoryRow } from '../../domain/referral/account/history.ts';
import { type Answer, type Cli, type CliContext, CliError } from '../command.ts';
import { exactly } from '../output.ts';
import { botOption, endOf, namedBots, once, positiveInteger } from '../values.ts';

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
  return { ...answer, failure: new CliError(`${count} findings${listed}`) };
}
