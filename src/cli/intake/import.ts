import { createHash } from 'node:crypto';
import type { WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { Option } from 'commander';
import { createEventTypeDirectory } from '../../commands/intake/event-type-directory.ts';
import { importEvents } from '../../commands/intake/import-events.ts';
import { importReferrals } from '../../commands/referral/import-referrals.ts';
import { balanceKey } from '../../domain/referral/referral-import.ts';
import type { Position } from '../../log/port.ts';
import { eventsReadModel } from '../../projections/events/read-model.ts';
import { referralReadModel } from '../../projections/referral/read-model.ts';
import { usedEventKeys } from '../../queries/intake/event-keys.ts';
import { referrersOf } from '../../queries/referral/referrers-of.ts';
import { type Answer, type Cli, type CliContext, CliError, ReadModelWaitTimeoutError } from '../command.ts';
import { csvRecords, isNdjson, wholeLines } from '../input-files.ts';
import { botOption, rename, zone } from '../values.ts';
import { EVENT_FORMATS, type FormatOptions, recordReader } from './event-formats.ts';
import { EVENT_COLUMNS, eventsOf } from './event-lines.ts';
import { REFERRAL_COLUMNS, referralsOf } from './referral-lines.ts';

interface FileOptions {
  readonly bot: string;
  readonly refused?: string;
}

type EventsOptions = FileOptions & FormatOptions;

export function importCommands(cli: Cli): void {
  const { noun } = cli;
  const refusedOption = (): Option =>
    new Option('--refused <file>', 'Write refused lines to this file: line and problem, as NDJSON.');

  noun
    .command('events')
    .description(
      'Import past events from NDJSON or CSV, also gzip or zip. Safe to repeat: it resumes, and a file counts once.',
    )
    .addOption(botOption())
    .addOption(
      new Option('--format <format>', 'The system that wrote the file.').choices(EVENT_FORMATS).default('botledger'),
    )
    .option(
      '--user-property <name>',
      "The property of the event or of its user with the platform's id, if the file's own field has another id.",
    )
    .option('--timezone <zone>', 'The zone of dates without an offset; Mixpanel: of a project from before 2023.', zone)
    .option('--rename <old=new>', 'Another name for a property; can be repeated.', rename)
    .addOption(refusedOption())
    .argument('<file>', 'one event a line, as send-event takes it with a date, or as the format has it')
    .action(cli.action<[string, EventsOptions]>(importEventFile));

  noun
    .command('referrals')
    .description(
      'Import who referred each user, and opening balances. Safe to repeat: it resumes, and a file counts once.',
    )
    .addOption(botOption())
    .addOption(refusedOption())
    .argument('<file>', 'NDJSON or CSV; columns are user_id, referrer_id, date, balance, unit')
    .action(cli.action<[string, FileOptions]>(importReferralFile));
}

/** After so many events the import waits until read models have them, 10 s at most, so that a running service keeps its pace. */
const PACE_EVENTS = 50_000;

async function importEventFile(context: CliContext, path: string, options: EventsOptions): Promise<Answer> {
  const { bot } = options;
  const reader = recordReader(options);
  const refusals = await openRefusals(options.refused);
  let paced = 0;
  const importing = importEvents(
    { ...context, directory: createEventTypeDirectory(context) },
    {
      bot,
      file: await fingerprint(path, EVENT_COLUMNS, readingOf(options)),
      lines: eventsOf(path, reader, context.sources.now),
      onRefused: refusals.add,
      async onProgress(imported, position) {
        context.progress({ what: 'import', done: imported, total: null, unit: 'events' });
        if (imported < paced + PACE_EVENTS) return;
        paced = imported;
        await pace(context, position);
      },
    },
  );
  const { imported, before, refused, position } = await importing.finally(refusals.close);
  const value = { imported, imported_before: before, refused };
  return { value, notes: [...refusals.named, ...reader.notes()], change: { category: 'import', position } };
}

/** The same file that is read in another way is another file. */
function readingOf({ format, userProperty, timezone, rename }: FormatOptions): string {
  const more = timezone === undefined && rename === undefined ? [] : [timezone, [...(rename ?? [])]];
  return JSON.stringify([format, userProperty, ...more]);
}

async function pace(context: CliContext, position: Position): Promise<void> {
  try {
    await context.waitForReadModels({ category: 'import', position });
  } catch (error) {
    if (!(error instanceof ReadModelWaitTimeoutError)) throw error; // late read models do not stop an import
  }
}

async function importReferralFile(context: CliContext, path: string, { bot, refused }: FileOptions): Promise<Answer> {
  const refusals = await openRefusals(refused);
  const importing = importReferrals(
    { ...context, directory: createEventTypeDirectory(context) },
    {
      bot,
      file: await fingerprint(path, REFERRAL_COLUMNS, 'referrals'),
      lines: referralsOf(path),
      onRefused: refusals.add,
      onRefusedBalance: ({ user_id }, problem) =>
        refusals.add(null, `the balance of user ${user_id} is refused: ${problem}`),
      async lookUp(referrals, position) {
        // Each time: another version of a read model may answer by now.
        const [referral, events] = [
          await context.projected(referralReadModel),
          await context.projected(eventsReadModel),
        ];
        await context.waitForReadModels({ category: 'import', position });
        const userIds = referrals.map(({ user_id }) => user_id);
        return {
          referrers: await referrersOf(referral, bot, userIds),
          balances: await usedEventKeys(events, bot, referrals.map(balanceKey)),
        };
      },
    },
  );
  const { position, ...value } = await importing.finally(refusals.close);
  return { value, notes: refusals.named, change: { category: 'import', position } };
}

/** Refused lines that the answer names; --refused has all. */
const MAX_NAMED = 5;

interface Refusals {
  /** The first refused lines, for a person. */
  readonly named: readonly string[];
  /** @param line null: the problem was found after the line was taken */
  readonly add: (line: number | null, problem: string) => void;
  readonly close: () => Promise<void>;
}

/** @throws CliError a file of this name exists: it may be the input itself, or the refusals of an earlier call */
async function openRefusals(path: string | undefined): Promise<Refusals> {
  const named: string[] = [];
  const report = path === undefined ? null : await newFile(path);
  return {
    named,
    add(line, problem) {
      if (named.length < MAX_NAMED) named.push(line === null ? problem : `line ${line}: ${problem}`);
      report?.write(`${JSON.stringify({ line, problem })}\n`);
    },
    async close() {
      if (report === null) return;
      report.end();
      await finished(report);
    },
  };
}

async function newFile(path: string): Promise<WriteStream> {
  try {
    return (await open(path, 'wx', 0o600)).createWriteStream();
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new CliError(
      `--refused ${path}: ${exists ? 'the file exists, and is not overwritten' : (error as Error).message}`,
    );
  }
}

/**
 * Names the content of a file, compressed or not, and how it is read. Reads the whole file: a file that cannot be read to its
 * end is refused before anything of it is imported.
 * @param required columns of a CSV file
 * @throws CliError
 */
async function fingerprint(path: string, required: readonly string[], reading: string): Promise<string> {
  const hash = createHash('sha256').update(reading);
  for await (const { bytes } of wholeLines(path)) hash.update(bytes);
  if (!(await isNdjson(path))) for await (const _ of csvRecords(path, required, () => {}));
  return hash.digest('hex').slice(0, 32);
}
