import { createUnit } from '../../commands/catalog/units.ts';
import { listUnits } from '../../queries/catalog/bots.ts';
import type { Cli } from '../cli.ts';
import { botOption, nonNegativeInteger } from '../values.ts';
import { listOfBots } from './list-of-bots.ts';

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

  listOfBots(cli, noun, listUnits);
}
