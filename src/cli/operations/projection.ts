import { buildPart, buildUntil, dropUntil } from '../../administration/part-work.ts';
import {
  type AnyVersionStatus,
  buildNext,
  changeBuild,
  comparable,
  compareNewest,
  dropOldVersion,
  modelOf,
  rowOf,
  switchVersion,
} from '../../administration/version-work.ts';
import type { BotsOfPart } from '../../projections/runtime/rebuild-part.ts';
import { type NextStep, type ProjectionStatus, projectionStatus } from '../../projections/runtime/status.ts';
import { counted } from '../../util/counted.ts';
import { type Answer, type Cli, CliError } from '../command.ts';
import { namedBots, nonNegativeInteger, positiveInteger, positiveIntegerOrNone } from '../values.ts';
import { diffAnswer } from './diff-answer.ts';

export function projection(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('list')
    .description('List every version of every read model: position, lag, error, and the command to type next.')
    .action(
      cli.action<[object]>(async ({ pool, log, manifests }) => {
        return answerOf(await projectionStatus(pool, log, manifests));
      }),
    );

  addRebuild(cli);

  noun
    .command('verify')
    .description('Compare the newest version with a replay of the log: rows and checksums of every table.')
    .argument('<name>')
    .action(
      cli.action<[string]>(async (context, name) => {
        const model = modelOf(context, name);
        await comparable(context, model);
        await context.yieldToService();
        const { compared, differences, note } = await compareNewest(context, model);
        if (differences.length > 0)
          throw new CliError(
            `${name} version ${compared.version} differs from a replay of the log: ${differences.join(', ')}`,
          );
        return { ...answerOf(await rowOf(context, compared)), notes: [note] };
      }),
    );

  addDiff(cli);
  addBuildControl(cli);

  noun
    .command('switch')
    .description('Make the newest version the one that answers.')
    .argument('<name>')
    .option('--version <number>', 'Switch to this version instead, for example to go back.', positiveInteger)
    .option('--force', 'Switch even if the version was not verified.')
    .action(
      cli.action<[string, { version?: number; force?: true }]>(async (context, name, options) =>
        answerOf(await switchVersion(context, { name, ...options }, null)),
      ),
    );

  noun
    .command('drop')
    .description('Drop a version that does not answer.')
    .argument('<name>')
    .option('--version <number>', 'which', positiveInteger)
    .option('--until', 'Drop what `projection rebuild --until` has built instead.')
    .action(
      cli.action<[string, { version?: number; until?: true }]>(async (context, name, { version, until }) => {
        if ((version === undefined) === (until === undefined))
          throw new CliError('say one of --version and --until', 2);
        if (version === undefined) return { value: await dropUntil(context, modelOf(context, name)) };
        return answerOf(await dropOldVersion(context, { name, version }, null));
      }),
    );
}

const MAX_RATE_HELP = 'The most events a second. The version keeps the limit, also if the service builds it.';

/** Commands that change how a version is built, whichever OS process builds it. */
function addBuildControl({ noun, action }: Cli): void {
  const change = (paused: boolean) =>
    action<[string, object]>(async (context, name) => answerOf(await changeBuild(context, name, { paused })));
  noun
    .command('pause')
    .description('Pause the build of a read model, whichever OS process does it. It uses nothing until you resume it.')
    .argument('<name>')
    .action(change(true));
  noun
    .command('resume')
    .description('Resume a paused build: the service continues it, or the next projection rebuild.')
    .argument('<name>')
    .action(change(false));
  noun
    .command('limit')
    .description('Limit the build of a read model to a number of events a second, also while it runs.')
    .argument('<name>')
    .requiredOption('--max-rate <events>', 'The most events a second, or none.', positiveIntegerOrNone)
    .action(
      action<[string, { maxRate: number | 'none' }]>(async (context, name, { maxRate }) =>
        answerOf(await changeBuild(context, name, { maxRate: maxRate === 'none' ? null : maxRate })),
      ),
    );
}

interface RebuildOptions {
  readonly all?: true;
  readonly maxRate?: number;
  readonly bot?: string;
  readonly partition?: number;
  readonly until?: readonly string[];
}

