import type { Command } from 'commander';
import { type BotRow, findBot } from '../../queries/catalog/bots.ts';
import type { CatalogSource } from '../../queries/catalog/source.ts';
import type { Cli } from '../cli.ts';
import { CliError } from '../errors.ts';
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

/** The bots of these public keys, each once, in order. @throws CliError for one that is not there */
export async function namedBots(catalog: CatalogSource, publicKeys: readonly string[]): Promise<BotRow[]> {
  const bots: BotRow[] = [];
  for (const publicKey of new Set(publicKeys)) {
    const bot = await findBot(catalog, publicKey);
    if (bot === null) throw new CliError(`there is no bot ${publicKey}`);
    bots.push(bot);
  }
  return bots;
}
