import { createUnit } from '../commands/create-unit.ts';
import { listUnits } from '../queries/catalog/units.ts';
import type { Cli } from './cli.ts';
import { namedBots } from './named-bots.ts';
import { botOption, botsOption, nonNegativeInteger } from './values.ts';

export function unit(cli: Cli): void {
  const noun = cli.noun('unit', "units of a bot's amounts: currencies, or the bot's own");

  noun
    .command('create')
    .addOption(botOption())
    .requiredOption('--code <code>', '1 to 3 characters')
    .option('--name <name>')
    .option('--scale <n>', "decimals; default: the currency's own, else 2", nonNegativeInteger)
    .action(
      cli.action<[{ bot: string; code: string; name?: string; scale?: number }]>(async (context, given) => {
        const { unitId, position } = await createUnit(context, { ...given, name: given.name ?? null });
        return { value: { unit_id: unitId }, change: { category: 'bot', position } };
      }),
    );

  noun
    .command('list')
    .addOption(botsOption().makeOptionMandatory())
    .action(
      cli.action<[{ bot: readonly string[] }]>(async (context, { bot }) => {
        const catalog = await context.catalog();
        const bots = await namedBots(catalog, bot);
        const lists = bots.map(async ({ bot_id, public_key }) =>
          (await listUnits(catalog, bot_id)).map((row) => ({ bot: public_key, ...row })),
        );
        return { value: (await Promise.all(lists)).flat() };
      }),
    );
}
