import { type Command, Option } from 'commander';
import { createAccounts } from '../../commands/referral/accounts.ts';
import { changeRule, createRule, rulesOf, setRate } from '../../commands/referral/change-rule.ts';
import type { RewardRule } from '../../domain/referral/program.ts';
import type { Cli } from '../command.ts';
import { exactly } from '../output.ts';
import { botOption, botsOption, flag, positiveInteger } from '../values.ts';

interface Terms {
  readonly name?: string;
  readonly amount?: string;
  readonly percent?: string;
  readonly holdDays?: string;
}

interface Rule extends Terms {
  readonly bot: string;
  readonly name: string;
  readonly triggerEventId: number;
  readonly type: RewardRule['reward_type'];
  readonly unit?: number | string;
}

export function rule(cli: Cli): void {
  const { noun } = cli;

  withTerms(noun.command('create').description('Create a rule.').addOption(botOption()).requiredOption('--name <name>'))
    .requiredOption('--trigger-event-id <id>', 'the event that earns, as reports/events lists it', positiveInteger)
    .addOption(
      new Option('--type <type>', 'How the reward is computed.')
        .choices(['fixed', 'percent', 'external'])
        .makeOptionMandatory(),
    )
    .option(
      '--unit <id or currency>',
      "the unit of the reward; default: of a fixed one the owner's currency, else the event's own, or none",
      unitOrCurrency,
    )
    .action(
      cli.action<[Rule]>(async (context, { bot, name, triggerEventId, type, unit, ...terms }) => {
        const { ruleId, position } = await createRule(context, {
          bot,
          name,
          trigger_event_id: triggerEventId,
          reward_type: type,
          amount: terms.amount ?? null,
          percent: terms.percent ?? null,
          unit_id: typeof unit === 'number' ? unit : null,
          currency: typeof unit === 'string' ? unit : undefined,
          hold_days: terms.holdDays ?? '0',
        });
        return { value: { rule_id: ruleId }, change: { category: 'program', position } };
      }),
    );

  withTerms(
    noun
      .command('edit')
      .description('Change a rule. Rewards that were earned keep their amounts.')
      .addOption(botOption())
      .option('--name <name>'),
  )
    .requiredOption('--rule <id>', 'the rule', positiveInteger)
    .option('--active <flag>', 'whether it earns', flag)
    .action(
      cli.action<[{ bot: string; rule: number; active?: boolean } & Terms]>(
        async (context, { bot, rule, name, amount, percent, holdDays, active }) => {
          const changes = { name, amount, percent, hold_days: holdDays, active };
          const { position } = await changeRule(context, { bot, ruleId: rule }, changes);
          return { value: { rule_id: rule }, change: { category: 'program', position } };
        },
      ),
    );

  noun
    .command('list')
    .description('List the rules of a bot.')
    .addOption(botsOption().makeOptionMandatory())
    .action(
      cli.action<[{ bot: readonly string[] }]>(async ({ log }, { bot }) => {
        const lists = [...new Set(bot)].map(async (publicKey) => {
          const rules = await rulesOf(log, publicKey);
          return rules.map((each) => ({ bot: publicKey, ...shown(each) }));
        });
        return { value: (await Promise.all(lists)).flat() };
      }),
    );
}

/** Parses a unit's id, or the code of a currency. Makes the code upper case. */
function unitOrCurrency(text: string): number | string {
  return /^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : positiveInteger(text);
}

function withTerms(command: Command): Command {
  return command
    .option('--amount <decimal>', 'of a fixed reward, in normal units')
    .option('--percent <decimal>', "of the event's value")
    .option('--hold-days <decimal>', 'how long a reward is on hold; default 0');
}

function shown({ amount, percent, hold_days, ...rule }: RewardRule): object {
  const { rule_id, name, trigger_event_id, reward_type, unit_id, active } = rule;
  const terms = {
    amount: amount === null ? null : exactly(amount),
    percent: percent === null ? null : exactly(percent),
    unit_id,
    hold_days: exactly(hold_days),
  };
  return { rule_id, name, trigger_event_id, reward_type, ...terms, active };
}

interface IndividualRate {
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
    .description('Set the rate of a rule for this referrer from now on. Later edits of the rule do not change it.')
    .addOption(botOption())
    .requiredOption('--user <id>', 'the referrer', positiveInteger)
    .requiredOption('--rule <id>', 'the rule', positiveInteger)
    .option('--amount <decimal>', 'of a rule of type fixed')
    .option('--percent <decimal>', 'of a rule of type percent')
    .action(
      cli.action<[IndividualRate]>(async (context, { bot, user, rule, amount, percent }) => {
        const accounts = createAccounts(context);
        const { position } = await setRate(accounts, { bot, userId: user, ruleId: rule, amount, percent });
        return { value: {}, change: { category: 'account', position } };
      }),
    );
}