function addRebuild({ noun, action }: Cli): void {
  noun
    .command('rebuild')
    .description('Build the next version of a read model next to the live one, or a part in place. Safe to repeat.')
    .argument('[name]', 'the read model')
    .option('--all', 'Rebuild every read model, one after the other.')
    .option('--max-rate <events>', MAX_RATE_HELP, positiveInteger)
    .option('--bot <public_key>', 'Build only the rows of this bot again, in the live version.')
    .option('--partition <number>', 'Build only the rows of the bots of this partition again.', nonNegativeInteger)
    .option('--until <position...>', 'Build it as of these positions, in a schema for queries.')
    .action(
      action<[string | undefined, RebuildOptions]>(async (context, name, { all, maxRate, ...part }) => {
        if ((name === undefined) === (all === undefined))
          throw new CliError('say either the name of a read model or --all', 2);
        if (Object.keys(part).length > (all ? 0 : 1))
          throw new CliError('say one of --all, --bot, --partition and --until', 2);
        if (maxRate !== undefined && Object.keys(part).length > 0)
          throw new CliError('--max-rate is for whole versions', 2);
        if (part.bot !== undefined) await namedBots(await context.at('catalog'), [part.bot]);
        await context.yieldToService();
        if (part.until !== undefined) return { value: await buildUntil(context, modelOf(context, name!), part.until) };
        const rows: ProjectionStatus[] = [];
        const notes: string[] = [];
        const chosen = botsOf(part);
        for (const model of name === undefined ? context.manifests : [modelOf(context, name)]) {
          const { built, note } = await (chosen === null
            ? buildNext(context, model, maxRate)
            : buildPart(context, model, chosen));
          rows.push(await rowOf(context, built));
          notes.push(note);
        }
        return { ...answerOf(all ? rows : rows[0]!), notes };
      }),
    );
}

/** The bots that the options name; null: all. */
function botsOf({ bot, partition }: RebuildOptions): BotsOfPart | null {
  if (bot !== undefined) return { bot };
  return partition === undefined ? null : { partition };
}

interface DiffOptions {
  readonly from?: number;
  readonly to?: number;
  readonly wait: number;
  readonly answers: boolean;
}

function addDiff({ noun, action }: Cli): void {
  noun
    .command('diff')
    .description('Compare two versions: the rows and answers that a switch changes. Exit 1 if any differs.')
    .argument('<name>')
    .option('--from <number>', 'The version to switch from; default: the live one.', positiveInteger)
    .option('--to <number>', 'The version to switch to; default: the newest.', positiveInteger)
    .option(
      '--wait <seconds>',
      'How long to wait until both are at the same position of the log.',
      nonNegativeInteger,
      30,
    )
    .option('--no-answers', 'Compare only rows: no reports, balances and counts of broadcasts.')
    .action(
      action<[string, DiffOptions]>(async (context, name, { from, to, wait, answers }) => {
        const model = modelOf(context, name);
        await context.yieldToService();
        const { diffVersions } = await import('../../administration/diff/version-diff.ts');
        return diffAnswer(await diffVersions(context, model, { from, to, waitMs: wait * 1000, answers }));
      }),
    );
}

/** A row with the command to type next. */
function rowWithCommand({ next, ...row }: AnyVersionStatus) {
  return { ...row, next_command: next === null ? null : `botledger ${commandOf(row, next)}` };
}

function commandOf({ name, version }: Pick<AnyVersionStatus, 'name' | 'version'>, next: NextStep): string {
  switch (next.step) {
    case 'retry':
      return next.letter === null ? 'dead-letter list' : `dead-letter retry ${next.letter}`;
    case 'drop':
      return `projection drop ${name} --version ${version}`;
    default:
      return `projection ${next.step} ${name}`;
  }
}

/**
 * Makes the answer of a command. The field `events` of a lag counts commits, so the text for a person calls them commits.
 */
function answerOf(rows: AnyVersionStatus | readonly AnyVersionStatus[]): Answer {
  const value = 'lag' in rows ? rowWithCommand(rows) : rows.map(rowWithCommand);
  const inWords = (row: ReturnType<typeof rowWithCommand>) => ({
    ...row,
    lag: `${counted(row.lag.events, 'commit')}, ${counted(row.lag.seconds, 'second')}`,
    deferred: row.deferred && `${row.deferred.exact ? '' : 'at least '}${counted(row.deferred.events, 'event')}`,
  });
  return { value, shown: 'lag' in value ? inWords(value) : value.map(inWords) };
}
