import { Option } from 'commander';
import { type CreateOwner, changeOwner, createOwner } from '../../commands/catalog/change-owner.ts';
import { listOwners } from '../../queries/catalog/owners.ts';
import type { Cli } from '../command.ts';
import { nonNegativeInteger, positiveInteger } from '../values.ts';

export function owner(cli: Cli): void {
  const { noun } = cli;
  const plan = (): Option => new Option('--plan <plan>').choices(['premium', 'free']);

  noun
    .command('create')
    .description('Create an owner.')
    .requiredOption('--name <name>')
    .option('--currency <code>', 'ISO 4217', 'USD')
    .addOption(plan().default('premium'))
    .option('--broadcasts-per-month <n>', 'how many the plan allows', nonNegativeInteger, 100)
    .action(
      cli.action<[CreateOwner]>(async (context, { name, currency, plan, broadcastsPerMonth }) => {
        const profile = { name, currency: currency.toUpperCase(), plan, broadcastsPerMonth };
        const { ownerId, position } = await createOwner(context, profile);
        return { value: { owner_id: ownerId }, change: { category: 'owner', position } };
      }),
    );

  noun
    .command('set')
    .description("Change an owner's name, currency, plan or quota.")
    .requiredOption('--owner <id>', 'the owner', positiveInteger)
    .option('--name <name>')
    .option('--currency <code>', 'ISO 4217')
    .addOption(plan())
    .option('--broadcasts-per-month <n>', 'how many the plan allows', nonNegativeInteger)
    .action(
      cli.action<[{ owner: number } & Partial<CreateOwner>]>(async (context, { owner, ...changes }) => {
        const { position } = await changeOwner(context, owner, {
          name: changes.name,
          currency: changes.currency?.toUpperCase(),
          plan: changes.plan,
          broadcasts_per_month: changes.broadcastsPerMonth,
        });
        return {
          value: { owner_id: owner },
          change: { category: 'owner', position, replaces: true, revalues: changes.currency !== undefined },
        };
      }),
    );

  noun
    .command('list')
    .description('List all owners.')
    .action(cli.action<[]>(async ({ at }) => ({ value: await listOwners(await at('catalog')) })));
}
