import { createAccounts } from '../../commands/referral/accounts.ts';
import { setRate } from '../../commands/referral/set-rate.ts';
import type { Cli } from '../cli.ts';
import { botOption, positiveInteger } from '../values.ts';

interface Rate {
  readonly bot: string;
  readonly user: number;
  readonly rule: number;
  readonly amount?: string;
  readonly percent?: string;
}

export function rate(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('set')
    .description('Set what a rule earns this referrer from now on. Later edits of the rule do not change it.')
    .addOption(botOption())
    .requiredOption('--user <id>', 'the referrer', positiveInteger)
    .requiredOption('--rule <id>', 'the rule', positiveInteger)
    .option('--amount <decimal>', 'of a rule of type fixed')
    .option('--percent <decimal>', 'of a rule of type percent')
    .action(
      cli.action<[Rate]>(async (context, { bot, user, rule, amount, percent }) => {
        const accounts = createAccounts(context);
        const { position } = await setRate(accounts, { bot, userId: user, ruleId: rule, amount, percent });
        return { value: {}, change: { category: 'account', position } };
      }),
    );
}
