import { Option } from 'commander';
import { existingBot } from '../../commands/catalog/change-bot.ts';
import { createEventTypeDirectory } from '../../commands/intake/event-type-directory.ts';
import { importEvents, type RefusedLine } from '../../commands/intake/import-events.ts';
import { importReferrals, type ReferralLine } from '../../commands/referral/import-referrals.ts';
import { UNIT_CODE } from '../../domain/catalog/checks.ts';
import { decimalText } from '../../domain/intake/amounts.ts';
import { isWithinYears, parseIso8601 } from '../../domain/intake/moment.ts';
import { balanceKey, type ImportedReferral } from '../../domain/referral/referral-import.ts';
import { exactNumber, type JsonObject, positiveId } from '../../domain/storable-json.ts';
import { usedEventKeys } from '../../queries/intake/event-keys.ts';
import { referrersOf } from '../../queries/referral/find-attribution.ts';
import type { Answer, Cli, CliContext } from '../command.ts';
import { botOption, rename, zone } from '../values.ts';
import { EVENT_COLUMNS, EVENT_FORMATS, type FormatOptions, recordReader } from './event-formats.ts';
import { eventsOf, recordsOf } from './event-lines.ts';
import { appliedIn, checkCsv, fingerprint, openRefusals, type Refusals } from './import-file.ts';

interface FileOptions {
  readonly bot: string;
  readonly dryRun?: true;
  readonly refused?: string;
}

type EventsOptions = FileOptions & FormatOptions;

export function importCommands(cli: Cli): void {
  const { noun } = cli;
  const refusedOption = (): Option =>
    new Option(
      '--refused <file>',
      'Write refused lines to this file: number, problem and text of the line, as NDJSON.',
    );

  const dryRunOption = (): Option =>
    new Option('--dry-run', 'Read the file, count and name its mistakes, and import nothing.');

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
    .addOption(dryRunOption())
    .argument('<file>', 'one event a line, as send-event takes it with a date, or in the format given by --format')
    .action(cli.action<[string, EventsOptions]>(importEventFile));

  noun
    .command('referrals')
    .description(
      'Import who referred each user, and opening balances. Safe to repeat: it resumes, and a file counts once.',
    )
    .addOption(botOption())
    .addOption(refusedOption())
    .addOption(dryRunOption())
    .argument('<file>', 'NDJSON or CSV; columns are user_id, referrer_id, date, balance, unit')
    .action(cli.action<[string, FileOptions]>(importReferralFile));
}

async function importEventFile(context: CliContext, path: string, options: EventsOptions): Promise<Answer> {
  const { bot } = options;
  const columns = EVENT_COLUMNS[options.format];
  const reader = recordReader(options);
  const lines = eventsOf(path, columns, reader, context.sources.now);
  if (options.dryRun) {
    const read = await dryRunOf(context, path, columns, lines, options);
    return { ...read, notes: [...read.notes, ...reader.notes()] };
  }
  const file = await fingerprint(path, readingOf(options));
  const refusals = await openRefusals(options.refused);
  const importing = importEvents(
    { ...context, directory: createEventTypeDirectory(context) },
    {
      bot,
      file,
      check: () => checkCsv(path, columns),
      lines,
      namesRefused: options.refused !== undefined,
      onRefused: refusals.add,
      applied: appliedIn(context, 'import'),
      async usedKeys(keys) {
        const events = await context.answering('events');
        return events === null ? new Set() : usedEventKeys(events, bot, keys);
      },
      onProgress: (imported) => context.progress({ what: 'import', done: imported, total: null, unit: 'events' }),
    },
  );
  const { imported, before, repeated, refused, position } = await importing.finally(refusals.close);
  const value = { imported, imported_before: before, repeated, refused };
  return {
    value,
    notes: [...refusals.named, ...reader.notes()],
    change: { category: 'import', position, mayLag: true },
  };
}

/** The same file that is read in another way is another file. */
function readingOf({ format, userProperty, timezone, rename }: FormatOptions): string {
  const more = timezone === undefined && rename === undefined ? [] : [timezone, [...(rename ?? [])]];
  return JSON.stringify([format, userProperty, ...more]);
}

/** Makes the import's checks that need no line, and counts the lines. */
async function dryRunOf(
  { log }: CliContext,
  path: string,
  columns: readonly string[],
  lines: AsyncIterable<object>,
  { bot, refused }: FileOptions,
): Promise<{ readonly value: DryRun; readonly notes: readonly string[] }> {
  await existingBot(log, bot);
  await checkCsv(path, columns);
  const refusals = await openRefusals(refused);
  return { value: await dryRun(lines, refusals).finally(refusals.close), notes: refusals.named };
}

