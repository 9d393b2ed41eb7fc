import type { Writable } from 'node:stream';
import { type Command, Option } from 'commander';
import { openExport } from '../../administration/export/open-export.ts';
import { whileTaken } from '../../administration/export/while-taken.ts';
import { isoWithOffset } from '../../domain/local-time.ts';
import { EXPORT_KINDS, type ExportKind } from '../../queries/export/columns.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../../queries/export/formats.ts';
import { isEmptyPeriod, parseFrom, parseTo } from '../../queries/export/period.ts';
import { type Answer, type Cli, type CliContext, CliError } from '../command.ts';
import { intoFile, writeAll } from '../output-file.ts';
import { botOption, namedBots, periodBound } from '../values.ts';
import { followCommand } from './follow.ts';

interface ExportOptions {
  readonly bot: string;
  readonly from?: number;
  readonly to?: number;
  readonly format: ExportFormat;
  readonly output: string;
  readonly raw?: true;
}

const DESCRIPTIONS: Readonly<Record<ExportKind, string>> = {
  events: 'Export events by date, with their custom properties and labels.',
  users: 'Export users by id. The period selects by the date of creation.',
  accruals: 'Export what referrers earned, reversed accruals and their compensations included.',
  recipients: 'Export the recipients of broadcasts. A period leaves out recipients without an outcome.',
};

export function exportCommands(cli: Cli): void {
  for (const kind of EXPORT_KINDS) exportCommand(cli, kind);
  followCommand(cli);
}

function exportCommand(cli: Cli, kind: ExportKind): Command {
  return cli.noun
    .command(kind)
    .description(DESCRIPTIONS[kind])
    .addOption(botOption())
    .addOption(new Option('--from <date>', 'The first day or moment of the period.').argParser(periodBound(parseFrom)))
    .addOption(new Option('--to <date>', 'The last day or moment, included.').argParser(periodBound(parseTo)))
    .addOption(new Option('--format <format>', 'The format.').choices(EXPORT_FORMATS).default('ndjson'))
    .option('--raw', 'CSV for programs: texts as they are, also texts that a spreadsheet takes for formulas.')
    .option('--output <file>', 'The file. It appears when it is complete; - is the standard output.', '-')
    .action(cli.action<[ExportOptions]>((context, options) => writeExport(context, kind, options)));
}

/** Rows that are read in one go. A command has its thread for itself. */
const PAGE_ROWS = 2000;

/** The longest time that an export waits for the reader of its output in all: until the end it holds a snapshot of the database. */
const WAIT_MS = 30 * 60_000;
const TOO_SLOW = 'the reader of the output took longer than 30 min in all; write to a file by --output';

async function writeExport(context: CliContext, kind: ExportKind, options: ExportOptions): Promise<Answer> {
  const { output, from = null, to = null } = options;
  if (isEmptyPeriod({ from, to })) throw new CliError('--from is after --to');
  if (output === '-')
    return { value: await exportTo(context.standardOutput, context, kind, options), isBesideData: true };
  return { value: await intoFile(output, (file) => exportTo(file, context, kind, options)) };
}

async function exportTo(
  output: Writable,
  context: CliContext,
  kind: ExportKind,
  options: ExportOptions,
): Promise<{ readonly rows: number; readonly data_as_of: string }> {
  const { log, pool, sources, signal, progress } = context;
  const { format, raw, from = null, to = null } = options;
  const [bot] = await namedBots(await context.at('catalog'), [options.bot]);
  const opened = await openExport({
    ...{
      kind,
      format,
      form: { raw },
      db: context,
      pool,
      log,
      sources,
      period: { from, to },
      signal,
      pageRows: PAGE_ROWS,
    },
    bot: bot!,
  });
  const show = (): void => progress({ what: 'exporting', done: opened.rows(), total: null, unit: kind });
  try {
    const taken = whileTaken(shown(opened.parts, show), { stallMs: WAIT_MS, totalMs: WAIT_MS }, () => {
      output.destroy(new CliError(TOO_SLOW));
    });
    await writeAll(taken, output, context.standardOutput);
  } finally {
    await opened.parts.return?.();
  }
  return { rows: opened.rows(), data_as_of: isoWithOffset(opened.dataAsOf, 'UTC') };
}

async function* shown(parts: AsyncIterable<Uint8Array>, show: () => void): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    yield part;
    show();
  }
}
