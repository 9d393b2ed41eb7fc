import { Option } from 'commander';
import { LosslessNumber } from 'lossless-json';
import { eraseWithComparisons } from '../../administration/inspection/inspection-store.ts';
import { existingBot } from '../../commands/catalog/change-bot.ts';
import { importUsers } from '../../commands/intake/import-users.ts';
import { eraseUser } from '../../commands/intake/personal-keys.ts';
import { readImportedUser } from '../../domain/intake/imported-user.ts';
import type { ImportedUser } from '../../domain/intake/intake-events.ts';
import { isKnownUser } from '../../queries/users/users-of-bot.ts';
import { counted } from '../../util/counted.ts';
import { type Cli, type CliContext, CliError } from '../command.ts';
import { csvRecords, isNdjson, jsonLines } from '../input-files.ts';
import { botOption, positiveInteger } from '../values.ts';
import { appliedIn } from './import-file.ts';

type FieldType = 'text' | 'number' | 'bool';

interface SetField {
  readonly bot: string;
  readonly user: number;
  readonly name: string;
  readonly value: string;
  readonly type: FieldType;
  readonly force?: true;
}

export function user(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('import')
    .description('Import users from NDJSON or CSV.')
    .addOption(botOption())
    .argument('<file>', 'NDJSON or CSV; columns are user_id and names of fields')
    .action(
      cli.action<[string, { bot: string }]>(async (context, file, { bot }) => {
        await checkUserFile(file);
        const { users, position } = await importUsers(context, bot, usersOf(file), appliedIn(context, 'intake'));
        return { value: { users }, change: { category: 'intake', position } };
      }),
    );

  noun
    .command('set-field')
    .description('Set a field of a user.')
    .addOption(botOption())
    .requiredOption('--user <id>', 'the user', positiveInteger)
    .requiredOption('--name <field>', 'a field of users, else a custom one')
    .requiredOption('--value <value>')
    .addOption(new Option('--type <type>', 'of a custom field').choices(['text', 'number', 'bool']).default('text'))
    .option('--force', 'Create the user if the bot never had one of this id.')
    .action(
      cli.action<[SetField]>(async (context, { bot, user, name, value, type, force }) => {
        if (name === 'user_id') throw new CliError('user_id cannot be set');
        const columns = [['user_id', user] as const, [name, typed(value, type)] as const];
        const result = readImportedUser(columns, type === 'text' ? 'text' : 'json');
        if (!('user_id' in result)) throw new CliError(result[0]!.message);
        if (force !== true) await requireUser(context, bot, user);
        const { users, position } = await importUsers(context, bot, [result]);
        return { value: { users }, change: { category: 'intake', position } };
      }),
    );

  noun
    .command('erase')
    .description('Erase the personal data of a user, in the log and in every read model.')
    .addOption(botOption())
    .requiredOption('--user <id>', 'the user', positiveInteger)
    .option('--force', 'Erase even if the bot never had this user, for example a member of a group.')
    .action(
      cli.action<[{ bot: string; user: number; force?: true }]>(async (context, { bot, user, force }) => {
        if (force !== true) await requireUser(context, bot, user);
        const { position } = await eraseWithComparisons(context.pool, () => eraseUser(context, bot, user));
        // Instances may still seal with the forgotten key for up to the lifetime of their caches.
        return { value: { users: 1 }, change: { category: 'intake', position, replaces: true } };
      }),
    );
}

/** Checks that the bot had the user, since an unknown id is most likely mistyped. @throws Rejection, CliError */
async function requireUser(context: CliContext, bot: string, user: number): Promise<void> {
  await existingBot(context.log, bot);
  if (await isKnownUser(await context.at('users'), bot, user)) return;
  throw new CliError(`bot ${bot} never had a user ${user}: nothing was done; --force does it all the same`);
}

function typed(value: string, type: FieldType): unknown {
  if (type === 'text') return value;
  if (type === 'number' && /^-?\d+(\.\d+)?$/.test(value)) return new LosslessNumber(value);
  if (type === 'bool' && (value === 'true' || value === 'false')) return value === 'true';
  throw new CliError(`--value must be ${type === 'number' ? 'a decimal number' : 'true or false'}`, 2);
}

/** A line of a file of users: a user, or the problem with the line. */
type Line = { readonly line: number } & ({ readonly user: ImportedUser } | { readonly problem: string });

/** An error names this many bad lines and counts the others. */
const MAX_NAMED = 5;

/**
 * Checks a whole file of users (CSV, or NDJSON if it begins with a brace).
 * @throws CliError that names the bad lines
 */
async function checkUserFile(file: string): Promise<void> {
  const named: string[] = [];
  let bad = 0;
  for await (const line of linesOf(file)) {
    if (!('problem' in line)) continue;
    bad++;
    if (named.length < MAX_NAMED) named.push(`line ${line.line}: ${line.problem}`);
  }
  if (bad === 0) return;
  const more = bad > named.length ? `; and ${counted(bad - named.length, 'more bad line')}` : '';
  throw new CliError(`${file}: ${named.join('; ')}${more}; nothing was imported`);
}

/** Reads the users of a file that was checked before. */
async function* usersOf(file: string): AsyncGenerator<ImportedUser> {
  for await (const line of linesOf(file)) {
    if ('problem' in line) throw new CliError(`${file} was changed while it was imported, at line ${line.line}`);
    yield line.user;
  }
}

async function* linesOf(file: string): AsyncGenerator<Line> {
  if (await isNdjson(file))
    for await (const next of jsonLines(file)) {
      const { line } = next;
      yield 'problem' in next ? next : { line, ...read(Object.entries(next.object), 'json') };
    }
  else for await (const { line, cells } of csvRecords(file, ['user_id'])) yield { line, ...read(cells, 'text') };
}

function read(
  columns: Iterable<readonly [string, unknown]>,
  form: 'text' | 'json',
): { user: ImportedUser } | { problem: string } {
  const result = readImportedUser(columns, form);
  return 'user_id' in result ? { user: result } : { problem: result.map(({ message }) => message).join(', ') };
}
