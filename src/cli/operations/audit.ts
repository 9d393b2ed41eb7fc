import { namedBots } from '../catalog/list-of-bots.ts';
import type { Cli } from '../cli.ts';
import { botOption, endOf, once, positiveInteger } from '../values.ts';
import { auditBalance, type Balance } from './audit-balance.ts';
import { verifyLedger } from './audit-verify.ts';

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
      cli.action<[Balance]>(async (context, given) => {
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
