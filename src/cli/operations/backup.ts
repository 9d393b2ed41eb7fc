import { isHeld } from '../../database/lease.ts';
import { CATEGORIES } from '../../domain/streams.ts';
import { backUp, restore } from '../../log/backup.ts';
import { catalogReadModel } from '../../projections/catalog/read-model.ts';
import { leaseOf, versionsOf } from '../../projections/runtime/versions.ts';
import type { Cli } from '../cli.ts';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { commitsDone } from '../progress.ts';

export function backup(cli: Cli): void {
  cli.noun.argument('<file>', 'made, gzip; must not exist').action(
    cli.action<[string]>(async ({ log, sources, progress, signal }, file) => {
      const onProgress = commitsDone(progress, 'backing up');
      const value = await backUp({ from: log, file, categories: CATEGORIES, now: sources.now(), signal, onProgress });
      return { value };
    }),
  );
}

export function restoring(cli: Cli): void {
  cli.noun.argument('<file>', 'what backup made').action(
    cli.action<[string]>(async (context, file) => {
      const { log, progress, signal } = context;
      await refuseService(context);
      const onProgress = commitsDone(progress, 'restoring');
      const value = await restore({ file, to: log, categories: CATEGORIES, signal, onProgress });
      return { value };
    }),
  );
}

/** One that runs would act upon half a history: send again what the other half says was sent. @throws CliError */
async function refuseService({ pool, readModels }: CliContext): Promise<void> {
  // The catalog's the command itself may follow.
  for (const model of (await readModels()).filter(({ name }) => name !== catalogReadModel.name))
    for (const { name, version } of await versionsOf(pool, model))
      if (await isHeld(pool, leaseOf(name, version))) throw new CliError('a service runs on this log; stop it first');
}