async function importReferralFile(context: CliContext, path: string, options: FileOptions): Promise<Answer> {
  const { bot, refused } = options;
  if (options.dryRun) return dryRunOf(context, path, REFERRAL_COLUMNS, referralsOf(path), options);
  const file = await fingerprint(path, 'referrals');
  const refusals = await openRefusals(refused);
  const importing = importReferrals(
    { ...context, directory: createEventTypeDirectory(context) },
    {
      bot,
      file,
      check: () => checkCsv(path, REFERRAL_COLUMNS),
      lines: referralsOf(path),
      namesRefused: refused !== undefined,
      onRefused: refusals.add,
      onRefusedBalance: ({ user_id, referrer_id, balance }, problem) =>
        refusals.add({
          line: null,
          problem: `the balance of user ${user_id} is refused: ${problem}`,
          text: JSON.stringify({ user_id, referrer_id, balance: balance?.amount, unit: balance?.unit }),
        }),
      applied: appliedIn(context, 'import'),
      async lookUp(referrals, position) {
        // Each time: another version of a read model may answer by now.
        const tables = await context.at('referral', 'events');
        await context.waitForReadModels({ category: 'import', position });
        const userIds = referrals.map(({ user_id }) => user_id);
        return {
          referrers: await referrersOf(tables, bot, userIds),
          balances: await usedEventKeys(tables, bot, referrals.map(balanceKey)),
        };
      },
    },
  );
  const { position, ...value } = await importing.finally(refusals.close);
  return { value, notes: refusals.named, change: { category: 'import', position, mayLag: true } };
}

/** The content of a file of events, of which nothing was imported. */
interface DryRun {
  readonly dry_run: true;
  /** Lines that an import takes. Whether their events came before is found only by the import. */
  readonly taken: number;
  readonly refused: number;
}

/** Reads the lines of an import and appends nothing. */
async function dryRun(lines: AsyncIterable<object | RefusedLine>, refusals: Refusals): Promise<DryRun> {
  let [taken, refused] = [0, 0];
  for await (const line of lines) {
    if (!('problem' in line)) taken++;
    else {
      refused++;
      await refusals.add(line as RefusedLine);
    }
  }
  return { dry_run: true, taken, refused };
}

/** The columns that a CSV file of referrals must have. */
const REFERRAL_COLUMNS = ['user_id', 'referrer_id'] as const;

/** Reads the referrals of a file of NDJSON or CSV with `user_id`, `referrer_id`, and perhaps `date`, `balance` and `unit`. */
async function* referralsOf(path: string): AsyncGenerator<ReferralLine> {
  for await (const { line, text, ...found } of recordsOf(path, REFERRAL_COLUMNS))
    yield { line, text, ...('problem' in found ? found : readReferral(found.object)) };
}

function readReferral(record: JsonObject): { readonly referral: ImportedReferral } | { readonly problem: string } {
  const [user_id, referrer_id] = [positiveId(record['user_id']), positiveId(record['referrer_id'])];
  if (user_id === undefined) return { problem: 'user_id must be a positive integer below 2^53' };
  if (referrer_id === undefined) return { problem: 'referrer_id must be a positive integer below 2^53' };
  const { date: given, balance, unit } = record;
  const date = typeof given === 'string' ? parseIso8601(given) : undefined;
  if (date === null || (date === undefined && isGiven(given)) || (date !== undefined && !isWithinYears(date)))
    return { problem: 'date must be an ISO 8601 date and time of the years 1970 to 2100' };
  const referral = { user_id, referrer_id, ...(date === undefined ? {} : { date }) };
  if (!isGiven(balance)) return isGiven(unit) ? { problem: 'unit needs a balance' } : { referral };
  const exact = exactNumber(balance);
  const amount = exact === undefined || exact.lt(0) ? null : decimalText(exact);
  if (amount === null) return { problem: 'balance must be a decimal number from 0' };
  if (!isGiven(unit)) return { referral: { ...referral, balance: { amount } } };
  if (typeof unit !== 'string' || !UNIT_CODE.test(unit)) return { problem: 'unit must be 1 to 3 letters and digits' };
  return { referral: { ...referral, balance: { amount, unit: unit.toUpperCase() } } };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
