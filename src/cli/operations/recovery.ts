import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { beginRecovery, endRecovery, recoveryState } from '../../commands/operations/recover.ts';
import { type AnnouncedPayout, announcedPayouts, payoutsWithWebhookIds } from '../../queries/referral/payout-list.ts';
import { type Cli, CliError } from '../command.ts';
import { exactly } from '../output.ts';
import { refuseService } from './refuse-service.ts';

export function recovery(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('begin')
    .description(
      'Record that the log was restored by other means than `restore`, before the service starts. Safe to repeat.',
    )
    .action(
      cli.action<[object]>(async (context) => {
        await refuseService(context);
        await beginRecovery(context, null);
        return { value: await shownState(context.log) };
      }),
    );

  noun
    .command('status')
    .description('Show whether payouts and broadcasts wait, and above which ids new ones are.')
    .action(cli.action<[object]>(async ({ log }) => ({ value: await shownState(log) })));

  noun
    .command('payouts')
    .description(
      'List the payouts that the client may know of, and with --client the payouts that only the client knows.',
    )
    .option('--client <file>', 'the webhook-ids that the client has seen since the backup, one a line')
    .action(
      cli.action<[{ client?: string }]>(async (context, { client }) => {
        const source = await context.at('accounts');
        const open = await announcedPayouts(source);
        if (client === undefined) return { value: open.map((row) => shownRow(row, null)) };
        const seen = new Set(await linesOf(client));
        const rows = new Map(open.map((row) => [row.webhook_id, row]));
        for (const row of await payoutsWithWebhookIds(source, [...seen])) rows.set(row.webhook_id, row);
        const lost = [...seen].filter((id) => !rows.has(id));
        return {
          value: [
            ...lost.map((webhook_id) => ({ webhook_id, in_log: false, client_knows: true })),
            ...[...rows.values()].map((row) => shownRow(row, seen)),
          ],
        };
      }),
    );

  noun
    .command('end')
    .description('Let payouts and broadcasts leave the service again. The log records it.')
    .requiredOption('--reason <text>', 'the comparison that was made')
    .action(
      cli.action<[{ reason: string }]>(async (context, { reason }) => {
        await endRecovery(context, reason);
        return { value: await shownState(context.log) };
      }),
    );
}

async function shownState(log: Parameters<typeof recoveryState>[0]): Promise<object> {
  const { last, isOpen } = await recoveryState(log);
  if (last === null) return { open: false };
  const { backup, frequent_ids_above, rare_ids_above } = last;
  return { open: isOpen, backup, payout_ids_above: frequent_ids_above, bot_ids_above: rare_ids_above };
}

/** @param seen the ids that the client has seen; null: not known */
function shownRow({ amount, requested_at, ...row }: AnnouncedPayout, seen: ReadonlySet<string> | null): object {
  return {
    ...row,
    amount: exactly(amount),
    requested_at: new Date(requested_at).toISOString(),
    in_log: true,
    client_knows: seen === null ? null : seen.has(row.webhook_id),
  };
}

/** @throws CliError the file cannot be read */
async function linesOf(file: string): Promise<string[]> {
  const lines: string[] = [];
  try {
    for await (const line of createInterface({ input: createReadStream(file, 'utf8') }))
      if (line.trim() !== '') lines.push(line.trim());
  } catch (error) {
    throw new CliError(`${file}: ${(error as Error).message}`);
  }
  return lines;
}
