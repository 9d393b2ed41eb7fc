import { type BotRow, findBot } from '../queries/catalog/bots.ts';
import type { CatalogSource } from '../queries/catalog/source.ts';
import { CliError } from './errors.ts';

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
