import type { Command } from 'commander';
import type { CatalogSource } from '../../queries/catalog/source.ts';
import type { Cli } from '../cli.ts';
import { namedBots } from '../named-bots.ts';
import { botsOption } from '../values.ts';

/** `<noun> list --bot K…`: what each of the bots has, every row led by the bot's public key. */
export function listOfBots(
  cli: Cli,
  noun: Command,
  list: (catalog: CatalogSource, botId: number) => Promise<readonly object[]>,
): void {
  noun
    .command('list')
    .description(`List the ${noun.name()}s of bots.`)
    .addOption(botsOption().makeOptionMandatory())
    .action(
      cli.action<[{ bot: readonly string[] }]>(async (context, { bot }) => {
        const catalog = await context.catalog();
        const bots = await namedBots(catalog, bot);
        const lists = bots.map(async ({ bot_id, public_key }) =>
          (await list(catalog, bot_id)).map((row) => ({ bot: public_key, ...row })),
        );
        return { value: (await Promise.all(lists)).flat() };
      }),
    );
}
