import { Option } from 'commander';
import { commitsDone } from '../../administration/work-progress.ts';
import { CATEGORIES } from '../../domain/streams.ts';
import { backUp } from '../../log/backup.ts';
import { copyLog } from '../../log/copy.ts';
import { ENGINE_NAMES } from '../../log/engines.ts';
import { type Cli, CliError } from '../command.ts';

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
