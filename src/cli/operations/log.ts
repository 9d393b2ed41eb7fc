import { Option } from 'commander';
import { commitsDone } from '../../administration/progress.ts';
import { CATEGORIES } from '../../domain/streams.ts';
import { backUp, restore } from '../../log/backup.ts';
import { copyLog } from '../../log/copy.ts';
import { ENGINE_NAMES } from '../../log/engines.ts';
import { catalogReadModel } from '../../projections/catalog/read-model.ts';
import { isFollowed, versionsOf } from '../../projections/runtime/versions.ts';
import { type Cli, type CliContext, CliError } from '../command.ts';

interface Copy {
  readonly from: string;
  readonly to: string;
}

export function log(cli: Cli): void {
  const engine = (flags: string, description: string): Option =>
    new Option(`${flags} <engine>`, description).choices(ENGINE_NAMES).makeOptionMandatory();

  cli.noun
    .command('copy')
    .description('Copy the whole log to another engine and compare the two. Safe to repeat: it resumes.')
    .addOption(engine('--from', 'Engine that has the log.'))
    .addOption(engine('--to', 'Engine to copy to, configured by its own variables.'))
    .action(
      cli.action<[Copy]>(async ({ openLog, progress, signal }, { from, to }) => {
        if (from === to) throw new CliError('--from and --to are the same');
        const copied = await copyLog({
          from: await openLog(from),
          to: await openLog(to),
          categories: CATEGORIES,
          signal,
          onProgress: commitsDone(progress, 'copying'),
        });
        // An empty log most likely means a wrong topic, stream or database.
        if (copied.commits === 0) throw new CliError(`the log on ${from} is empty: nothing was copied`);
        return { value: copied };
      }),
    );
}

export function backup(cli: Cli): void {
  cli.noun.argument('<file>', 'made, gzip; must not exist').action(
    cli.action<[string]>(async ({ log, sources, progress, signal }, file) => {
      const onProgress = commitsDone(progress, 'backing up');
      const value = await backUp({ from: log, file, categories: CATEGORIES, now: sources.now(), signal, onProgress });
      return { value };
    }),
  );
}

/** A restore fills a new installation. Its embedded database must not have had a start, which would create the demo's owner. */
const CREATES_DATABASE = { mayCreateDatabase: true };

export function restoreCommand(cli: Cli): void {
  cli.noun.argument('<file>', 'what backup made').action(
    cli.action<[string]>(async (context, file) => {
      const { log, progress, signal } = context;
      await refuseService(context);
      const onProgress = commitsDone(progress, 'restoring');
      const value = await restore({ file, to: log, categories: CATEGORIES, signal, onProgress });
      return { value };
    }, CREATES_DATABASE),
  );
}

/**
 * Refuses to restore while a service runs. It would act on half a history and send again what the other half records as
 * sent.
 * @throws CliError
 */
async function refuseService({ pool, readModels }: CliContext): Promise<void> {
  // Leaves out the catalog, which this command itself may follow.
  for (const model of (await readModels()).filter(({ name }) => name !== catalogReadModel.name))
    for (const { name, version } of await versionsOf(pool, model))
      if (await isFollowed(pool, name, version)) throw new CliError('a service runs on this log; stop it first');
}
