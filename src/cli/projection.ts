import { readModels } from '../projections/registry.ts';
import { projectionStatus } from '../projections/runtime/status.ts';
import type { Cli } from './cli.ts';

export function projection(cli: Cli): void {
  cli
    .noun('projection', 'read models, which follow the log')
    .command('list')
    .description('every read model: where it stands, how far it is behind, what is wrong with it')
    .action(
      cli.action<[object]>(async ({ pool, log }) => ({
        value: await Promise.all(readModels.map((model) => projectionStatus(pool, log, model))),
      })),
    );
}
