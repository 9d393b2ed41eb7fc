import type { Command } from 'commander';
import { createGoal } from '../../commands/catalog/create-goal.ts';
import { createUnit } from '../../commands/catalog/units.ts';
import type { Tables } from '../../database/tables.ts';
import { listGoals, listUnits } from '../../queries/catalog/bots.ts';
import type { Cli } from '../command.ts';
import { botOption, botsOption, namedBots, nonNegativeInteger, positiveInteger } from '../values.ts';

export function goal(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('create')
    .description('Create a goal.')
    .addOption(botOption())
    .requiredOption('--target-id <n>', 'The id that send-target uses.', positiveInteger)
    .requiredOption('--name <name>')
    .action(
      cli.action<[{ bot: string; targetId: number; name: string }]>(async (context, goal) => {
        const { eventId, position } = await createGoal(context, goal);
        return {
          value: { target_id: goal.targetId, event_id: eventId },
          change: { category: 'eventtypes', position },
        };
      }),
    );

  addListOfBots(cli, noun, listGoals);
}

export function unit(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('create')
    .description('Create a unit. ISO 4217 codes and XTR need none.')
    .addOption(botOption())
    .requiredOption('--code <code>', '1 to 3 letters A to Z and digits, none of a currency')
    .option('--name <name>')
    .option('--scale <n>', 'decimals; default: 2', nonNegativeInteger)
    .action(
      cli.action<[{ bot: string; code: string; name?: string; scale?: number }]>(async (context, given) => {
        const { unitId, position } = await createUnit(context, { ...given, name: given.name ?? null });
        return { value: { unit_id: unitId }, change: { category: 'bot', position, revalues: true } };
      }),
    );

  addListOfBots(cli, noun, listUnits);
}

/** Adds `<noun> list --bot K…`: the rows of each bot, with the bot's public key first. */
function addListOfBots(
  cli: Cli,
  noun: Command,
  list: (catalog: Tables<'catalog'>, botId: number) => Promise<readonly object[]>,
): void {
  noun
    .command('list')
    .description(`List the ${noun.name()}s of bots.`)
    .addOption(botsOption().makeOptionMandatory())
    .action(
      cli.action<[{ bot: readonly string[] }]>(async (context, { bot }) => {
        const catalog = await context.at('catalog');
        const bots = await namedBots(catalog, bot);
        const lists = bots.map(async ({ bot_id, public_key }) =>
          (await list(catalog, bot_id)).map((row) => ({ bot: public_key, ...row })),
        );
        return { value: (await Promise.all(lists)).flat() };
      }),
    );
}
