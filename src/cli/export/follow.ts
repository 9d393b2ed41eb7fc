import { InvalidArgumentError, Option } from 'commander';
import type { Destination } from '../../administration/follow/destination.ts';
import { follow } from '../../administration/follow/follow-events.ts';
import { type Answer, type Cli, type CliContext, CliError } from '../command.ts';
import { botOption, duration, namedBots } from '../values.ts';

interface FollowCommandOptions {
  readonly bot?: string;
  readonly all?: true;
  readonly to: 'clickhouse' | 's3';
  readonly table?: string;
  readonly every?: number;
  readonly once?: true;
}

/** Rows of an insert or object, and the longest wait of a row. ClickHouse and readers of objects want few and large ones. */
const BATCHES = {
  clickhouse: { batchRows: 20_000, lingerMs: 1000 },
  s3: { batchRows: 50_000, lingerMs: 60_000 },
} as const;

const TABLE = 'botledger_events';

export function followCommand(cli: Cli): void {
  cli.noun
    .command('follow')
    .description(
      'Put every event into ClickHouse or an S3 store, each once, and follow the log. Safe to kill: it resumes.',
    )
    .addOption(botOption().makeOptionMandatory(false).conflicts('all'))
    .option('--all', 'All bots.')
    .addOption(
      new Option('--to <destination>', 'The destination; EXPORT_CLICKHOUSE_URL or EXPORT_S3_… say where it is.')
        .choices(Object.keys(BATCHES))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--table <name>', `The table of ClickHouse. It is created if absent; default ${TABLE}.`).argParser(
        tableName,
      ),
    )
    .addOption(
      new Option(
        '--every <duration>',
        'The longest wait of an event; default 1s for ClickHouse, 60s for S3.',
      ).argParser(duration),
    )
    .option('--once', 'End when all that is in the log now is at the destination.')
    .action(cli.action<[FollowCommandOptions]>(followLog));
}

function tableName(text: string): string {
  if (/^[A-Za-z_]\w{0,99}$/.test(text)) return text;
  throw new InvalidArgumentError('It must begin with a letter or _ and have letters, digits and _.');
}

async function followLog(context: CliContext, options: FollowCommandOptions): Promise<Answer> {
  const { log, progress, signal } = context;
  const { to, once = false } = options;
  const bot = await botOf(context, options);
  const destination = await destinationOf(context, options, `${log.engine}-${bot ?? 'all'}`);
  await context.yieldToService();
  const { batchRows, lingerMs } = BATCHES[to];
  try {
    const rows = await follow({
      ...{ log, destination, bot, batchRows, signal, untilEnd: once },
      lingerMs: options.every ?? lingerMs,
      onPut: (done) => progress({ what: `following to ${to}`, done, total: null, unit: 'events' }),
      onRetry: (error, waitMs) =>
        context.notice(`failed to put events: ${messageOf(error)}; retrying in ${waitMs / 1000} s`),
    });
    return { value: { rows } };
  } finally {
    await destination.close();
  }
}

/** Null: all bots. @throws CliError */
async function botOf(context: CliContext, { bot, all }: FollowCommandOptions): Promise<string | null> {
  if (all) return null;
  if (bot === undefined) throw new CliError('--bot or --all is required', 2);
  const [found] = await namedBots(await context.at('catalog'), [bot]);
  return found!.public_key;
}

/** Loads the client late, since no other command needs it. @throws CliError */
async function destinationOf(
  { destinations }: CliContext,
  { to, table }: FollowCommandOptions,
  scope: string,
): Promise<Destination> {
  if (table !== undefined && to !== 'clickhouse') throw new CliError(`--table is not an option of --to ${to}`, 2);
  if (to === 'clickhouse') {
    const { clickHouseUrl: url } = destinations;
    if (url === undefined) throw new CliError('EXPORT_CLICKHOUSE_URL is not set');
    return (await import('../../administration/follow/clickhouse.ts')).clickHouseDestination({
      url,
      table: table ?? TABLE,
      scope,
    });
  }
  const { url, region, accessKeyId, secretAccessKey } = destinations.s3;
  if (url === undefined || accessKeyId === undefined || secretAccessKey === undefined)
    throw new CliError('EXPORT_S3_URL, EXPORT_S3_ACCESS_KEY_ID and EXPORT_S3_SECRET_ACCESS_KEY must be set');
  const { s3Destination } = await import('../../administration/follow/s3.ts');
  return s3Destination({ url, region, accessKeyId, secretAccessKey, scope });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
